"""The page on the gate: its examples print what they say, and its pictures are those that the script draws."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "how-the-gate-decides.md"


def test_the_examples_print_what_the_page_says() -> None:
    found = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(found) == 2
    for code, printed in found:
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, encoding="utf-8", check=True
        )
        assert done.stdout == printed


def test_the_pictures_are_current_and_shown() -> None:
    done = subprocess.run([sys.executable, str(ROOT / "scripts" / "draw_gate.py"), "--check"], check=False)
    assert done.returncode == 0
    shown = set(re.findall(r"\(images/([\w-]+\.svg)\)", PAGE.read_text(encoding="utf-8")))
    assert shown == {path.name for path in (ROOT / "docs" / "images").glob("*.svg")}
