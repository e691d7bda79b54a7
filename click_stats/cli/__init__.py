"""The command line: one file per command; each parses, calls one verb of the API, and shows what came back."""

from click_stats.cli.app import main

__all__ = ["main"]
