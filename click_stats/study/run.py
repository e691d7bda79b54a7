"""Runs a study: three tables in, results out."""

from __future__ import annotations

import platform
from dataclasses import replace
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from click_stats.errors import UsageError
from click_stats.models import ModelTable
from click_stats.results import Result, ResultSet, plain
from click_stats.study.published import published
from click_stats.study.registry import ANALYSES, NEEDS, WITH_PEOPLE
from click_stats.study.study import signature

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from click_stats.counts import Counts
    from click_stats.study.study import Study
    from click_stats.trials import Trials

    Progress = Callable[[int, int, str], None]

LIBRARIES = ("numpy", "scipy", "pandas", "statsmodels", "duckdb")
"""Libraries whose version may change a last digit; named in the results."""
APART = "Answers of people are kept apart from those of models: {list}."


def run_study(
    study: Study,
    trials: Trials,
    models: ModelTable | None = None,
    *,
    same_protocol: bool = False,
    progress: Progress | None = None,
) -> ResultSet:
    """Run all analyses of a study.

    Parameters
    ----------
    study
        A checked study.
    trials, models
        The answers, with the items they were read with, and what is known of the models: where given, it selects
        and orders the units.
    same_protocol
        Refuse to compare units whose stated protocols differ.
    progress
        Called as ``progress(done, total, name)`` before each analysis and once at the end.

    Raises
    ------
    UsageError
        ``same_protocol`` and the protocols differ, or ``models`` leaves out every model.
    """
    needs = needed(study.analyses) | ({"responses": True} if study.published else {})
    counts = trials.counts(**needs)
    results: dict[str, Result] = {"account": trials.account, "items": trials.items.groups_result()}
    known = models if models is not None else ModelTable.empty()
    chosen = select_models(known, counts)
    counts = without_people(chosen)
    apart = list(chosen.units.index.difference(counts.units.index))
    results["models"] = known.facts(trials.units.drop(index=apart))  # it also names the models left out
    if same_protocol:
        refuse_mixed_protocols(counts)
    extraction = trials.extraction(list(map(str, counts.units.index)))
    if extraction is not None:
        results["extraction"] = extraction
    total = len(study.analyses)
    for done, (name, values) in enumerate(study.analyses.items()):
        if progress:
            progress(done, total, name)
        seed: dict[str, Any] = {"seed": study.seed} if "seed" in signature(ANALYSES[name]) else {}
        results[name] = ANALYSES[name](chosen if name in WITH_PEOPLE else counts, **{**seed, **values})
    if study.published:
        results["published"] = published(results, counts, known)
    if progress:
        progress(total, total, "")
    return ResultSet(study.name, results, study_meta(study, trials))


def needed(analyses: Mapping[str, Mapping[str, Any]]) -> dict[str, bool]:
    """Return what analyses with these parameters need besides the counts, as arguments of ``Trials.counts``."""
    wanted = {need for name in analyses for need in NEEDS.get(name, ())}
    if any(values.get("target") == "fixed" for values in analyses.values()):
        wanted.add("cells")
    return dict.fromkeys(sorted(wanted), True)


def select_models(known: ModelTable, counts: Counts) -> Counts:
    """Return the counts of the models that the table keeps, in its order, with what it says of them.

    Raises
    ------
    UsageError
        The table leaves out every model.
    """
    selected = known.select(counts)
    if len(counts.units) and not len(selected.units):
        raise UsageError(
            "The table of models leaves out every model.",
            found=", ".join(map(str, counts.units.index)),
            do="Give one of them another value of include, or leave out --models.",
        )
    return selected.with_units(known.describe(selected.units))


def without_people(counts: Counts) -> Counts:
    """Return the counts of the models alone: people are read and compared, never pooled with models.

    The one place where this is decided, for every analysis but those of
    :data:`~click_stats.study.registry.WITH_PEOPLE`. Where all units are people there is nobody to pool them with, and
    they are compared with each other.
    """
    people = counts.people
    if people.all() or not people.any():
        return counts
    models = counts.select([str(unit) for unit in counts.units.index[~people]])
    warning = APART.format(list=", ".join(map(str, counts.units.index[people])))
    return replace(models, meta={**counts.meta, "warnings": [*counts.meta.get("warnings", ()), warning]})


def refuse_mixed_protocols(counts: Counts) -> None:
    """Raise UsageError when units were run under different stated protocols."""
    stated = counts.units["protocol"]
    stated = stated[stated != ""]
    if stated.nunique() > 1:
        found = "; ".join(f"{unit}: {digest}" for unit, digest in stated.items())
        raise UsageError(
            "The models were run under different protocols.",
            found=found,
            do="Compare only models of one protocol, or leave out --same-protocol: such pairs are then marked.",
        )


def study_meta(study: Study, trials: Trials) -> dict[str, Any]:
    """Return what is needed to make the results again: no time, path or thread count."""
    items = trials.items
    return {
        "version": version("click-stats"),
        "python": platform.python_version(),
        "libraries": {name: version(name) for name in LIBRARIES},
        "seed": study.seed,
        "parameters": plain(study.analyses),
        "benchmark": items.definition.name,
        "item_digest": items.digest,
        "data_digests": plain(trials.digests),
        "warnings": [*items.warnings],
    }
