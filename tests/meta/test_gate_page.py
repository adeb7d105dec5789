"""The page on the gate: its example prints what it says, and its pictures are those that the script draws."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "how-the-gate-decides.md"


def test_the_example_prints_what_the_page_says() -> None:
    found = re.search(r"```python\n(.*?)```\n\n```text\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert found
    done = subprocess.run(
        [sys.executable, "-c", found[1]], capture_output=True, text=True, encoding="utf-8", check=True
    )
    assert done.stdout == found[2]


def test_the_pictures_are_current_and_shown() -> None:
    done = subprocess.run([sys.executable, str(ROOT / "scripts" / "draw_gate.py"), "--check"], check=False)
    assert done.returncode == 0
    shown = set(re.findall(r"\(images/([\w-]+\.svg)\)", PAGE.read_text(encoding="utf-8")))
    assert shown == {path.name for path in (ROOT / "docs" / "images").glob("*.svg")}
