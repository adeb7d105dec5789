"""The file of stored answers: `answers.db` in the home folder, one row an answer, each as versioned JSON.

Two processes may use it at once: of two answers to one request the first stays. The rows hold what models answered,
and so may quote what a person said. They are only ever a saving, so forgetting anything removes them all: the question
is not kept beside its answer, and an answer may hold forgotten words translated or paraphrased, where no search finds
them. Keys are made in `cache.py`.
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

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from ingrained.errors import StoreError
from ingrained.ids import canonical_json
from ingrained.model.base import Completion, Facts, Finish, Token, Usage
from ingrained.store.files import file_error, make_home

ANSWERS_NAME: Final = "answers.db"
APPLICATION_ID: Final = 0x1269A14E
VERSION: Final = 1
BUSY_S: Final = 30.0


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


def count_answers(home: Path) -> int:
    """How many answers are stored; the file is not made where there is none.

    Raises:
        StoreError: the file cannot be used.
    """
    if not (home / ANSWERS_NAME).exists():
        return 0
    with closing(Answers.open(home)) as answers:
        return answers.count()


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
