"""Which keys look wrong: items on which strong models agree on one other option.

The evidence is a difference of votes, not a probability: how often a key is wrong at all, and how models err when it is
right, cannot be learned from answers alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import FloatArray, IntArray
    from click_stats.stats.item_analysis.answers import Answers

TINY = 1e-9


class Voters(NamedTuple):
    """What each unit's answer counts for; all (U,).

    Attributes
    ----------
    accuracy
        Share of right answers, shrunk by one right and one wrong answer.
    independence
        1 / sum of its agreements on errors with every unit, itself included: 1 for a unit that errs like no other,
        1/2 each for two copies. Their sum is the effective number of models.
    agreement
        (U, U) agreement on errors beyond chance.
    """

    accuracy: FloatArray
    independence: FloatArray
    agreement: FloatArray


class Votes(NamedTuple):
    """The vote on the key of every item; all (I,).

    Attributes
    ----------
    score
        Weighted votes for the best supported other option less those for the key (and what is accepted besides); NaN
        where nobody voted, or every option is right.
    other
        That option, from 0; -1 where none.
    share_other, share_key
        Shares of the votes, by independence alone, for that option and for the key.
    """

    score: FloatArray
    other: IntArray
    share_other: FloatArray
    share_key: FloatArray


def agreement_on_errors(answers: Answers) -> FloatArray:
    """Return (U, U) how much units agree on the wrong option where both are wrong, beyond chance.

    Notes
    -----
    Like kappa: (observed - expected)/(1 - expected), with errors of independent units uniform over the wrong options;
    negative values are set to 0, the diagonal to 1. Options that attract everybody count as agreement, so that the
    effective number of models is rather too small than too large.
    """
    wrong = answers.wrong
    n_units = wrong.shape[0]
    flat = wrong.reshape(n_units, -1)
    any_wrong = wrong.sum(axis=2)
    same = flat @ flat.T
    both = any_wrong @ any_wrong.T
    chance = (any_wrong / np.maximum(answers.n_options - 1, 1)) @ any_wrong.T
    with np.errstate(invalid="ignore", divide="ignore"):
        kappa = np.where(both - chance > TINY, (same - chance) / (both - chance), 0.0)
    kappa = np.clip(kappa, 0, 1)
    np.fill_diagonal(kappa, 1)
    return kappa


def voters(answers: Answers) -> Voters:
    """Return what each unit's answer counts for."""
    answered = answers.there.sum(axis=1)
    accuracy = (np.nansum(answers.scores, axis=1) + 1) / (answered + 2)
    agreement = agreement_on_errors(answers)
    return Voters(accuracy, 1 / agreement.sum(axis=1), agreement)


def weights(accuracy: FloatArray, n_options: IntArray) -> FloatArray:
    """Return (U, I) log-odds by which an answer of a unit speaks for its option, not below 0.

    Notes
    -----
    A unit that is right with probability a and else picks one of the N - 1 wrong options evenly: the answer k changes
    the log-likelihood of "k is the key" against "another option is" by log(a (N - 1)/(1 - a)) (Dawid and Skene 1979
    with one parameter a model; the weighted majority of Nitzan and Paroush 1982).
    """
    logit = np.log(accuracy / (1 - accuracy))
    found: FloatArray = np.maximum(logit[:, None] + np.log(np.maximum(n_options - 1, 1))[None, :], 0)
    return found


def vote(answers: Answers, known: Voters) -> Votes:
    """Let the units vote on the key of every item, each discounted by how much it errs like others."""
    discounted = weights(known.accuracy, answers.n_options) * known.independence[:, None] * answers.there
    support = np.einsum("ui,uik->ik", discounted, answers.shares)
    plain = np.einsum("ui,uik->ik", known.independence[:, None] * answers.there, answers.shares)
    heads = (known.independence[:, None] * answers.there).sum(axis=0)
    return _votes(answers, support, plain, heads)


def vote_by_family(answers: Answers, known: Voters, families: Sequence[str]) -> Votes:
    """Let families vote: one vote each, shared by its units, with the log-odds of their mean accuracy; no discount."""
    codes = np.unique(np.asarray(families, dtype=str), return_inverse=True)[1]
    member = (codes == np.arange(codes.max(initial=-1) + 1)[:, None]).astype(np.float64)
    accuracy = member @ known.accuracy / member.sum(axis=1)
    voting = member @ answers.there.astype(np.float64)
    total = np.einsum("fu,uik->fik", member, answers.shares)
    shares = total / np.maximum(voting, 1)[:, :, None]
    support = np.einsum("fi,fik->ik", weights(accuracy, answers.n_options), shares)
    return _votes(answers, support, shares.sum(axis=0), (voting > 0).sum(axis=0).astype(np.float64))


def family_names(answers: Answers) -> list[str]:
    """Return the family of every unit: as stated, else the model itself."""
    stated = answers.units["family"] if "family" in answers.units else [None] * len(answers.units)
    return [
        f"family {name}" if isinstance(name, str) and name else f"model {model}"
        for name, model in zip(stated, answers.model, strict=True)
    ]


def _votes(answers: Answers, support: FloatArray, plain: FloatArray, heads: FloatArray) -> Votes:
    rows = np.arange(len(answers.gold))
    others = np.where(answers.offered & ~answers.right, support, -np.inf)
    other = others.argmax(axis=1)
    voted = (heads > 0) & np.isfinite(others[rows, other])
    key = np.where(answers.right, support, 0.0).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = plain / heads[:, None]
    return Votes(
        np.where(voted, support[rows, other] - key, np.nan),
        np.where(voted, other, -1),
        np.where(voted, shares[rows, other], np.nan),
        np.where(voted, np.where(answers.right, shares, 0.0).sum(axis=1), np.nan),
    )
