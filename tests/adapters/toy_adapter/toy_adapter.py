"""A toy model that always takes the label its options name, and a log of every request it was asked."""

import os
import time

from click_stats.adapters.base import Capabilities, Response
from click_stats.errors import UsageError


def make(backend):
    """Return the adapter of a backend; ``options``: ``label``, ``log`` (a file), ``sleep`` (seconds per group)."""
    unknown = set(backend.options) - {"label", "log", "sleep"}
    if unknown:
        raise UsageError("The toy adapter has no such option.", found=", ".join(sorted(unknown)))
    return Toy(**backend.options)


class Toy:
    """The adapter."""

    capabilities = Capabilities(kind="generate", needs_text=False)

    def __init__(self, label=0, log="", sleep=0.0):
        self.label = label
        self.log = log
        self.sleep = sleep

    def describe(self):
        """Say what was asked of whom."""
        return {"model": "toy", "label": self.label, "versions": {"toy": "0.1"}}

    def answer(self, groups):
        """Answer one request after the other, each written to the log before its answer is given."""
        handle = os.open(self.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND) if self.log else -1
        try:
            for group in groups:
                time.sleep(self.sleep)
                for request in group:
                    if handle >= 0:
                        os.write(handle, ("\t".join(map(str, request.key)) + "\n").encode())
                    yield Response(request, text=request.labels[self.label % request.n_options], finish_reason="stop")
        finally:
            if handle >= 0:
                os.close(handle)

    def close(self):
        """Nothing is held."""
