"""A verb for each analysis: trials or counts in, a result out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

    from click_stats.counts import Counts
    from click_stats.items import ItemTable
    from click_stats.models import ModelTable
    from click_stats.results import Result
    from click_stats.trials import Trials


def accuracy(
    trials: Trials | Counts, items: ItemTable | None = None, *, models: ModelTable | None = None, **parameters: Any
) -> Result:
    """Return how good each model is and how sure that is; see :func:`click_stats.stats.accuracy.accuracy`.

    ``models`` selects and orders the models.

    Examples
    --------
    >>> cs.accuracy(trials, by="category", interval="bca", seed=1).to_frame()  # doctest: +SKIP
    """
    return _run("accuracy", trials, items, parameters, models)


def compare(
    trials: Trials | Counts, items: ItemTable | None = None, *, models: ModelTable | None = None, **parameters: Any
) -> Result:
    """Return which models differ; see :func:`click_stats.stats.compare.compare`.

    ``models`` selects and orders the models.
    """
    return _run("compare", trials, items, parameters, models)


def ranks(trials: Trials | Counts, items: ItemTable | None = None, **parameters: Any) -> Result:
    """Return which ranks the data leave possible; see :func:`click_stats.stats.ranks.ranks`."""
    return _run("ranks", trials, items, parameters)


def power(trials: Trials | Counts, items: ItemTable | None = None, **parameters: Any) -> Result:
    """Return which differences the data could show; see :func:`click_stats.stats.power.power`."""
    return _run("power", trials, items, parameters)


def conditions(trials: Trials | Counts, items: ItemTable | None = None, **parameters: Any) -> Result:
    """Return what settings of one model changed; see :func:`click_stats.stats.conditions.conditions`."""
    return _run("conditions", trials, items, parameters)


def anova(
    trials: Trials | Counts, items: ItemTable | None = None, *, models: ModelTable | None = None, **parameters: Any
) -> Result:
    """Return what scale and corpus explain in cells of model and category, as the paper tested it.

    See :func:`click_stats.stats.anova.anova`.
    """
    return _run("anova", trials, items, parameters, models)


def mixed(
    trials: Trials | Counts, items: ItemTable | None = None, *, models: ModelTable | None = None, **parameters: Any
) -> Result:
    """Return what scale and corpus explain with items and models as random effects.

    See :func:`click_stats.stats.mixed.mixed`.
    """
    return _run("mixed", trials, items, parameters, models)


def bayes(
    trials: Trials | Counts, items: ItemTable | None = None, *, models: ModelTable | None = None, **parameters: Any
) -> Result:
    """Return how much the data say for and against an effect (extra ``bayes``).

    See :func:`click_stats.stats.bayes.bayes`.
    """
    return _run("bayes", trials, items, parameters, models)


def confident_errors(
    trials: Trials | Counts, items: ItemTable | None = None, *, models: ModelTable | None = None, **parameters: Any
) -> Result:
    """Return where models are wrong and sure, and which items they miss together.

    See :func:`click_stats.stats.confident_errors.confident_errors`.
    """
    return _run("confident_errors", trials, items, parameters, models)


def position(
    trials: Trials | Counts, items: ItemTable | None = None, *, models: ModelTable | None = None, **parameters: Any
) -> Result:
    """Return whether the displayed position of an option matters; see :func:`click_stats.stats.position.position`."""
    return _run("position", trials, items, parameters, models)


def sensitivity(
    trials: Trials | Counts, items: ItemTable | None = None, *, models: ModelTable | None = None, **parameters: Any
) -> Result:
    """Return how much wording, order of options and repetition move an accuracy.

    See :func:`click_stats.stats.sensitivity.sensitivity`.
    """
    return _run("sensitivity", trials, items, parameters, models)


def calibration(
    trials: Trials | Counts, items: ItemTable | None = None, *, models: ModelTable | None = None, **parameters: Any
) -> Result:
    """Return whether log-probabilities say how often a model is right.

    See :func:`click_stats.stats.calibration.calibration`.
    """
    return _run("calibration", trials, items, parameters, models)


def human(
    trials: Trials | Counts, items: ItemTable | None = None, *, models: ModelTable | None = None, **parameters: Any
) -> Result:
    """Return how models stand beside people; see :func:`click_stats.stats.human.human`."""
    return _run("human", trials, items, parameters, models)


def people(
    trials: Trials | Counts, items: ItemTable | None = None, *, models: ModelTable | None = None, **parameters: Any
) -> Result:
    """Return what people reach beside models, and where they find other items hard.

    See :func:`click_stats.stats.people.people`.
    """
    return _run("people", trials, items, parameters, models)


def irt(
    trials: Trials | Counts, items: ItemTable | None = None, *, models: ModelTable | None = None, **parameters: Any
) -> Result:
    """Return how hard and how telling each item is, and how able each model; see :func:`click_stats.stats.irt.irt`."""
    return _run("irt", trials, items, parameters, models)


def dif(
    trials: Trials | Counts, items: ItemTable | None = None, *, models: ModelTable | None = None, **parameters: Any
) -> Result:
    """Return which items are unfair to a group of models; see :func:`click_stats.stats.dif.dif`."""
    return _run("dif", trials, items, parameters, models)


def short_forms(
    trials: Trials | Counts, items: ItemTable | None = None, *, models: ModelTable | None = None, **parameters: Any
) -> Result:
    """Return which few items do nearly as well as all; see :func:`click_stats.stats.short_forms.short_forms`."""
    return _run("short_forms", trials, items, parameters, models)


def difficulty(
    trials: Trials | Counts, items: ItemTable | None = None, *, models: ModelTable | None = None, **parameters: Any
) -> Result:
    """Return what facts of items go with difficulty; see :func:`click_stats.stats.difficulty.difficulty`."""
    return _run("difficulty", trials, items, parameters, models)


def linking(
    trials: Trials | Counts, items: ItemTable | None = None, *, models: ModelTable | None = None, **parameters: Any
) -> Result:
    """Return where new models stand on the scale of known items; see :func:`click_stats.stats.linking.linking`.

    Examples
    --------
    >>> cs.linking(trials, parameters="calibrated/tables/irt.estimates.csv").to_frame()  # doctest: +SKIP
    """
    return _run("linking", trials, items, parameters, models)


def agreement(
    trials: Trials | Counts, items: ItemTable | None = None, *, models: ModelTable | None = None, **parameters: Any
) -> Result:
    """Return how far models answer alike beyond chance; see :func:`click_stats.stats.agreement.agreement`."""
    return _run("agreement", trials, items, parameters, models)


def rater_agreement(ratings: pd.DataFrame, **parameters: Any) -> Result:
    """Return how far raters agree: a row for each item, a column for each rater.

    See :func:`click_stats.stats.agreement.rater_agreement`.
    """
    import pandas as pd

    from click_stats.stats.agreement import rater_agreement as of_raters

    return of_raters(pd.DataFrame(ratings), **parameters)


def item_analysis(
    trials: Trials | Counts, items: ItemTable | None = None, *, models: ModelTable | None = None, **parameters: Any
) -> Result:
    """Return which items are hard, which tell models apart, and which look broken.

    See :func:`click_stats.stats.item_analysis.item_analysis`.
    """
    return _run("item_analysis", trials, items, parameters, models)


def shortfall(
    trials: Trials | Counts, items: ItemTable | None = None, *, models: ModelTable | None = None, **parameters: Any
) -> Result:
    """Return where models fall short, and where they are wrong and sure: what to collect data for.

    See :func:`click_stats.stats.shortfall.shortfall`.
    """
    return _run("shortfall", trials, items, parameters, models)


def item_answers(
    trials: Trials | Counts, items: ItemTable | None = None, *, models: ModelTable | None = None, **parameters: Any
) -> Result:
    """Return what every model answered to every item, packed small.

    See :func:`click_stats.stats.item_answers.item_answers`.
    """
    return _run("item_answers", trials, items, parameters, models)


def _run(
    name: str,
    trials: Trials | Counts,
    items: ItemTable | None,
    parameters: Mapping[str, Any],
    models: ModelTable | None = None,
) -> Result:
    from click_stats.counts import Counts
    from click_stats.study.registry import ANALYSES, WITH_PEOPLE
    from click_stats.study.run import needed, select_models, without_people

    if isinstance(trials, Counts):
        counts = trials
    else:
        source = trials if items is None else trials.with_items(items)
        counts = source.counts(**needed({name: parameters}))
    chosen = counts if models is None else select_models(models, counts)
    return ANALYSES[name](chosen if name in WITH_PEOPLE else without_people(chosen), **parameters)
