"""A server on the loopback address that speaks the chat protocol, or breaks it in every way that servers do."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    status: int = 200
    body: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    stall_s: float = 0.0
    cut_at: int | None = None
    """Close the connection after so many bytes of the body."""
    drip_s: float = 0.0
    """Send the body byte by byte, with this wait before each."""


def said(text: str, *, finish: str = "stop", read: int = 11, wrote: int = 7, **message: object) -> Reply:
    """A good answer."""
    return Reply(
        body=json.dumps(
            {
                "id": "chat-1",
                "object": "chat.completion",
                "created": 1,
                "model": "served",
                "choices": [
                    {
                        "index": 0,
                        "finish_reason": finish,
                        "message": {"role": "assistant", "content": text, **message},
                    }
                ],
                "usage": {"prompt_tokens": read, "completion_tokens": wrote, "total_tokens": read + wrote},
            }
        )
    )


def refused(status: int, message: str, **error: object) -> Reply:
    """An error in the protocol's shape. It asks for no wait, or the client would wait by its own clock."""
    return Reply(
        status=status,
        body=json.dumps({"error": {"message": message, **error}}),
        headers={"retry-after-ms": "1"} if status >= 429 else {},
    )


@dataclass(slots=True)
class Served:
    url: str
    asked: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    at_once: int = 0
    most_at_once: int = 0


@contextmanager
def serving(reply: Callable[[dict[str, Any], int], Reply]) -> Generator[Served, None, None]:
    """A server whose answer to the k-th request (from 0) with this body is `reply(body, k)`."""
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            with lock:
                number = len(served.asked)
                served.asked.append(body)
                served.headers.append({name.lower(): value for name, value in self.headers.items()})
                served.at_once += 1
                served.most_at_once = max(served.most_at_once, served.at_once)
            try:
                answer = reply(body, number)
                time.sleep(answer.stall_s)
            finally:
                with lock:
                    served.at_once -= 1
            data = answer.body.encode("utf-8")
            try:
                self.send_response(answer.status)
                self.send_header("content-type", "application/json" if data[:1] in b"{[" else "text/html")
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                for piece in [data[: answer.cut_at]] if not answer.drip_s else [bytes([one]) for one in data]:
                    time.sleep(answer.drip_s)
                    self.wfile.write(piece)
                    self.wfile.flush()
            except (BrokenPipeError, ConnectionResetError):
                pass  # whoever asked has gone

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served = Served(url=f"http://127.0.0.1:{server.server_address[1]}/v1")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield served
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
