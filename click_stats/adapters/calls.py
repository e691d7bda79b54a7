"""Runs many calls at once for a caller that takes one answer after the other.

The calls live in an event loop in a thread of its own, so that connections are served while the caller writes an answer
away. Requests are drawn in the caller's thread, and only as many as are under way: a slow caller slows the calls down,
and nothing piles up in memory.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from concurrent.futures import CancelledError, wait
from typing import TYPE_CHECKING, Any, TypeVar

from click_stats.errors import ClickStatsError, DataError

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable, Iterator
    from concurrent.futures import Future

    from click_stats.adapters.base import Request, Response

    Call = Callable[[Request], Coroutine[Any, Any, Response | ClickStatsError]]

T = TypeVar("T")


class Calls:
    """An event loop in a thread.

    Parameters
    ----------
    concurrency
        Calls under way at the same time, over all streams.
    give_up_after
        A stream stops when so many responses in a row have failed.
    """

    def __init__(self, concurrency: int, give_up_after: int) -> None:
        self._concurrency = concurrency
        self._give_up_after = give_up_after
        self._slots = asyncio.Semaphore(concurrency)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._serve, name="click-stats calls", daemon=True)
        self._thread.start()

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run one coroutine in the loop and return what it returns."""
        future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        try:
            return future.result()
        finally:
            future.cancel()

    def stream(self, requests: Iterable[Request], call: Call, stop: Callable[[], object]) -> Iterator[Response]:
        """Yield the response to each request as it arrives.

        The first goes alone: one request tells whether key, address, model and settings are accepted. After an error
        that ends the run no further request is begun, and what is under way, and will be billed, is yielded before the
        error is raised.

        Parameters
        ----------
        requests
            Drawn as calls end.
        call
            Answers one request; an error it returns ends the stream.
        stop
            Called in the loop when the stream is to end early: ends the calls that wait.
        """
        source = iter(requests)
        under_way: set[Future[Response | ClickStatsError]] = set()
        done: queue.SimpleQueue[Future[Response | ClickStatsError]] = queue.SimpleQueue()
        window, failures, drawn_out = 1, 0, False
        problem: Exception | None = None
        try:
            while True:
                while problem is None and not drawn_out and len(under_way) < window:
                    try:
                        request = next(source, None)
                    except Exception as error:  # noqa: BLE001 -- raised below, once what is under way has been handed over
                        problem = error
                        break
                    if request is None:
                        drawn_out = True
                        break
                    future = asyncio.run_coroutine_threadsafe(self._in_turn(call, request), self._loop)
                    under_way.add(future)
                    future.add_done_callback(done.put)
                if not under_way:
                    break
                future = done.get()
                under_way.discard(future)
                window = (
                    2 * self._concurrency
                )  # as many again wait their turn, so that a busy caller leaves no slot idle
                answer = _result(future)
                if isinstance(answer, ClickStatsError):
                    if problem is None:
                        problem = answer
                        self._loop.call_soon_threadsafe(stop)
                    continue
                if answer is None:
                    continue
                failures = failures + 1 if answer.error == "failed" else 0
                if failures >= self._give_up_after and problem is None:
                    problem = _given_up(failures, answer.note)
                    self._loop.call_soon_threadsafe(stop)
                yield answer
        finally:
            for future in under_way:
                future.cancel()
            wait(under_way, timeout=5)
        if problem is not None:
            raise problem

    def close(self) -> None:
        """End the loop and what still runs in it."""
        if self._loop.is_closed():
            return
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(timeout=10)

    async def _in_turn(self, call: Call, request: Request) -> Response | ClickStatsError:
        async with self._slots:
            return await call(request)

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            tasks = asyncio.all_tasks(self._loop)
            for task in tasks:
                task.cancel()
            self._loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
            self._loop.run_until_complete(self._loop.shutdown_default_executor())
            self._loop.close()


def _result(future: Future[Response | ClickStatsError]) -> Response | ClickStatsError | None:
    """Return what a call returned; None when it was cancelled."""
    try:
        return future.result()
    except (CancelledError, asyncio.CancelledError):
        return None


def _given_up(failures: int, note: str) -> ClickStatsError:
    return DataError(
        f"{failures} requests in a row have failed.",
        found=note,
        do="The same command goes on where this one stopped, and asks the failed ones again.",
    )
