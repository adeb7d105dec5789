"""Who changed a line of an installed copy: the person at this machine, or a colleague whose commit arrived.

The one decision: a change that the last commit of the branch already holds was made by that line's author; what no
commit holds was made here. Nobody's identity is guessed: an author counts as the person where git's own settings give
the same mail address or the same name.
"""

from __future__ import annotations

from pathlib import Path

from ingrained.session.readers.checkpoints import git
from ingrained.skill.align import Outcome
from ingrained.skill.lines import line_key


class Authors:
    """Asks git about one file; what a line's question needs is asked once."""

    def __init__(self, path: Path) -> None:
        """`path` is the file itself, after links."""
        self._folder = path.parent
        self._name = path.name
        self._committed: frozenset[str] | None = None
        self._me: frozenset[str] | None = None

    def commit_of(self, outcome: Outcome) -> str:
        """The commit of somebody else that reworded or took out a line; "" where it was done here, or by the person.

        Args:
            outcome: a line that was `reworded` or is `gone`.
        """
        committed = self._head()
        if not committed or (line_key(outcome.line) in committed) == (outcome.kind == "gone"):
            return ""
        found = self._log("-S" + outcome.line) or self._log()
        commit, _, author = found.partition("\0")
        mail, _, name = author.partition("\0")
        return "" if not commit or {mail.casefold(), name.casefold()} & self._own() else commit[:10]

    def _head(self) -> frozenset[str]:
        """The lines of the file in the last commit, by key; none where no commit holds it."""
        if self._committed is None:
            data = git(self._folder, ["show", f"HEAD:./{self._name}"]) if self._folder.is_dir() else None
            lines = (data or b"").decode("utf-8", "replace").split("\n")
            self._committed = frozenset(key for line in lines if (key := line_key(line)))
        return self._committed

    def _log(self, *options: str) -> str:
        """Hash, mail and name of the last commit that is meant, between NULs; "" where there is none."""
        words = ["log", "-1", "--no-show-signature", "--format=%H%x00%aE%x00%aN", *options, "--", self._name]
        return (git(self._folder, words) or b"").decode("utf-8", "replace").strip("\n")

    def _own(self) -> frozenset[str]:
        """The person's mail address and name, as git would write them into a commit here."""
        if self._me is None:
            asked = (git(self._folder, ["config", "--get", key]) for key in ("user.email", "user.name"))
            told = ((answer or b"").decode("utf-8", "replace").strip().casefold() for answer in asked)
            self._me = frozenset(one for one in told if one)
        return self._me
