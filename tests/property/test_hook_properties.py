"""Whatever settings a person has: our hook changes nothing of theirs, and taken out leaves the same bytes."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingrained.errors import RefusedError
from ingrained.install import settings_json, settings_toml

OURS = "python -I -S ours"
texts = st.text(st.sampled_from('ab é"\\{}[],:/\n\t\u2028😀'), max_size=8)
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3), max_leaves=8
)
entries = st.fixed_dictionaries({"type": st.just("command"), "command": texts}) | values
groups = st.lists(
    st.fixed_dictionaries({"hooks": st.lists(entries, max_size=2)}, optional={"matcher": texts}) | values, max_size=3
)
hooks = st.dictionaries(st.sampled_from(["Stop", "SessionStart"]) | texts, groups, max_size=3)
documents = st.dictionaries(texts.filter(lambda key: key != "hooks"), values, max_size=3).flatmap(
    lambda rest: st.sampled_from([0, 1]).flatmap(
        lambda with_hooks: hooks.map(lambda found: {**rest, **({"hooks": found} if with_hooks else {})})
    )
)
layouts = st.sampled_from([None, 0, 1, 2, 4, "\t"])
separators = st.sampled_from([(",", ":"), (", ", ": "), (" , ", " : ")])
around = st.sampled_from(["", "\n", " ", "\r\n\r\n"])


def is_ours(text: str) -> bool:
    return text.startswith("python -I -S")


def merged(before: dict[str, Any], command: str) -> dict[str, Any]:
    entry = {"hooks": [{"type": "command", "command": command, "timeout": 5}]}
    found = dict(before.get("hooks", {}))
    found["Stop"] = [*found.get("Stop", []), entry]
    return {**before, "hooks": found}


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """A settings file as some program or person writes it."""
    text = json.dumps(
        draw(documents), indent=draw(layouts), separators=draw(separators), ensure_ascii=draw(st.booleans())
    )
    if draw(st.booleans()):
        text = text.replace("\n", "\r\n")
    mark = "\ufeff" if draw(st.booleans()) else ""
    return (mark + draw(around) + text + draw(around)).encode()


@settings(max_examples=100, deadline=None)
@given(data=files())
def test_put_in_and_taken_out_is_nothing(data: bytes) -> None:
    after = settings_json.put_in(data, "Stop", OURS, is_ours, where="s")
    before = json.loads(data.decode("utf-8-sig"))
    found = json.loads(after.decode("utf-8-sig"))
    assert found == merged(before, OURS)
    assert list(found) == list(merged(before, OURS))
    assert settings_json.holds(after, is_ours)
    assert settings_json.put_in(after, "Stop", OURS, is_ours, where="s") == after
    assert settings_json.taken_out(after, data, is_ours, where="s") == data


@settings(max_examples=50, deadline=None)
@given(data=files(), layout=layouts)
def test_taken_out_of_rewritten_settings_leaves_what_was_meant(data: bytes, layout: int | str | None) -> None:
    """Another program parses the settings and writes them anew, with something of its own."""
    after = json.loads(settings_json.put_in(data, "Stop", OURS, is_ours, where="s").decode("utf-8-sig"))
    after["theirs"] = {"x": ["}", '"']}
    after["hooks"]["Stop"].append({"hooks": [{"type": "command", "command": "theirs"}]})
    rewritten = json.dumps(after, indent=layout).encode()
    left = settings_json.taken_out(rewritten, data, is_ours, where="s")
    before = json.loads(data.decode("utf-8-sig"))
    want = {**before, "theirs": after["theirs"]}
    want["hooks"] = {**before.get("hooks", {})}
    want["hooks"]["Stop"] = [*want["hooks"].get("Stop", []), after["hooks"]["Stop"][-1]]
    assert left is not None
    assert json.loads(left) == want


keys = st.sampled_from(["model", "approval", "a-b"])
toml_lines = st.sampled_from(
    ["", "# notify = 1", "[tui]", "[[x]]", 'notify = "t"', 's = """', '"""', "notify = [", '"a", ]', "[a.b] # c", "x = 1", "y = '''"]
) | st.builds(lambda key, value: f"{key} = {json.dumps(value, ensure_ascii=False)}", keys, texts.map(lambda t: t.replace("\u2028", "")))  # fmt: skip


@settings(max_examples=133, deadline=None)
@given(lines=st.lists(toml_lines, max_size=6), end=st.sampled_from(["\n", "\r\n"]), last=st.booleans())
def test_a_line_in_toml_and_out_again_is_nothing(lines: list[str], end: str, last: bool) -> None:
    data = (end.join(lines) + (end if last else "")).encode()
    program = ["python", "-I", "-S", "/x/ingrained/store/enqueue.py", "codex", 'C:\\h "q"']
    try:
        before = tomllib.loads(data.decode())
    except ValueError:
        with pytest.raises(RefusedError):
            settings_toml.put_in(data, program, "enqueue.py", where="c")
        return
    if "notify" in before:
        with pytest.raises(RefusedError):
            settings_toml.put_in(data, program, "enqueue.py", where="c")
        return
    after = settings_toml.put_in(data, program, "enqueue.py", where="c")
    assert tomllib.loads(after.decode()) == {**before, "notify": program}
    assert settings_toml.put_in(after, program, "enqueue.py", where="c") == after
    assert settings_toml.taken_out(after, data, "enqueue.py", where="c") == data
