"""Models of the Hugging Face library, on this machine: options ranked by log-probability, or text generated."""

from click_stats.adapters.hf.adapter import Local, make

__all__ = ["Local", "make"]
