"""Nobody counts twice or is somebody else to himself."""

import pytest

from ingrained.bench.people import SESSIONS, Told, canonical, label_of, repository_of, whose

CHECKPOINT = "/data/entire-cli-sessions/native/00/c9e2351016/3/full.jsonl"


@pytest.mark.parametrize(
    ("path", "reader", "label"),
    [
        ("/data/sessions/cipher-box/dev-1/a.jsonl", "claude-code", "cipher-box/dev-1"),
        ("/data/entire-cli-sessions/dev_01.jsonl", "entire-prompts", "entire-cli-sessions/dev_01"),
        (CHECKPOINT, "entire", ""),
    ],
)
def test_a_log_is_labelled_by_where_it_lies(path: str, reader: str, label: str) -> None:
    assert label_of(path, reader) == label


def test_the_same_person_has_one_name_in_all_sets() -> None:
    same = {f"entire-cli-sessions/dev_0{a}": f"entireio-cli/dev-{b}" for a, b in ((1, 2), (2, 1), (4, 4), (5, 3))}
    assert {label: canonical(label) for label in same} == same
    assert {name: canonical(name) for name in same.values()} == {name: name for name in same.values()}
    assert canonical("entire-cli-sessions/dev_03") == "entire-cli-sessions/dev_03"
    assert canonical("entireio-cli/gemini-cli-samples") == ""


def test_the_session_under_somebody_elses_label_goes_to_whose_it_is() -> None:
    ((session, person),) = SESSIONS.items()
    wrong, right = Told("entire-cli-sessions/dev_03", session), Told("entireio-cli/dev-1", session)
    assert whose([wrong, right]) == {wrong: person, right: person}
    assert whose([wrong]) == {wrong: "entireio-cli/dev-1"}


def test_a_session_under_two_people_is_nobodys_and_an_unlabelled_one_is_theirs_who_have_it() -> None:
    one, other = Told("team/ana", "s1"), Told("team/ben", "s1")
    unlabelled, lost = Told("", "s2"), Told("", "s3")
    owner, sample = Told("team/ana", "s2"), Told("entireio-cli/gemini-cli-samples", "s2")
    found = whose([one, other, unlabelled, lost, owner, sample])
    assert found[one] == found[other] == found[lost] == ""
    assert found[unlabelled] == found[sample] == found[owner] == "team/ana"


def test_two_labels_of_one_person_do_not_make_a_session_doubtful() -> None:
    one, other = Told("entire-cli-sessions/dev_02", "s1"), Told("entireio-cli/dev-1", "s1")
    assert set(whose([one, other]).values()) == {"entireio-cli/dev-1"}


def test_all_sets_of_one_repository_are_left_out_together() -> None:
    people = ("entireio-cli/dev-1", "entire-cli-sessions/dev_03", "cipher-box/dev-1")
    assert [repository_of(person) for person in people] == ["entireio-cli", "entireio-cli", "cipher-box"]
