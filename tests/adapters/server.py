"""A loopback HTTP server that plays the APIs, injects faults, and counts on its own side what it was asked.

``python tests/adapters/server.py DELAY`` serves until its stdin closes, for the benchmark.
"""

import asyncio
import json
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field

MODEL = "tiny-1"


@dataclass(frozen=True)
class Fault:
    """One thing that goes wrong in place of an answer.

    ``status`` with ``body`` and ``headers``; or ``kind``: ``drop`` (the connection breaks in the middle of the body),
    ``close`` (before any byte), ``hang`` (silence for ``seconds``), ``drip`` (a complete answer, a byte at a time, with
    ``seconds`` between them).
    """

    kind: str = "status"
    status: int = 200
    body: str = "{}"
    headers: tuple[tuple[str, str], ...] = ()
    content_type: str = "application/json"
    seconds: float = 0.0


def status(code, *, message="", code_text=None, kind=None, **headers):
    error = {"message": message or f"status {code}", "code": code_text, "type": kind}
    body = json.dumps({"error": error})
    return Fault(status=code, body=body, headers=tuple((k.replace("_", "-"), str(v)) for k, v in headers.items()))


@dataclass
class Seen:
    """One request as it arrived."""

    path: str
    headers: dict[str, str]
    body: dict
    arrived: float
    prompt: str
    status: int = 0


@dataclass
class Server:
    """Serves in a thread of its own between ``with``."""

    answer: object = "A"
    """A text, or a function of the body that returns a text or the whole JSON."""
    fault: object = None
    """A function of a :class:`Seen` and its number among the requests with this prompt (from 1): a Fault or None."""
    delay: float = 0.0
    models: tuple[str, ...] = (MODEL,)
    keep: bool = True
    seen: list[Seen] = field(default_factory=list)
    completed: Counter = field(default_factory=Counter)
    """Complete answers with status 200, by prompt: what would be billed."""
    in_flight: int = 0
    most_in_flight: int = 0
    lists: int = 0

    def __enter__(self):
        self._loop = asyncio.new_event_loop()
        self._asked = Counter()
        ready = threading.Event()
        self._thread = threading.Thread(target=self._serve, args=(ready,), daemon=True)
        self._thread.start()
        assert ready.wait(10)
        return self

    def __exit__(self, *_):
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}"

    def asked(self, prompt):
        """How often a prompt has arrived."""
        return sum(1 for seen in self.seen if seen.prompt == prompt)

    def _serve(self, ready):
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._main(ready))
        self._loop.close()

    async def _main(self, ready):
        self._stop = asyncio.Event()
        self._open = set()
        server = await asyncio.start_server(self._connection, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        ready.set()
        await self._stop.wait()
        server.close()
        for task in self._open:
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    async def _connection(self, reader, writer):
        task = asyncio.current_task()
        self._open.add(task)
        try:
            while await self._request(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._open.discard(task)
            writer.close()

    async def _request(self, reader, writer):
        head = await reader.readuntil(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        method, path, _ = first.split(" ")
        headers = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in lines if line)}
        raw = await reader.readexactly(int(headers.get("content-length", 0)))
        if method == "GET":
            self.lists += 1
            data = {"object": "list", "data": [{"id": name, "object": "model"} for name in self.models]}
            return await self._write(writer, 200, json.dumps(data))
        body = json.loads(raw)
        seen = Seen(path, headers, body, time.monotonic(), prompt_of(body))
        if self.keep:
            self.seen.append(seen)
        self._asked[seen.prompt] += 1
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            if self.delay:
                await asyncio.sleep(self.delay)
            fault = self.fault(seen, self._asked[seen.prompt]) if self.fault else None
            return await self._reply(writer, seen, fault)
        finally:
            self.in_flight -= 1
            if not self.keep:
                del self._asked[seen.prompt]

    async def _reply(self, writer, seen, fault):
        if fault is not None and fault.kind == "hang":
            await asyncio.sleep(fault.seconds)
            return False
        if fault is not None and fault.kind == "close":
            return False
        if fault is not None and fault.kind == "status":
            seen.status = fault.status
            if fault.status == 200:
                self.completed[seen.prompt] += 1
            return await self._write(writer, fault.status, fault.body, fault.headers, fault.content_type)
        made = self.answer(seen.body) if callable(self.answer) else self.answer
        text = json.dumps(made if isinstance(made, dict) else completion(seen.path, seen.body, made))
        if fault is not None and fault.kind == "drop":
            data = text.encode()
            writer.write(
                f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(data)}\r\n\r\n".encode()
            )
            writer.write(data[: len(data) // 2])
            await writer.drain()
            return False
        if fault is not None and fault.kind == "drip":
            data = text.encode()
            writer.write(
                f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(data)}\r\n\r\n".encode()
            )
            for byte in data:
                writer.write(bytes([byte]))
                await writer.drain()
                await asyncio.sleep(fault.seconds)
            self.completed[seen.prompt] += 1
            return True
        seen.status = 200
        if self.keep:
            self.completed[seen.prompt] += 1
        return await self._write(writer, 200, text)

    async def _write(self, writer, code, text, headers=(), content_type="application/json"):
        data = text.encode()
        lines = [f"HTTP/1.1 {code} X", f"content-type: {content_type}", f"content-length: {len(data)}"]
        lines += [f"{name}: {value}" for name, value in headers]
        writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + data)
        await writer.drain()
        return True


def prompt_of(body):
    """The prompt of a request of any of the APIs, as text."""
    if "messages" in body:
        return body["messages"][-1]["content"]
    prompt = body["prompt"]
    return prompt if isinstance(prompt, str) else prompt[0]


def completion(path, body, text, *, finish=None):
    """The JSON of a whole answer, in the form of the API whose path was called."""
    n_in, n_out = len(prompt_of(body)), len(text or "")
    if path.endswith("/messages"):
        return {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "tiny-1-20260101",
            "content": [{"type": "text", "text": text}] if text else [],
            "stop_reason": finish or "end_turn",
            "usage": {"input_tokens": n_in, "output_tokens": n_out},
        }
    usage = {"prompt_tokens": n_in, "completion_tokens": n_out, "total_tokens": n_in + n_out}
    if path.endswith("/chat/completions"):
        message = {"role": "assistant", "content": text}
        choices = [{"index": 0, "message": message, "finish_reason": finish or "stop"}]
    else:
        choices = [{"index": 0, "text": text, "finish_reason": finish or "stop"}]
    return {"id": "c1", "model": "tiny-1-2026-01-01", "choices": choices, "usage": usage}


def logprob(byte, position):
    """The log-probability that the scoring server gives a byte at a place."""
    return -((byte * 31 + position * 7) % 97 + 1) / 10


def scored(body):
    """The answer of a server that echoes log-probabilities; its tokens are bytes, so that Hangul are three each."""
    choices, total = [], 0
    for index, text in enumerate(body["prompt"]):
        data = text.encode()
        tokens = ["<s>", *(bytes([byte]).decode(errors="replace") for byte in data), "!"]
        values = [None, *(logprob(byte, i) for i, byte in enumerate(data)), -0.5]
        logprobs = {"tokens": tokens, "token_logprobs": values, "text_offset": [0] * len(tokens)}
        choices.append({"index": index, "text": text + "!", "logprobs": logprobs, "finish_reason": "length"})
        total += len(tokens) - 1
    usage = {"prompt_tokens": total, "completion_tokens": len(choices)}
    return {"id": "c1", "model": "tiny-1", "choices": choices[::-1], "usage": usage}


if __name__ == "__main__":
    with Server(delay=float(sys.argv[1]), keep=False) as running:
        print(running.address, flush=True)  # noqa: T201 -- the benchmark reads it
        sys.stdin.read()
        print(running.most_in_flight, flush=True)  # noqa: T201
