"""Agreement beyond chance: of models in what they answer, of raters in what they say."""

from click_stats.stats.agreement.analysis import agreement, rater_agreement

__all__ = ["agreement", "rater_agreement"]
