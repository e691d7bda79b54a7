"""Requests under way: every try passes the gate, and those that only wait can be ended without a loss."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from click_stats.adapters import faults

if TYPE_CHECKING:
    from collections.abc import Iterator

    from click_stats.adapters.limits import Gate


@dataclass(eq=False)
class Flight:
    """One request under way, over all its tries.

    Attributes
    ----------
    tokens
        Estimate of what it uses.
    scope
        Ends it at its deadline.
    tries, sent_at
        Tries so far, and the loop's time of the last.
    waits
        Whether nothing of it is on the wire that would be billed: it waits for its turn or to be tried again.
    """

    tokens: float
    scope: asyncio.Timeout
    tries: int = 0
    sent_at: float = 0.0
    waits: bool = True
    task: asyncio.Task[Any] | None = field(default_factory=asyncio.current_task)


CURRENT: ContextVar[Flight | None] = ContextVar("flight", default=None)


class Flights:
    """All requests under way to one server; its hooks are called by the HTTP client before and after every try.

    The SDKs try again by themselves, so that limits must be kept here and not around their calls.
    """

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self._open: set[Flight] = set()
        self.halted = False
        self.heard = False
        """Whether the server has ever answered anything."""

    @property
    def hooks(self) -> dict[str, list[Any]]:
        """The event hooks of an httpx client."""
        return {"request": [self._before], "response": [self._after]}

    @contextmanager
    def begin(self, tokens: float, scope: asyncio.Timeout) -> Iterator[Flight]:
        """Open a flight in the task that runs, unless everything has been halted."""
        if self.halted:
            raise asyncio.CancelledError
        flight = Flight(tokens, scope)
        CURRENT.set(flight)
        self._open.add(flight)
        try:
            yield flight
        finally:
            self._open.discard(flight)

    def halt(self) -> None:
        """Begin nothing more: end what waits, and leave alone what is on the wire and will be billed."""
        self.halted = True
        for flight in self._open:
            if flight.waits and flight.task is not None:
                flight.task.cancel()

    async def _before(self, _request: Any) -> None:
        flight = CURRENT.get()
        if flight is None:
            return
        flight.waits = True
        if self.halted:
            raise asyncio.CancelledError
        clock = asyncio.get_running_loop().time
        # Waiting for our own limits must not use up the time that the request is allowed.
        left = (flight.scope.when() or 0.0) - clock()
        flight.scope.reschedule(None)
        await self._gate.enter(flight.tokens if flight.tries == 0 else 0.0)
        flight.scope.reschedule(clock() + left)
        flight.tries += 1
        flight.sent_at = clock()
        flight.waits = False

    async def _after(self, response: Any) -> None:
        self.heard = True
        flight = CURRENT.get()
        if flight is not None and response.status_code >= 400:
            flight.waits = True
        if response.status_code not in faults.WAIT_STATUSES:
            return
        seconds = faults.retry_after(response.headers)
        await response.aread()
        if faults.is_hopeless(response.text, seconds):
            response.headers["x-should-retry"] = "false"  # both SDKs obey it
        elif seconds is not None:
            self._gate.pause(seconds)
