"""The run: a plan less what is stored goes to an adapter; what comes back is mapped, extracted and stored."""

from click_stats.run.progress import Progress, RunSummary
from click_stats.run.run import run

__all__ = ["Progress", "RunSummary", "run"]
