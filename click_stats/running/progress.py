"""What a run says of itself while it goes on, and at its end."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from click_stats.counts import INCORRECT

if TYPE_CHECKING:
    from pathlib import Path

NOT_AN_OPTION = INCORRECT
"""Statuses of trials in which the model spoke but named no option."""


@dataclass(frozen=True)
class Progress:
    """How far a run is.

    Attributes
    ----------
    backend
        Its name.
    done, total
        Trials stored, and trials of the whole run.
    asked
        Trials answered in this session.
    seconds
        Since this session began to ask.
    statuses
        Trials of this session by status.
    cost
        US dollars of this session, None without prices.
    """

    backend: str
    done: int
    total: int
    asked: int = 0
    seconds: float = 0.0
    statuses: Counter[str] = field(default_factory=Counter)
    cost: float | None = None

    @property
    def rate(self) -> float:
        """Trials per second in this session, 0 before the first."""
        return self.asked / self.seconds if self.seconds > 0 else 0.0

    @property
    def time_left(self) -> float | None:
        """Seconds to go at this rate; None before there is one."""
        return (self.total - self.done) / self.rate if self.rate > 0 else None

    @property
    def out_of_option(self) -> float | None:
        """Share of the answers of this session that name no option; None without answers."""
        spoke = self.statuses["ok"] + sum(self.statuses[status] for status in NOT_AN_OPTION)
        return (spoke - self.statuses["ok"]) / spoke if spoke else None


@dataclass(frozen=True)
class RunSummary:
    """What became of a run.

    Attributes
    ----------
    backend, model, condition, folder
        What was asked, and where it is stored.
    total, done
        Trials planned; trials stored, those that failed not counted.
    asked, seconds, cost
        Of this session.
    statuses
        All stored trials by status.
    interrupted
        Whether the run was asked to stop before its end.
    simulated
        Whether answers were drawn from a stated model.
    notes
        What a person should know, in sentences.
    """

    backend: str
    model: str
    condition: str
    folder: Path
    total: int
    done: int
    asked: int
    seconds: float
    cost: float | None
    statuses: dict[str, int]
    interrupted: bool
    simulated: bool
    notes: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether every planned trial has an answer."""
        return self.done >= self.total
