"""A run of its own process that asks a server for some answers: killed at a fault point, or two of them at once.

    python model_child.py HOME URL FIRST COUNT

The model is a script that asks the server itself: the client library takes seconds to import, and its own tests are
elsewhere.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from urllib.request import Request as Post
from urllib.request import urlopen

import anyio

from ingrained.model.base import Completion, Request
from ingrained.model.opened import opened
from ingrained.model.wire import Dialect, completion
from model_world import request


def answer(asked: Request) -> Completion:
    body = json.dumps(Dialect().body("small", asked)).encode()
    with urlopen(Post(f"{sys.argv[2]}/chat/completions", body, {"content-type": "application/json"})) as reply:
        return completion(reply.read().decode(), asked, whom="small")


async def main(home: Path, first: int, count: int) -> None:
    async with opened("scripted:model_child:answer", home=home) as found:
        for number in range(first, first + count):
            answer = await found.model.complete(request(f"Question {number}"))
            print(answer.text, flush=True)
        print(found.receipt.line(), file=sys.stderr)


if __name__ == "__main__":
    anyio.run(main, Path(sys.argv[1]), int(sys.argv[3]), int(sys.argv[4]))
