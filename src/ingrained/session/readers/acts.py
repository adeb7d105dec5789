"""The agent's last act in few words: which tool, with what, and the last sentence that it said."""

from __future__ import annotations

import json
import re

from ingrained.session.jsonl import Row, objects, scrub, string

RAW_LIMIT = 4000
"""Characters of a raw act that are looked at; secrets are replaced before it is cut to its final length."""

_KEYS = (
    "command",
    "cmd",
    "file_path",
    "path",
    "notebook_path",
    "pattern",
    "query",
    "url",
    "skill",
    "description",
    "prompt",
)
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", re.MULTILINE)
_SENTENCE = re.compile(r"(?<=[.!?…。！？])[\"'”’)\]*_`]*\s+")


def call_input(tool: str, arguments: object) -> str:
    """What a tool was called with: the command, the path, the question, else the arguments as JSON."""
    if isinstance(arguments, str):
        return _text_input(arguments)
    if not isinstance(arguments, dict):
        return ""
    if tool == "AskUserQuestion":
        return " ".join(string(question, "question") for question in objects(arguments.get("questions")))[:RAW_LIMIT]
    if tool == "ExitPlanMode":
        return string(arguments, "plan")[:RAW_LIMIT]
    for key in _KEYS:
        value = arguments.get(key)
        if isinstance(value, str) and value:
            return scrub(value[:RAW_LIMIT])
        if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
            return scrub(_command_line(value)[:RAW_LIMIT])
    return scrub(json.dumps(arguments, ensure_ascii=False)[:RAW_LIMIT]) if arguments else ""


def _text_input(arguments: str) -> str:
    """Arguments that came as text: a patch names its files, JSON is read, the rest stays."""
    files = _PATCHED.findall(arguments)
    if files:
        return scrub(", ".join(files)[:RAW_LIMIT])
    if arguments.startswith("{"):
        try:
            parsed: Row = json.loads(arguments)
        except (ValueError, RecursionError):
            return scrub(arguments[:RAW_LIMIT])
        return call_input("", parsed)
    return scrub(arguments[:RAW_LIMIT])


def _command_line(words: list[str]) -> str:
    """A command given as a list; of `bash -lc SCRIPT` the script."""
    if len(words) == 3 and words[1] in {"-c", "-lc"}:
        return words[2]
    return " ".join(words)


def last_sentence(text: str) -> str:
    """The last sentence of the last line that says something (fences and rulers do not)."""
    for line in reversed(text[-RAW_LIMIT:].splitlines()):
        bare = line.strip()
        if bare and any(letter.isalnum() for letter in bare) and not bare.startswith("```"):
            return scrub(_SENTENCE.split(bare)[-1].strip())
    return ""
