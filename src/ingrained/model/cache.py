"""Stored answers: the same request to the same model is paid for once.

`answers.db` in the home folder, one row an answer, each as versioned JSON; the key is the content hash of the model's
identity and the whole request (messages, sampling, schema, prompt hash, sample index, asked log-probabilities). An
answer is on disk before anybody sees it, so a killed run pays again at most for what was under way. Two processes may
use the file at once: the first answer to a request is the one that stays, and both go on with it. Within one process a
request that is under way is waited for, not sent again.

The rows hold what models answered, and so may quote what a person said. They are only ever a saving: `forget_answers`
removes them all. `INGRAINED_REPLAY=only` answers from the file alone and sends nothing.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Generator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final, Literal, cast
from urllib.parse import quote

import anyio
from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from ingrained.errors import ConfigError, StoreError, UnseenRequestError
from ingrained.ids import canonical_json, content_hash
from ingrained.model.base import Completion, Facts, Finish, Model, Request, Token, Usage
from ingrained.model.limits import Meter
from ingrained.store.faults import point, register
from ingrained.store.files import file_error, make_home

ANSWERS_NAME: Final = "answers.db"
APPLICATION_ID: Final = 0x1269A14E
VERSION: Final = 1
REPLAY: Final = "INGRAINED_REPLAY"
BUSY_S: Final = 30.0

register("answers", "asked", "answered", "stored")


def answer_key(facts: Facts, request: Request) -> str:
    """The key under which the answer of a model to a request is stored."""
    return content_hash({"version": VERSION, "model": facts.to_json(), "request": request.to_json()})


class StoredAnswer(BaseModel):
    """An answer as it lies in the file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    version: Literal[1] = 1
    text: str
    parsed: JsonValue
    input_tokens: int
    output_tokens: int
    estimated: bool
    tokens: tuple[tuple[str, float, tuple[tuple[str, float], ...]], ...]
    finish: Finish
    raw: dict[str, JsonValue]

    @classmethod
    def of(cls, answer: Completion) -> StoredAnswer:
        """The stored form of an answer."""
        return cls(
            text=answer.text,
            parsed=answer.parsed,
            input_tokens=answer.usage.input_tokens,
            output_tokens=answer.usage.output_tokens,
            estimated=answer.usage.estimated,
            tokens=tuple((token.text, token.logprob, token.top) for token in answer.tokens),
            finish=answer.finish,
            raw=dict(answer.raw),
        )

    def completion(self) -> Completion:
        """The answer again, marked as stored."""
        return Completion(
            text=self.text,
            parsed=self.parsed,
            usage=Usage(input_tokens=self.input_tokens, output_tokens=self.output_tokens, estimated=self.estimated),
            tokens=tuple(Token(text=text, logprob=logprob, top=top) for text, logprob, top in self.tokens),
            finish=self.finish,
            raw=self.raw,
            cached=True,
        )


class Answers:
    """The open file of stored answers. Close it."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        """Use `Answers.open`."""
        self.path = path
        self._connection = connection

    @classmethod
    def open(cls, home: Path) -> Answers:
        """The file in the home folder, made where there is none.

        Raises:
            StoreError: it is no such file, of a newer version, damaged, or cannot be written.
        """
        path = make_home(home) / ANSWERS_NAME
        with _typed(path):
            connection = _connect(path)
            try:
                _prepare(connection, path)
            except BaseException:
                connection.close()
                raise
        return cls(connection, path)

    def get(self, key: str) -> Completion | None:
        """The answer under `key`. One that cannot be read counts as none, and is paid for again."""
        with _typed(self.path):
            row = self._connection.execute("SELECT answer FROM answers WHERE key = ?", (key,)).fetchone()
        if row is None:
            return None
        try:
            return StoredAnswer.model_validate_json(cast("str", row[0])).completion()
        except ValidationError:
            return None

    def put(self, key: str, facts: Facts, answer: Completion) -> Completion:
        """Store an answer; the one that is stored in the end, which another process may have put there first."""
        data = canonical_json(StoredAnswer.of(answer).model_dump(mode="json"))
        with _typed(self.path):
            insert = "INSERT INTO answers (key, provider, model, at, answer) VALUES (?, ?, ?, ?, ?) "
            self._connection.execute(
                insert + "ON CONFLICT (key) DO NOTHING", (key, facts.provider, facts.model, int(time.time()), data)
            )
        first = self.get(key)
        if first is None:  # what lay there could not be read
            with _typed(self.path):
                self._connection.execute("UPDATE answers SET answer = ? WHERE key = ?", (data, key))
            return answer
        # Stored by us: the answer as it came, not marked as stored. Stored by another: theirs.
        return answer if replace(first, cached=False) == answer else first

    def keys(self) -> frozenset[str]:
        """Keys of all stored answers."""
        with _typed(self.path):
            return frozenset(row[0] for row in self._connection.execute("SELECT key FROM answers"))

    def count(self) -> int:
        """How many answers are stored."""
        with _typed(self.path):
            return int(self._connection.execute("SELECT count(*) FROM answers").fetchone()[0])

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


class CachedModel:
    """A model behind its stored answers."""

    def __init__(
        self, model: Model, answers: Answers, meter: Meter | None = None, *, only_stored: bool = False
    ) -> None:
        self._model = model
        self._answers = answers
        self._meter = meter
        self._only_stored = only_stored
        self._flying: dict[str, anyio.Event] = {}

    @property
    def facts(self) -> Facts:
        """Those of the model itself."""
        return self._model.facts

    async def complete(self, request: Request) -> Completion:
        """The stored answer, else one call to the model, stored before it is given back.

        Raises:
            UnseenRequestError: nothing is stored, and nothing may be sent.
            ModelError, BudgetReachedError: as the model itself says; an error is never stored.
        """
        key = answer_key(self.facts, request)
        while True:
            found = self._answers.get(key)
            if found is not None:
                if self._meter is not None:
                    self._meter.count_cached()
                return found
            under_way = self._flying.get(key)
            if under_way is None:
                break
            await under_way.wait()
        if self._only_stored:
            raise unseen(key, self.facts, request)
        done = self._flying[key] = anyio.Event()
        try:
            point("answers.asked")
            answer = await self._model.complete(request)
            point("answers.answered")
            kept = self._answers.put(key, self.facts, answer)
            point("answers.stored")
            return kept
        finally:
            del self._flying[key]
            done.set()

    async def aclose(self) -> None:
        """Close the model and the file."""
        try:
            await self._model.aclose()
        finally:
            self._answers.close()


def only_stored(env: dict[str, str] | None = None) -> bool:
    """Whether `INGRAINED_REPLAY` allows stored answers alone.

    Raises:
        ConfigError: the variable is neither empty nor `only`.
    """
    value = (os.environ if env is None else env).get(REPLAY, "")
    if value not in {"", "only"}:
        raise ConfigError(f"{REPLAY}={value!r}: it is 'only', or not set")
    return value == "only"


def unseen(key: str, facts: Facts, request: Request) -> UnseenRequestError:
    """The error for a request without a stored answer: names it by its model, prompt, sample and last message."""
    last = " ".join(request.messages[-1].text.split()) if request.messages else ""
    shown = last if len(last) <= 120 else last[:119] + "…"
    return UnseenRequestError(
        f"no answer of {facts.provider}:{facts.model} is stored for {key} "
        f"(prompt {request.prompt or 'none'}, sample {request.sample}, last message {shown!r})",
        hint=f"run it once without {REPLAY}=only, or look what changed in the prompt, the model or the sampling",
    )


def forget_answers(home: Path) -> int:
    """Remove every stored answer and its bytes from the file; how many there were. Nothing where there is no file.

    Raises:
        StoreError: the file cannot be written, or another process keeps it in use.
    """
    path = home / ANSWERS_NAME
    if not path.exists():
        return 0
    with _typed(path), closing(_connect(path)) as connection:
        _prepare(connection, path)
        removed = connection.execute("DELETE FROM answers").rowcount
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return removed


def answer_files(home: Path) -> list[Path]:
    """Every file that stored answers may lie in, there or not."""
    return [home / f"{ANSWERS_NAME}{end}" for end in ("", "-wal", "-shm")]


_TABLE: Final = """
CREATE TABLE IF NOT EXISTS answers (
  key TEXT PRIMARY KEY,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  at INTEGER NOT NULL,
  answer TEXT NOT NULL
) STRICT, WITHOUT ROWID
"""


def _connect(path: Path) -> sqlite3.Connection:
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600))
    made = sqlite3.connect(f"file:{quote(os.fsencode(path))}?mode=rw", uri=True, timeout=BUSY_S, isolation_level=None)
    made.execute("PRAGMA secure_delete = ON")
    return made


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    deadline = time.monotonic() + BUSY_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            break
        except sqlite3.OperationalError as error:
            # Two processes that make the file at once: SQLite does not wait here by itself.
            if getattr(error, "sqlite_errorcode", 0) & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.02)
    # An answer was paid for: it outlives a power cut too. Beside the call itself the wait for the disk is nothing.
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("BEGIN IMMEDIATE")
    try:
        mark, version = (
            connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
        )
        empty = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0
        if mark != APPLICATION_ID and not empty:
            raise StoreError(f"{str(path)!r} is a database of another program", hint="move it away")
        if version > VERSION:
            raise StoreError(
                f"{str(path)!r} is of version {version}, this program knows {VERSION}",
                hint="use the newer ingrained, or remove the file: it holds only answers that can be asked for again",
            )
        connection.execute(_TABLE)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


@contextmanager
def _typed(path: Path) -> Generator[None, None, None]:
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}:
            hint = "remove it with its -wal and -shm files: it holds only answers that can be asked for again"
            raise StoreError(f"the stored answers in {str(path)!r} are damaged: {error}", hint=hint) from error
        hint = "wait for other runs to end, check the disk and its free space, and run the same command again"
        raise StoreError(f"cannot use the stored answers in {str(path)!r}: {error}", hint=hint) from error
    except OSError as error:
        if isinstance(error, StoreError):
            raise
        raise file_error("write", path, error) from error
