"""How much is asked of a server at once: concurrency, requests and tokens per minute, time allowed."""

from __future__ import annotations

import asyncio

from pydantic import BaseModel, ConfigDict, Field


class Limits(BaseModel):
    """Limits of the requests to one server; the ``[options]`` of a backend.

    Attributes
    ----------
    concurrency
        Requests under way at the same time.
    requests_per_minute, tokens_per_minute
        Sent evenly over the minute, tries again included; None for no limit. Tokens are those of prompts and answers,
        estimated before a request is sent and set right by the usage that the server reports.
    timeout
        Seconds of silence from the server after which a try is given up.
    deadline
        Seconds for a request with all its tries, waits that the server asks for included; waits for our own limits
        are not counted.
    retries
        Tries after the first, on 408, 409, 429, 5xx, time-outs and broken connections.
    give_up_after
        The run stops when so many requests in a row have failed.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    concurrency: int = Field(default=8, ge=1, le=512)
    requests_per_minute: float | None = Field(default=None, gt=0)
    tokens_per_minute: float | None = Field(default=None, gt=0)
    timeout: float = Field(default=600.0, gt=0)
    deadline: float = Field(default=1800.0, gt=0)
    retries: int = Field(default=8, ge=0, le=100)
    give_up_after: int = Field(default=50, ge=1)


class Pace:
    """Spaces a cost evenly over the minute, so that no window of a minute holds more than the limit and one start.

    What was not used is not saved up: services count in windows shorter than a minute.
    """

    def __init__(self, per_minute: float | None) -> None:
        self._seconds_each = 0.0 if per_minute is None else 60.0 / per_minute
        self._free = float("-inf")

    def take(self, now: float, cost: float) -> float:
        """Return the time at which a request of this cost may start, and reserve it."""
        start = max(self._free, now)
        self._free = start + cost * self._seconds_each
        return start

    def correct(self, difference: float) -> None:
        """Add to the cost reserved (or take from it), once it is known."""
        self._free += difference * self._seconds_each


class Gate:
    """What every try passes before it is sent; used within one event loop."""

    def __init__(self, limits: Limits) -> None:
        self._requests = Pace(limits.requests_per_minute)
        self._tokens = Pace(limits.tokens_per_minute)
        self._paused_until = float("-inf")

    async def enter(self, tokens: float) -> None:
        """Wait until a request of ``tokens`` (estimated) may be sent."""
        clock = asyncio.get_running_loop().time
        while True:
            await _until(self._paused_until)
            now = clock()
            await _until(max(self._requests.take(now, 1), self._tokens.take(now, tokens)))
            if self._paused_until <= clock():
                return
            tokens = 0.0  # a pause began meanwhile: another start is needed, but its tokens stand reserved

    def pause(self, seconds: float) -> None:
        """Let nothing pass for so long: a server that asks one request to wait means all of them."""
        self._paused_until = max(self._paused_until, asyncio.get_running_loop().time() + seconds)

    def settle(self, estimated: float, used: float) -> None:
        """Set the tokens of a request right once the server has reported them."""
        self._tokens.correct(used - estimated)


class TokenEstimate:
    """Tokens of a request before it is sent, from its length and what earlier ones used."""

    def __init__(self) -> None:
        self._characters = 0
        self._tokens = 0

    def __call__(self, characters: int) -> float:
        """Return the tokens expected for a prompt of so many characters and its answer.

        Before anything is known: a token a character, about the most that Korean needs.
        """
        each = self._tokens / self._characters if self._characters else 1.0
        return max(1.0, characters * each)

    def learn(self, characters: int, tokens: int) -> None:
        """Take in what a request of so many characters used in all."""
        self._characters += characters
        self._tokens += tokens


async def _until(time: float) -> None:
    seconds = time - asyncio.get_running_loop().time()
    if seconds > 0:
        await asyncio.sleep(seconds)
