"""Histories from logs: whose, each session once, in any order."""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from ingrained.bench.history import read_histories
from ingrained.learn.reading import ME, Roots
from ingrained.session.sources import find
from session_logs import Claude

IDS = [f"{n}1111111-2222-4333-8444-555555555555" for n in range(1, 6)]
SAID = ("use pnpm, never npm", "put a changelog line into the same commit", "the header is too big")


def prompts(session: str, day: int, *texts: str) -> str:
    row = {
        "session_id": f"2026-03-{day:02}-{session}",
        "dev": "dev_01",
        "created_at": f"2026-03-{day:02}T10:00:00Z",
        "agent": "Claude Code",
        "checkpoints": 1,
        "prompts": list(texts),
    }
    return json.dumps(row)


def put(path: Path, *lines: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return path


def claude(path: Path, session: str, *texts: str) -> Path:
    log = Claude(session)
    for text in texts:
        log.agent("Done.")
        log.user(text)
    return put(path, *(json.dumps(row) for row in log.rows))


def archive(root: Path):
    return read_histories(Roots(places=((ME, root),)))


def test_a_session_in_two_sets_counts_once_and_with_its_acts(tmp_path: Path) -> None:
    put(tmp_path / "entire-cli-sessions" / "dev_02.jsonl", prompts(IDS[0], 1, SAID[0], SAID[1], "one more that was cut"),
        prompts(IDS[1], 2, SAID[2]))  # fmt: skip
    claude(tmp_path / "sessions" / "entireio-cli" / "dev-1" / f"{IDS[0]}.jsonl", IDS[0], SAID[0], SAID[1])
    found = archive(tmp_path)
    (one,) = found.histories
    assert one.person == "entireio-cli/dev-1"
    texts = [[message.text for message in sitting.heard] for sitting in one.sittings]
    assert sorted(texts) == sorted([[SAID[0], SAID[1]], [SAID[2]]])
    acts = {message.text: message.act.said for sitting in one.sittings for message in sitting.heard}
    assert acts == {SAID[0]: "Done.", SAID[1]: "Done.", SAID[2]: ""}


def test_sessions_of_nobody_are_counted_and_left(tmp_path: Path) -> None:
    claude(tmp_path / "team" / "ana" / "a.jsonl", IDS[0], SAID[0])
    claude(tmp_path / "team" / "ben" / "b.jsonl", IDS[0], SAID[0])
    claude(tmp_path / "team" / "ben" / "c.jsonl", IDS[1], SAID[1])
    found = archive(tmp_path)
    assert [(one.person, len(one.sittings)) for one in found.histories] == [("team/ben", 1)]
    assert found.nobodys == 1


def test_a_named_person_is_who_was_named(tmp_path: Path) -> None:
    claude(tmp_path / "team" / "x" / "a.jsonl", IDS[0], SAID[0])
    found = read_histories(Roots(places=(("ana", tmp_path),)))  # type: ignore[arg-type]
    assert [one.person for one in found.histories] == ["ana"]


@settings(deadline=None, max_examples=12)
@given(order=st.permutations(range(4)))
def test_the_order_of_sessions_in_a_file_does_not_matter(tmp_path_factory, order: list[int]) -> None:
    lines = [prompts(IDS[n], 1 + n, *SAID[: 1 + n % 3]) for n in range(4)]
    root = tmp_path_factory.mktemp("logs")
    straight = put(root / "a" / "set" / "dev_01.jsonl", *lines)
    shuffled = put(root / "b" / "set" / "dev_01.jsonl", *(lines[n] for n in order))
    assert find([straight])[0].reader == "entire-prompts"
    first, second = (
        [
            (one.person, [(s.id, s.start, [(m.key, m.text, m.time) for m in s.heard]) for s in one.sittings])
            for one in archive(path.parent).histories
        ]
        for path in (straight, shuffled)
    )
    assert first == second
    assert [start.day for _, start, _ in first[0][1]] == [1, 2, 3, 4]
