"""What the adapters of web APIs share: the client's life, limits, tries, and what an ended request means."""

from __future__ import annotations

import asyncio
import json
from abc import ABC, abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from click_stats.adapters import faults
from click_stats.adapters.base import Capabilities, Response
from click_stats.adapters.calls import Calls
from click_stats.adapters.flights import Flight, Flights
from click_stats.adapters.limits import Gate, Limits, TokenEstimate
from click_stats.adapters.sdk import cause, load
from click_stats.errors import ClickStatsError, DataError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from click_stats.adapters.backend import Backend
    from click_stats.adapters.base import Request
    from click_stats.adapters.keys import Secret

PATIENCE = 20.0
"""Seconds for the list of models, which is asked for before the first prompt to see whether anybody answers."""
NO_KEY = "none"
"""What the SDK is given for a server that wants no key."""
RESERVED = {
    "messages": "comes from the protocol",
    "prompt": "comes from the protocol",
    "system": "comes from the protocol",
    "model": "is the backend's model",
    "stream": "is not used: answers are stored whole",
    "n": "is 1: ask for replicates instead",
    "timeout": "is one of the [options]",
    "api_key": "comes from the environment: see key_env among the [options]",
    "extra_headers": "might carry a key, and what is sent is recorded",
    "extra_query": "might carry a key, and what is sent is recorded",
}
"""Request settings that are not the user's to make, and why."""


class Unusable(Exception):  # noqa: N818 -- names what arrived
    """A complete answer that cannot be read."""


class Remote(ABC):
    """An adapter of a web API; services differ in what they are sent and how their answers are read.

    Parameters
    ----------
    backend
        The model to ask.
    limits
        From the backend's options.
    secret
        The key.
    address
        Base URL.
    """

    service = ""
    sdk = ""

    def __init__(self, backend: Backend, limits: Limits, secret: Secret, address: str) -> None:
        for name in backend.generation:
            if name in RESERVED:
                raise UsageError(f"The request setting {name!r} {RESERVED[name]}.", do="Leave it out of [generation].")
        self._module = load(self.sdk)
        self.backend = backend
        self.limits = limits
        self.secret = secret
        self.address = address
        self.model = backend.model
        self.models: list[str] = []
        self._calls: Calls | None = None
        self._client: Any = None
        self._gate = Gate(limits)
        self._flights = Flights(self._gate)
        self._accepted = False
        self._served: set[str] = set()
        self._estimate = TokenEstimate()
        self._sent, self._droppable = self._settings(dict(backend.generation))
        self._not_sent: dict[str, str] = {}

    # What a service must say.

    @abstractmethod
    def _make_client(self, **arguments: Any) -> Any:
        """Return the SDK's asynchronous client."""

    @abstractmethod
    def _settings(self, generation: dict[str, Any]) -> tuple[dict[str, Any], set[str]]:
        """Return the arguments sent with every request, and which of them may be left out if the model rejects them."""

    @abstractmethod
    async def _send(self, request: Request, settings: dict[str, Any]) -> Any:
        """Send a request and return the SDK's raw response."""

    @abstractmethod
    def _read(self, request: Request, payload: dict[str, Any]) -> Response:
        """Read the JSON of a complete answer; KeyError, TypeError and the like mean that its form is wrong."""

    # The adapter.

    @property
    def capabilities(self) -> Capabilities:
        """What the adapter can do and needs."""
        return Capabilities(kind="generate")

    def describe(self) -> Mapping[str, Any]:
        """Return what was sent and to whom; what is only known after the first answers is complete at the end."""
        return {
            "adapter": self.backend.adapter,
            "service": self.service,
            "model": self.model,
            "served": sorted(self._served),
            "address": self.address,
            "sdk": f"{self.sdk} {self._module.__version__}",
            "method": "generation",
            "sent": dict(self._sent),
            "not_sent": dict(self._not_sent),
            "limits": self.limits.model_dump(include=set(Limits.model_fields)),
        }

    def answer(self, groups: Iterable[Sequence[Request]]) -> Iterator[Response]:
        """Answer requests as the API answers them, in any order."""
        calls = self._open()
        self._flights.halted = False
        return calls.stream((request for group in groups for request in group), self._one, self._flights.halt)

    def close(self) -> None:
        """Close the connections."""
        if self._calls is None:
            return
        calls, client = self._calls, self._client
        self._calls = self._client = None
        try:
            calls.run(client.close())
        finally:
            calls.close()

    # How.

    def _open(self) -> Calls:
        if self._calls is None:
            calls = Calls(self.limits.concurrency, self.limits.give_up_after)
            try:
                calls.run(self._start())
            except BaseException:
                calls.close()
                raise
            self._calls = calls
        return self._calls

    async def _start(self) -> None:
        http = self._module.DefaultAsyncHttpxClient(event_hooks=self._flights.hooks)
        self._client = self._make_client(
            api_key=self.secret.reveal() or NO_KEY,
            base_url=self.address,
            max_retries=self.limits.retries,
            timeout=self.limits.timeout,
            http_client=http,
        )
        problem = await self._ask_models()
        if problem is not None:
            await self._client.close()
            raise problem

    @property
    def _place(self) -> faults.Place:
        return faults.Place(self.service, self.address, self.model, self.secret)

    async def _ask_models(self) -> ClickStatsError | None:
        """Ask for the list of models, which costs nothing; servers without one, or that do not show it, are fine."""
        module = self._module
        client = self._client.with_options(max_retries=0, timeout=PATIENCE)
        try:
            raw = await client.models.with_raw_response.list()
            self.models = [str(entry["id"]) for entry in raw.http_response.json()["data"]]
        except module.APIConnectionError as error:
            return faults.no_server(self._place, cause(error)) if self._nobody(error) else None
        except (module.APIStatusError, LookupError, TypeError, ValueError):
            return None
        return None

    def _nobody(self, error: Exception) -> bool:
        """Return whether no server is there at all, rather than a slow or broken one."""
        slow = isinstance(error, self._module.APITimeoutError) and "Connect" not in cause(error)
        return not self._flights.heard and not slow

    def _length(self, request: Request) -> int:
        """Return the characters of a request, for the estimate of its tokens."""
        return len(request.prompt or "") + len(request.system)

    async def _one(self, request: Request) -> Response | ClickStatsError:
        """Answer one request; an error that is returned ends the run."""
        if request.prompt is None:
            return UsageError("The API needs prompts, and the plan has no texts.", do="Give the items with --items.")
        scope = asyncio.timeout(self.limits.deadline)
        with self._flights.begin(self._estimate(self._length(request)), scope) as flight:
            return await self._within(scope, flight, request)

    async def _within(self, scope: asyncio.Timeout, flight: Flight, request: Request) -> Response | ClickStatsError:
        """Say what the end of a request means."""
        module = self._module
        try:
            async with scope:
                response = await self._until_accepted(request)
        except TimeoutError:
            return self._failed(request, flight, f"no answer within {self.limits.deadline:g} seconds")
        except Unusable as error:
            text = str(error)
            if not self._accepted and faults.is_page(text):
                return faults.no_api(self._place, text)
            return self._failed(request, flight, f"an answer that cannot be read: {text or 'nothing'}")
        except module.APIConnectionError as error:
            if self._nobody(error):
                return faults.no_server(self._place, cause(error))
            return self._failed(request, flight, f"no complete answer: {cause(error)}")
        except module.APIStatusError as error:
            if faults.is_filter(error):
                self._accepted = True
                note = self._place.say(error)
                return Response(request, finish_reason="filter", error="filtered", note=note)
            problem = faults.fatal(error, self._place, accepted=self._accepted, models=self.models)
            return problem or self._failed(request, flight, str(error))
        except ClickStatsError as error:
            return error
        except Exception as error:  # noqa: BLE001 -- an error of the SDK: its text might hold the key
            found = self._place.say(f"{type(error).__name__}: {error}")
            return DataError(f"The client of {self.service} failed in a way that it should not.", found=found)
        self._accepted = True
        return self._settled(flight, request, response)

    async def _until_accepted(self, request: Request) -> Response:
        """Send a request; leave a setting of ours out for the whole run when the model rejects it."""
        while True:
            settings = dict(self._sent)
            try:
                raw = await self._send(request, settings)
            except self._module.APIStatusError as error:
                name = faults.rejected_setting(error, self._droppable & settings.keys())
                if name is None:
                    raise
                self._sent.pop(name, None)
                self._not_sent[name] = self._place.say(error)
                continue
            return self._parse(request, raw.http_response)

    def _parse(self, request: Request, answer: Any) -> Response:
        """Read a complete answer, which is billed: whatever its form, it is not asked for again in this run."""
        try:
            payload = json.loads(answer.content)
        except ValueError:
            raise Unusable(answer.text) from None
        try:
            if payload.get("error"):
                raise Unusable(json.dumps(payload["error"], ensure_ascii=False))
            response = self._read(request, payload)
        except (LookupError, TypeError, ValueError, AttributeError):
            raise Unusable(answer.text) from None
        if isinstance(payload.get("model"), str):
            self._served.add(payload["model"])
        return response

    def _settled(self, flight: Flight, request: Request, response: Response) -> Response:
        """Set the estimate of tokens right, and add the seconds of the last try."""
        used = (response.input_tokens or 0) + (response.output_tokens or 0)
        if used:
            self._estimate.learn(self._length(request), used)
            self._gate.settle(flight.tokens, used)
        return replace(response, seconds=asyncio.get_running_loop().time() - flight.sent_at)

    def _failed(self, request: Request, flight: Flight, why: str) -> Response:
        tries = "" if flight.tries == 1 else f" ({flight.tries} tries)"
        return Response(request, error="failed", note=f"{self._place.say(why)}{tries}")
