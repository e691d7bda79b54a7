"""What the tests of runs share: an invented benchmark, a plan of it, and an adapter that does as it is told."""

from pathlib import Path

import pytest

from click_stats.adapters.backend import Backend
from click_stats.adapters.base import Capabilities, Response
from click_stats.items import read_definition, read_items
from click_stats.protocol import plan, read_protocol

INVENTED = Path(__file__).parents[2] / "fixtures" / "invented"


class Told:
    """Answers every request with what ``reply`` returns, and remembers what it was asked."""

    def __init__(self, reply, kind="generate", **capabilities):
        self.reply = reply
        self.capabilities = Capabilities(kind=kind, **capabilities)
        self.asked = []
        self.closed = 0

    def describe(self):
        return {"method": "told", "versions": {"told": "1"}}

    def answer(self, groups):
        for group in groups:
            for request in group:
                self.asked.append(request.key)
                replies = self.reply(request)
                yield from replies if isinstance(replies, list) else [replies]

    def close(self):
        self.closed += 1


def says(text=None, **more):
    """A reply with a text, the first label by default."""
    return lambda request: Response(request, text=text or request.labels[0], **more)


@pytest.fixture(scope="session")
def rainbow():
    return read_items(INVENTED / "items.jsonl", read_definition(INVENTED / "benchmark.toml"))


@pytest.fixture(scope="session")
def paper(rainbow):
    return plan(read_protocol("paper"), rainbow)


@pytest.fixture(scope="session")
def single(rainbow):
    return plan(read_protocol("single"), rainbow)


@pytest.fixture
def backend():
    return Backend(name="told", adapter="told", model="t1")


@pytest.fixture(scope="session")
def told():
    return Told


@pytest.fixture(scope="session")
def reply():
    return says
