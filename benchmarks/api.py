"""What the API adapter costs per request, and whether its memory stays flat: 10,000 requests at concurrency 64.

A loopback server in a process of its own answers every request after a fixed delay. The adapter is measured beside the
SDK alone (the same calls from 64 workers, no limits, no tries counted, answers thrown away) and the bare HTTP client
that the SDK uses, on the same server in the same run. CPU seconds are those of this process with all its threads, so
that they depend little on what else the machine does; ``ideal`` is requests x delay / concurrency. Prompts are as long
as CLIcK's without a passage.

Usage: python benchmarks/api.py [--write] [--requests 10000] [--delay 0.25]
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import openai
import pages

from click_stats.adapters.backend import Backend
from click_stats.adapters.base import Request
from click_stats.adapters.openai_api import make

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parents[1]
CONCURRENCY, BASELINE = 64, 2000
PROMPT = (
    "주어진 질문을 천천히 읽고, 적절한 정답을 A, B, C, D 중에 골라 알파벳 하나로 답하시오.\n질문: {}\n보기:\n{}\n정답:"
)
OPTIONS = ", ".join(f"{label}: {'가나다라마바사 아자차카' * 2}" for label in "ABCD")
HIGHEST = 1.5
"""CPU per request relative to the SDK alone that we hold ourselves to."""
FLAT = 8.0
"""MiB that memory may grow over the last nine tenths of the requests."""


@dataclass(frozen=True)
class Measured:
    """One way of asking."""

    name: str
    requests: int
    seconds: float
    cpu: float
    growth: float | None = None

    @property
    def cpu_each(self) -> float:
        """CPU milliseconds per request."""
        return 1000 * self.cpu / self.requests


def memory() -> float:
    """Resident memory of this process in MiB."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def groups(n: int) -> Iterator[tuple[Request, ...]]:
    """Four rotations of each item, made as they are asked for."""
    labels = ("A", "B", "C", "D")
    for item in range(n // 4):
        prompt = PROMPT.format(f"{item}번 물음은 무엇을 묻는가?" * 3, OPTIONS)
        yield tuple(Request(f"Law/{item}", "1", r, 0, 4, labels, f"{prompt}{r}", labels) for r in range(4))


def with_adapter(address: str, n: int) -> Measured:
    options = {"concurrency": CONCURRENCY}
    adapter = make(Backend(name="b", adapter="openai", model="tiny-1", address=address, options=options))
    begin, cpu, after_tenth, seen = time.perf_counter(), time.process_time(), 0.0, 0
    for response in adapter.answer(groups(n)):
        assert response.text == "A", response
        seen += 1
        if seen == n // 10:
            after_tenth = memory()
    growth = memory() - after_tenth
    adapter.close()
    assert seen == n
    return Measured("click-stats", n, time.perf_counter() - begin, time.process_time() - cpu, growth)


async def _workers(n: int, ask: Callable[[str], object]) -> None:
    prompts = (request.prompt for group in groups(n) for request in group)

    async def work() -> None:
        for prompt in prompts:
            await ask(prompt)  # type: ignore[misc]

    await asyncio.gather(*(work() for _ in range(CONCURRENCY)))


def with_sdk(address: str, n: int) -> Measured:
    async def go() -> None:
        async with openai.AsyncOpenAI(api_key="none", base_url=address) as client:

            async def ask(prompt: str) -> None:
                messages = [{"role": "user", "content": prompt}]
                made = await client.chat.completions.create(model="tiny-1", messages=messages, temperature=0)  # type: ignore[arg-type]
                assert made.choices[0].message.content == "A"

            await _workers(n, ask)

    begin, cpu = time.perf_counter(), time.process_time()
    asyncio.run(go())
    return Measured(
        f"SDK alone (openai {openai.__version__})", n, time.perf_counter() - begin, time.process_time() - cpu
    )


def with_client(address: str, n: int) -> Measured:
    async def go() -> None:
        async with openai.DefaultAsyncHttpxClient() as client:

            async def ask(prompt: str) -> None:
                body = {"model": "tiny-1", "messages": [{"role": "user", "content": prompt}], "temperature": 0}
                answer = await client.post(f"{address}/chat/completions", json=body)
                assert answer.json()["choices"][0]["message"]["content"] == "A"

            await _workers(n, ask)

    begin, cpu = time.perf_counter(), time.process_time()
    asyncio.run(go())
    return Measured("HTTP client alone", n, time.perf_counter() - begin, time.process_time() - cpu)


def page(rows: list[Measured], delay: float, most: int) -> str:
    ours, sdk = rows[0], rows[1]
    lines = [
        (
            f"{ours.requests:,} requests to a loopback server that answers after {delay:g} s, concurrency {CONCURRENCY} "
            f"(the server counted at most {most} at once); baselines with {BASELINE:,}. "
            f"Python {platform.python_version()}, {os.cpu_count()} cores shared with other work."
        ),
        "",
        "| | requests | seconds | ideal | CPU per request |",
        "|---|---:|---:|---:|---:|",
    ]
    for row in rows:
        ideal = row.requests * delay / CONCURRENCY
        lines.append(f"| {row.name} | {row.requests:,} | {row.seconds:.1f} | {ideal:.1f} | {row.cpu_each:.2f} ms |")
    lines += [
        "",
        (
            f"Over the SDK alone the adapter adds {ours.cpu_each - sdk.cpu_each:+.2f} ms of CPU per request "
            f"(ratio {ours.cpu_each / sdk.cpu_each:.2f}; held to at most {HIGHEST:g}). Memory grew by {ours.growth:.1f} MiB "
            f"from request {ours.requests // 10:,} to request {ours.requests:,} (held to {FLAT:g} MiB)."
        ),
        "",
        "Command: `python benchmarks/api.py --write`.",
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--write", action="store_true", help="put the table into docs/performance.md")
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--delay", type=float, default=0.25)
    given = parser.parse_args()
    os.environ.setdefault("OPENAI_API_KEY", "none-is-needed")
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        os.environ.pop(name, None)
        os.environ.pop(name.upper(), None)
    server = subprocess.Popen(
        [sys.executable, str(ROOT / "tests" / "adapters" / "server.py"), str(given.delay)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdin is not None
    assert server.stdout is not None
    address = f"{server.stdout.readline().strip()}/v1"
    n = min(BASELINE, given.requests)
    with_client(address, n // 10)  # what is imported and compiled at the first call is not counted
    rows = [with_adapter(address, given.requests), with_sdk(address, n), with_client(address, n)]
    most = int(server.communicate("")[0].strip())
    text = page(rows, given.delay, most)
    print(text)
    if given.write:
        pages.write("performance.md", "api", text)
    growth = rows[0].growth
    if rows[0].cpu_each > HIGHEST * rows[1].cpu_each or growth is None or growth > FLAT or most > CONCURRENCY:
        sys.exit("The API adapter costs more than it may.")


if __name__ == "__main__":
    main()
