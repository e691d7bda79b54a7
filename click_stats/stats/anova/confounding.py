"""What goes together with what among the models used: said beside the tests, since no test can take it apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from click_stats.stats.anova.cells import CORPUS, SCALE

if TYPE_CHECKING:
    import pandas as pd

STRONG = 0.5
"""Share of the variance of log10 parameters between corpora from which it is mentioned."""


def confounded(units: pd.DataFrame, design: str) -> list[str]:
    """Return sentences on what the models of a design have in common.

    Parameters
    ----------
    units
        The models used: ``korean_corpus, tuned, family, parameters``.
    design
        The design; the corpus is looked at where it is tested.
    """
    found = []
    if design != SCALE and len(set(units["korean_corpus"].dropna())) > 1:
        if _fixes(units, "korean_corpus", "tuned"):
            found.append(
                "Corpus goes together with instruction tuning in these models: as far as it is known, all models of a "
                "corpus are tuned or none is, so the test of corpus is also one of tuning."
            )
        if _fixes(units, "family", "korean_corpus"):
            found.append(
                "Every family has one corpus: an effect of corpus cannot be told from differences between families."
            )
        share = _between(units)
        if design != CORPUS and share is not None and share >= STRONG:
            found.append(
                f"Size and corpus overlap: {100 * share:.0f} % of the variance of log10 parameters lies between "
                "corpora."
            )
    families = units["family"].dropna()
    if 0 < families.nunique() < len(families):
        found.append(
            "Models of one family, or one made from another, resemble each other: even the test that counts models "
            "takes them as independent."
        )
    return found


def _fixes(units: pd.DataFrame, first: str, second: str) -> bool:
    """Tell whether ``first`` fixes ``second`` where both are known, and ``second`` differs at all."""
    known = units[[first, second]].dropna()
    return bool(len(known) and len(set(known[second])) > 1 and known.groupby(first)[second].nunique().max() == 1)


def _between(units: pd.DataFrame) -> float | None:
    known = units[["parameters", "korean_corpus"]].dropna()
    log10 = np.log10(known["parameters"])
    total = float(((log10 - log10.mean()) ** 2).sum())
    if total <= 0:
        return None
    means = log10.groupby(known["korean_corpus"]).transform("mean")
    return float(((means - log10.mean()) ** 2).sum() / total)
