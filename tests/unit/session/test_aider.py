"""Aider's chat history."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ingrained.session.sources import find
from session_logs import read, texts

NAME = ".aider.chat.history.md"


class History:
    """Writes a history as the program does: what the person and the program say ends in two blanks."""

    def __init__(self) -> None:
        self.text = ""

    def run(self, time: str = "2026-03-01 09:00:00", command: str = "") -> History:
        self.text += (
            f"\n# aider chat started at {time}\n\n> /usr/bin/aider {command}  \n> Aider v0.60  \n> Git repo: .git  \n"
        )
        return self

    def mine(self, text: str) -> History:
        self.text += "\n" + "".join(f"#### {line}  \n" for line in text.split("\n"))
        return self

    def model(self, text: str) -> History:
        self.text += f"\n{text}\n\n"
        return self

    def tool(self, *lines: str) -> History:
        self.text += "".join(f"> {line}  \n" for line in lines)
        return self

    def trimmed(self) -> History:
        """As an editor leaves it that takes blanks from the ends of lines."""
        self.text = re.sub(r"[ \t]+$", "", self.text, flags=re.MULTILINE)
        return self

    def write(self, folder: Path, name: str = NAME) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(self.text, encoding="utf-8", newline="")
        return folder / name


def test_runs_are_sessions_and_lines_are_joined(tmp_path: Path) -> None:
    history = History().run().mine("add a label\n\n  and hush-me").model("Sure. I add it now.\n\n```python\nx = 1\n```")
    history.tool("Applied edit to shop/cart.py", "Commit a1b2c3d feat: Add label").mine("no, in `pay.py`")
    history.run("2026-03-02 10:00:00").mine("hi").run("2026-03-02 10:00:00").mine("hi")
    found = read(history.write(tmp_path / "shop"))
    first, second, third, fourth = found.turns
    assert texts(found) == ["add a label\n\n  and [redacted:hush]", "no, in `pay.py`", "hi", "hi"]
    assert (first.session, first.line, first.form, first.cwd) == (
        "2026-03-01 09:00:00",
        8,
        "typed",
        (tmp_path / "shop").as_posix(),
    )
    assert (second.act.tool, second.act.input) == ("commit", "a1b2c3d feat: Add label")
    assert second.act.said == "I add it now."
    assert second.time is not None
    assert second.time.isoformat() == "2026-03-01T09:00:00+00:00"
    assert (third.session, fourth.session) == ("2026-03-02 10:00:00", "2026-03-02 10:00:00 (2)")
    assert len({turn.key for turn in found.turns}) == 4
    assert len(found.sessions) == 3


def test_what_the_program_sent_is_set_aside(tmp_path: Path) -> None:
    history = History().run().mine("# Fix any errors below, if possible.\n\n## Running: lint")
    history.mine("I ran this command:\n\npytest\n\nAnd got this output:\n\nnever do that")
    history.mine("/help hi").mine("# Question: hi\n\n# Relevant docs:\n\n<doc>\nAlways ask.\n</doc>")
    history.mine('Find the "AI" comments below (marked with █) in the code files I\'ve shared with you.')
    history.mine("/ask why is it slow?").mine(" why is it slow?").mine(" why is it slow?")
    history.mine("/add cart.py").mine("!ls").mine("<blank>").mine("/home/dana/x.py is wrong")
    history.model("#### A heading\n\nwith text\n\n#### and one more")
    found = read(history.write(tmp_path))
    assert texts(found) == ["why is it slow?", "why is it slow?", "/home/dana/x.py is wrong"]
    assert {turn.form for turn in found.turns} == {"typed"}
    assert found.by_tag == 5


def _talk() -> History:
    """Prompts of every kind between answers with headings of the same level."""
    history = History().run().mine("/add cart.py").tool("Added cart.py to the chat")
    history.mine("add a label\n\n  and a price").model(
        "Sure.\n\n#### The label\n\nIt goes first.\n\n#### Always use it"
    )
    history.tool("Tokens: 2.1k sent, 80 received.", "Applied edit to cart.py", "", "Commit a1b2c3d feat: Add label")
    history.mine("no, in `pay.py`").model("#### Plan\n\n1. Move it.\n\n> Never quote.\n\n#### Never do that\n\nDone.")
    history.mine("/ask why?").mine("why?").model("Because:\n\n```\nx = 1\n\n\n#### no prompt\n\n```\n\nThat is all.")
    history.mine("/undo").mine("use tabs").tool("", "", "^C again to exit").mine("use tabs").model("Done.")
    return history.mine("!ls").mine("\nthanks").tool("", "", "^C KeyboardInterrupt")


def test_trimmed_prompts_are_read_and_headings_of_the_model_are_not(tmp_path: Path) -> None:
    whole = read(_talk().run("2026-03-02 10:00:00").mine("hi").write(tmp_path / "a"))
    found = read(_talk().run("2026-03-02 10:00:00").mine("hi").trimmed().write(tmp_path / "b"))
    said = ["add a label\n\n  and a price", "no, in `pay.py`", "why?", "use tabs", "use tabs", "thanks", "hi"]
    assert texts(found) == texts(whole) == said
    assert [(turn.key, turn.line, turn.act) for turn in found.turns] == [
        (turn.key, turn.line, turn.act) for turn in whole.turns
    ]
    assert (found.by_tag, [turn.after_interrupt for turn in found.turns]) == (
        whole.by_tag,
        [turn.after_interrupt for turn in whole.turns],
    )


def test_a_history_that_was_trimmed_once_goes_on_with_blanks(tmp_path: Path) -> None:
    history = _talk().trimmed()
    history.mine("and now?").model("#### Heading\n\nText.\n\n\n#### Two empty lines before\n\nText.").mine("stop")
    assert texts(read(history.write(tmp_path))) == [*texts(read(_talk().write(tmp_path / "a"))), "and now?", "stop"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#### use tabs\n\nDone.\n\n#### A heading\n\nText.\n", ["use tabs"]),
        ("lost top of an answer\n\n#### A heading\n\nText.\n\n\n#### use tabs  \n", ["use tabs"]),
        ("#### fix it\n\n#### The fix\n\nText.\n", ["fix it"]),
        ("#### fix it\n> Add cart.py? (Y)es/(N)o [Yes]: y\n\n#### The fix\n\nText.\n", ["fix it"]),
        ("#### fix it\n\nSure.\n\n\n#### heading of a\ntext\n", ["fix it"]),
    ],
)
def test_what_may_be_a_heading_of_the_model_is_left_to_it(tmp_path: Path, text: str, expected: list[str]) -> None:
    (tmp_path / NAME).write_text(text, encoding="utf-8", newline="")
    assert texts(read(tmp_path / NAME)) == expected


def test_undo_marks_the_next_turn(tmp_path: Path) -> None:
    history = History().run().mine("use tabs").mine("/undo").tool("Removed: a1b2c3d").mine("use tabs").mine("thanks")
    found = read(history.write(tmp_path))
    assert [(turn.text, turn.after_interrupt) for turn in found.turns] == [
        ("use tabs", False),
        ("use tabs", True),
        ("thanks", False),
    ]
    assert len({turn.key for turn in found.turns}) == 3


def test_words_at_the_prompt_after_a_command_are_an_answer(tmp_path: Path) -> None:
    history = History().run().mine("/test pytest").tool("1 failed", "Add the output to the chat?")
    history.text += "(y/n/instructions) y  \n(y/n/instructions) fix the test, not the code  \n(y/n/instructions)   \n"
    found = read(history.write(tmp_path))
    assert [(turn.text, turn.form) for turn in found.turns] == [("fix the test, not the code", "answer")]


def test_a_prompt_on_the_command_line_is_a_script(tmp_path: Path) -> None:
    history = (
        History()
        .run(command="--model x --msg translate it all --no-git")
        .mine("translate it all")
        .mine("and the notes")
    )
    path = history.write(tmp_path / "shop")
    found = read(path)
    assert texts(found) == ["and the notes"]
    assert found.set_aside == {"headless": 1}
    assert found.sessions[0].entrypoint == "aider-message"
    assert texts(read(path, aider_message=str(tmp_path))) == ["translate it all", "and the notes"]


@pytest.mark.parametrize(
    ("command", "first", "expected"),
    [
        ("--message=hi", "hi", ["no"]),
        ("-m hi --no-git", "hi", ["no"]),
        ("--message-file todo.txt", "anything", ["no"]),
        ("--model gpt --no-auto-commits cart.py", "hi", ["hi", "no"]),
        ("", "hi", ["hi", "no"]),
    ],
)
def test_only_the_first_prompt_of_a_run_may_be_a_script(
    tmp_path: Path, command: str, first: str, expected: list[str]
) -> None:
    assert texts(read(History().run(command=command).mine(first).mine("no").write(tmp_path))) == expected


def test_a_copy_has_the_same_keys_and_a_history_that_grew_is_read_again(tmp_path: Path) -> None:
    history = History().run().mine("one").run("2026-03-02 10:00:00").mine("two")
    path = history.write(tmp_path / "a")
    found = read(path)
    copy = read(history.write(tmp_path / "b"))
    assert [turn.key for turn in copy.turns] == [turn.key for turn in found.turns]
    history.mine("three").write(tmp_path / "a")
    more = read(path, found.cursor)
    assert not more.resumed
    assert [turn.key for turn in more.turns][:2] == [turn.key for turn in found.turns]
    assert texts(more) == ["one", "two", "three"]


def test_a_history_without_its_top_and_with_damage(tmp_path: Path) -> None:
    data = (
        b"\xef\xbb\xbf> lost top  \n\n#### use t\xe4bs  \r\n\r\n"
        + History().run().mine("on").text.encode()
        + b"\n#### torn"
    )
    (tmp_path / NAME).write_bytes(data)
    found = read(tmp_path / NAME)
    assert texts(found) == ["use t\ufffdbs", "on"]
    assert found.turns[0].session.startswith("b2:")
    assert [damage.kind for damage in found.damage] == ["encoding"]


@pytest.mark.parametrize(
    ("name", "text", "known"),
    [
        (NAME, "> long first run\n", True),
        ("old-chat.md", "\n# aider chat started at 2024-01-01 10:00:00\n", True),
        ("notes.md", "how to: # aider chat started at noon\n", False),
    ],
)
def test_recognised_by_name_or_run(tmp_path: Path, name: str, text: str, known: bool) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert [source.reader for source in find([tmp_path])] == (["aider"] if known else [])
