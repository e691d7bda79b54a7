"""Review of items by people: error rate of the benchmark, precision of flags, agreement of reviewers."""

from click_stats.stats.review.analysis import ANSWER, JUDGEMENT, Population, review

__all__ = ["ANSWER", "JUDGEMENT", "Population", "review"]
