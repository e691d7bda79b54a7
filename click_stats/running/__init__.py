"""The run: a plan less what is stored goes to an adapter; what comes back is mapped, extracted and stored."""

from click_stats.running.loop import run
from click_stats.running.progress import Progress, RunSummary

__all__ = ["Progress", "RunSummary", "run"]
