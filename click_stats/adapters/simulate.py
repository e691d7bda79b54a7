"""Answers drawn from a stated model: for trying things out, for teaching, and as a known truth to recover.

For model m, item i of category c, wording w, with f the floor:

    eta = a_i (ability_m + category_mc - b_i) + local_mi + wording_mw + interaction_miw
    P(right) = f + (1 - f) / (1 + exp(-eta))                    (a three-parameter logistic model)

``b`` difficulty and ``a`` discrimination belong to the item, the rest to the model. What is not right goes to the
wrong options by an attraction that item and model share. With probability ``confident_errors`` a pair of model and item
is a confident error: one wrong option takes nearly everything. Displayed positions then weigh all options by
``exp(position_bias)``. Every draw comes from a hash of seed, model and key: it does not depend on the order of
requests, and a run that was interrupted goes on as if it had not been.
"""

from __future__ import annotations

import hashlib
import math
import time
from functools import cache
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from click_stats.adapters.base import Capabilities, Response
from click_stats.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from click_stats.adapters.backend import Backend
    from click_stats.items.table import ItemTable
    from click_stats.protocol.request import Request

_NORMAL = NormalDist()
SURE = 0.95
"""Share of the favourite wrong option in a confident error."""
UNSURE_TEXT = "모두 옳지 않습니다."
"""What is said when no option is named."""


class Simulation(BaseModel):
    """Parameters, in a backend's ``[options]`` or with ``--set``; standard deviations are on the logit scale.

    Attributes
    ----------
    ability
        Of the model; None: drawn from its name, normal with mean 1 and standard deviation 0.8.
    category
        Added to the ability in a category, by its name.
    category_sd
        Standard deviation of what is added in categories that are not named.
    difficulty_sd, discrimination_sd
        Of the items' difficulties (mean 0), and of the logarithm of their discriminations.
    local_sd
        Of what a model in particular knows of an item: makes its trials of one item alike.
    floor
        Chance to be right without knowing; None: one over the number of options.
    position_bias
        Weights of displayed positions on the logarithmic scale; positions that are not named have 0.
    wording, wording_sd
        Added for a wording, by its name; standard deviation of an interaction of item and wording.
    confident_errors
        Share of items on which the model is wrong and sure.
    out_of_option, refused, filtered, failed
        Shares of trials without an option; scores are never out of option or refused. Failures come on top and
        are drawn anew in each session, so that asking again helps.
    kind
        ``generate`` answers with a text, ``score`` with log-probabilities.
    seed
        Of all draws.
    sleep
        Seconds to wait per group of requests, to try out interruptions.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    ability: float | None = Field(default=None, allow_inf_nan=False)
    category: dict[str, float] = Field(default_factory=dict)
    category_sd: float = Field(default=0.4, ge=0, allow_inf_nan=False)
    difficulty_sd: float = Field(default=1.2, ge=0, allow_inf_nan=False)
    discrimination_sd: float = Field(default=0.3, ge=0, allow_inf_nan=False)
    local_sd: float = Field(default=0.8, ge=0, allow_inf_nan=False)
    floor: float | None = Field(default=None, ge=0, lt=1)
    position_bias: tuple[float, ...] = (0.15,)
    wording: dict[str, float] = Field(default_factory=dict)
    wording_sd: float = Field(default=0.2, ge=0, allow_inf_nan=False)
    confident_errors: float = Field(default=0.03, ge=0, le=1)
    out_of_option: float = Field(default=0.01, ge=0, le=1)
    refused: float = Field(default=0.0, ge=0, le=1)
    filtered: float = Field(default=0.0, ge=0, le=1)
    failed: float = Field(default=0.0, ge=0, le=1)
    kind: Literal["generate", "score"] = "generate"
    seed: int = 0
    sleep: float = Field(default=0.0, ge=0, allow_inf_nan=False)

    @model_validator(mode="after")
    def _shares(self) -> Simulation:
        if self.out_of_option + self.refused + self.filtered > 1:
            raise ValueError("out_of_option, refused and filtered are more than 1 together")
        return self


def make(backend: Backend) -> Simulate:
    """Make the adapter; parameters stand in the backend's options, and in its generation settings, which win.

    Raises
    ------
    UsageError
        There is no such parameter, or a value is out of range.
    """
    try:
        given = Simulation.model_validate({**backend.options, **backend.generation})
    except ValidationError as error:
        problems = "; ".join(f"{'.'.join(map(str, e['loc'])) or 'value'}: {e['msg']}" for e in error.errors())
        raise UsageError(
            "The parameters of the simulation do not fit.",
            found=problems,
            do="Parameters: " + ", ".join(Simulation.model_fields) + ".",
        ) from error
    return Simulate(backend.name, given)


class Simulate:
    """The adapter; see the module for the model it draws from."""

    def __init__(self, name: str, parameters: Simulation) -> None:
        self.name = name
        self.parameters = parameters
        self.capabilities = Capabilities(kind=parameters.kind, needs_text=False, simulated=True)
        drawn = 1 + 0.8 * self._normal("ability", name)
        self.ability = parameters.ability if parameters.ability is not None else round(drawn, 3)
        self._items: dict[str, tuple[int, str]] = {}
        self._session = 0
        self._knowledge = cache(self._draw_knowledge)

    def describe(self) -> Mapping[str, Any]:
        """Return the parameters, with the ability that is used."""
        parameters = self.parameters.model_dump(mode="json", exclude={"sleep"})
        return {**parameters, "ability": self.ability, "note": "answers are drawn from a stated model"}

    def hold(self, items: ItemTable) -> None:
        """Take the answer key and the categories that answers are drawn from."""
        columns = items.frame[["gold", "category"]].itertuples(name=None)
        self._items = {str(item): (int(gold), str(category)) for item, gold, category in columns}
        self._knowledge.cache_clear()

    def answer(self, groups: Iterable[Sequence[Request]]) -> Iterator[Response]:
        """Draw an answer for each request.

        Raises
        ------
        UsageError
            A request is about an item that is not held.
        """
        self._session = time.time_ns()
        for group in groups:
            if self.parameters.sleep:
                time.sleep(self.parameters.sleep)
            for request in group:
                yield self._respond(request)

    def close(self) -> None:
        """Hold nothing any more."""
        self._knowledge.cache_clear()

    def _respond(self, request: Request) -> Response:
        given = self.parameters
        key = (request.item, request.wording, request.rotation, request.replicate)
        fate, choice, luck, *_ = self._uniform("trial", self.name, *key)
        if self._uniform("failure", self.name, self._session, *key)[0] < given.failed:
            return Response(request, error="failed", note="simulated failure")
        if fate < given.filtered:
            return Response(request, error="filtered", finish_reason="filter")
        shares = self._shares(request)
        if given.kind == "score":
            return Response(request, scores=self._scores(shares, key))
        if fate < given.filtered + given.refused:
            return Response(request, text="죄송하지만 답변을 드릴 수 없습니다.", finish_reason="refusal")
        if fate < given.filtered + given.refused + given.out_of_option:
            return Response(request, text=UNSURE_TEXT, finish_reason="stop")
        label = request.labels[_pick(shares, choice)]
        return Response(request, text=label if luck < 0.7 else f"정답: {label}", finish_reason="stop")

    def _shares(self, request: Request) -> list[float]:
        """Return the probability of each displayed position."""
        given, n = self.parameters, request.n_options
        eta, gold, attraction, sure = self._knowledge(request.item, n)
        if sure:
            right = (1 - SURE) / n
        else:
            eta += given.wording.get(request.wording, 0.0)
            eta += given.wording_sd * self._normal("interaction", self.name, request.item, request.wording)
            floor = 1 / n if given.floor is None else given.floor
            right = floor + (1 - floor) / (1 + math.exp(-min(max(eta, -500), 500)))
        options = [right if option == gold else (1 - right) * attraction[option] for option in range(n)]
        bias = given.position_bias
        weights = [
            options[(place + request.rotation) % n] * math.exp(bias[place] if place < len(bias) else 0.0)
            for place in range(n)
        ]
        total = math.fsum(weights)
        return [weight / total for weight in weights]

    def _scores(self, shares: Sequence[float], key: tuple[Any, ...]) -> tuple[float, ...]:
        """Return normalised log-probabilities whose largest is at each position with its share (Gumbel's trick)."""
        noise = [-math.log(-math.log(u)) for u in self._uniform("scores", self.name, *key, n=len(shares))]
        raw = [math.log(max(share, 1e-300)) + gumbel for share, gumbel in zip(shares, noise, strict=True)]
        top = max(raw)
        total = top + math.log(math.fsum(math.exp(value - top) for value in raw))
        return tuple(value - total for value in raw)

    def _draw_knowledge(self, item: str, n_options: int) -> tuple[float, int, list[float], bool]:
        """Return what does not change from trial to trial: eta, gold, shares of the wrong options, sure and wrong."""
        given = self.parameters
        if item not in self._items:
            raise UsageError(
                f"The simulation has no answer key for the item {item}.",
                do="Run it over the items that were planned: only they say which option is right.",
            )
        gold, category = self._items[item]
        difficulty = given.difficulty_sd * self._normal("difficulty", item)
        discrimination = math.exp(given.discrimination_sd * self._normal("discrimination", item))
        added = given.category.get(category)
        if added is None:
            added = given.category_sd * self._normal("category", self.name, category)
        eta = discrimination * (self.ability + added - difficulty)
        eta += given.local_sd * self._normal("local", self.name, item)
        sure, favourite, *_ = self._uniform("sure", self.name, item)
        wrong = [option for option in range(n_options) if option != gold]
        attraction = [0.0] * n_options
        shared = self._uniform("attraction", item, n=n_options)
        own = self._uniform("own attraction", self.name, item, n=n_options)
        for option in wrong:
            attraction[option] = math.exp(shared[option] + own[option])
        is_sure = sure < given.confident_errors
        if is_sure:
            favoured = wrong[int(favourite * len(wrong))]
            for option in wrong:
                attraction[option] = SURE if option == favoured else (1 - SURE) / max(len(wrong) - 1, 1)
        total = math.fsum(attraction)
        return eta, gold, [value / total for value in attraction], is_sure

    def _uniform(self, *what: object, n: int = 4) -> list[float]:
        """Return numbers strictly between 0 and 1 that depend on the seed and on ``what`` only."""
        text = "\x1f".join(map(str, (self.parameters.seed, *what)))
        numbers: list[float] = []
        while len(numbers) < n:
            block = hashlib.sha256(f"{text}\x1f{len(numbers)}".encode()).digest()
            numbers += [(int.from_bytes(block[i : i + 8], "big") + 0.5) / 2**64 for i in (0, 8, 16, 24)]
        # A number so near to 1 that it rounds there would have no logarithm.
        return [min(number, 1 - 2**-53) for number in numbers[:n]]

    def _normal(self, *what: object) -> float:
        return _NORMAL.inv_cdf(self._uniform(*what, n=1)[0])


def _pick(shares: Sequence[float], uniform: float) -> int:
    reached = 0.0
    for place, share in enumerate(shares):
        reached += share
        if uniform < reached:
            return place
    return len(shares) - 1
