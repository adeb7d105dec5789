"""How a document is taken apart: CommonMark says what is a heading or an item, and what only looks like one."""

from __future__ import annotations

import time

from ingrained.skill.living import opened
from ingrained.skill.outline import outline

DOCUMENT = """\
---
name: x
# no heading: 1
---
Before any heading.

# Title
Intro over
two lines
- a
* another list
  with a lazy
line

  its second paragraph
  1. nested

     deep
  2. - twice

> # quoted
> - no rule

```sh
# no heading
- no rule
```
<!--
- no rule

# no heading
-->
| - no | table |
| --- | --- |
| - no | rule |

    - code

Under
lined
-----
### Skipped a level ###
## Notes
## Notes
"""


def test_only_what_is_a_rule_is_one() -> None:
    found = outline(DOCUMENT)
    assert [(one.words, one.prefix) for one in found.passages] == [
        ("Before any heading.", ""),
        ("Intro over two lines", ""),
        ("a", "- "),
        ("another list with a lazy line", "* "),
        ("its second paragraph", "  "),
        ("nested", "  1. "),
        ("deep", "     "),
        ("twice", "  2. - "),
    ]
    assert [one.within for one in found.passages] == [None, None, None, None, 3, 3, 5, 3]
    assert found.head == 4


def test_sections_have_unlike_paths() -> None:
    assert [(one.path, one.level) for one in outline(DOCUMENT).sections] == [
        ((), 0),
        (("Title",), 1),
        (("Title", "Under lined"), 2),
        (("Title", "Under lined", "Skipped a level"), 3),
        (("Title", "Notes (1)"), 2),
        (("Title", "Notes (2)"), 2),
    ]
    paths = [one.path for one in outline("# N (1)\n# N\n# N\n# N (2)\n# N (2)\n").sections]
    assert paths == [(), ("N (1)",), ("N (3)",), ("N (4)",), ("N (2) (1)",), ("N (2) (2)",)]


def test_a_frontmatter_is_closed_or_none() -> None:
    assert outline("---\r\nname: x\r\n---\r\n- a\r\n").head == 3
    assert outline("\ufeff---\nname: x\n---").head == 3
    assert outline("---\nname: x\n").head == 0
    assert outline("\n---\nname: x\n---\n").head == 0


def test_a_carriage_return_alone_ends_no_line() -> None:
    (one,) = outline("- a\r- b\r\n").passages
    assert (one.words, one.first, one.last) == ("a - b", 0, 1)


def test_a_long_document_takes_no_long_time() -> None:
    start = time.process_time()
    outline("# a\n" * 5_000)
    opened("- a\n" * 5_000)
    outline("> " * 10_000 + "- " * 10_000)
    assert time.process_time() - start < 10
