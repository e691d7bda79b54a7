"""What the tests of the API adapters share: keys, servers, adapters, requests."""

import contextlib
import importlib
import importlib.util
import sys
from pathlib import Path

import pytest

from click_stats.adapters.backend import Backend, adapters
from click_stats.adapters.base import Request

SUFFIX = {"openai": "/v1", "anthropic": "", "openai_compatible": "/v1"}


def _load(name):
    spec = importlib.util.spec_from_file_location(f"adapters_{name}", Path(__file__).with_name(f"{name}.py"))
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


class Lab:
    """Servers and adapters that are closed when the test ends."""

    keys = {"openai": "sk-test-0123456789abcdef", "anthropic": "sk-ant-test-0123456789abcdef"}  # noqa: RUF012

    def __init__(self, stack):
        self._stack = stack
        self.server = _load("server")

    def serve(self, answer="A", **settings):
        return self._stack.enter_context(self.server.Server(answer, **settings))

    def adapter(self, service, server, *, model="tiny-1", generation=None, address=None, **options):
        backend = Backend(
            name="tiny",
            adapter=service,
            model=model,
            address=address or server.address + SUFFIX[service],
            generation=generation or {},
            options=options,
        )
        made = adapters()[service](backend)
        self._stack.callback(made.close)
        return made

    @staticmethod
    def groups(n, n_options=4, rotations=1, system=""):
        labels = tuple("ABCDE"[:n_options])
        return [
            tuple(
                Request(
                    item=f"History/{i}",
                    wording="1",
                    rotation=r,
                    replicate=0,
                    n_options=n_options,
                    labels=labels,
                    prompt=f"질문: {i}번 물음, 돌림 {r}\n보기:\nA: 가, B: 나\n정답:",
                    shown=tuple(f"보기 {(p + r) % n_options}" for p in range(n_options)),
                    system=system,
                )
                for r in range(rotations)
            )
            for i in range(n)
        ]

    @staticmethod
    def prompts(groups):
        return [request.prompt for group in groups for request in group]


@pytest.fixture
def lab(monkeypatch):
    """A :class:`Lab` with keys in the environment, no proxies, and SDKs that wait briefly between tries."""
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", Lab.keys["openai"])
    monkeypatch.setenv("ANTHROPIC_API_KEY", Lab.keys["anthropic"])
    for sdk in ("openai", "anthropic"):
        base = importlib.import_module(f"{sdk}._base_client")
        monkeypatch.setattr(base, "INITIAL_RETRY_DELAY", 0.01)
        monkeypatch.setattr(base, "MAX_RETRY_DELAY", 0.02)
    with contextlib.ExitStack() as stack:
        yield Lab(stack)
