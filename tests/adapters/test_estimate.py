"""Tokens by the backend's own tokenizer when it is on this machine, unknown otherwise; nothing is downloaded."""

import sys
from pathlib import Path

import pytest

from click_stats.adapters.backend import Backend
from click_stats.adapters.estimate import estimate
from click_stats.errors import UsageError
from click_stats.items import read_items
from click_stats.protocol import Protocol, plan

FIXTURES = Path(__file__).parents[2] / "fixtures"
TRANSFORMERS = """
class AutoTokenizer:
    @classmethod
    def from_pretrained(cls, name, *, local_files_only):
        assert local_files_only
        if name != "here":
            raise OSError("not on this machine")
        return cls()

    def __call__(self, texts):
        assert isinstance(texts, list) and len(texts) <= 256
        return {"input_ids": [[0] * (len(text) + 1) for text in texts]}
"""
PRICES = {"input": 2.0, "output": 8.0, "source": "invented"}


@pytest.fixture(scope="module")
def planned():
    folder = FIXTURES / "invented"
    items = read_items(folder / "items.jsonl", folder / "benchmark.toml")
    return plan(Protocol(name="own", wordings=("1", "2", "3"), rotations=3, system="조교", replicates=2), items)


@pytest.fixture
def tokenizer(tmp_path, monkeypatch):
    (tmp_path / "transformers").mkdir()
    (tmp_path / "transformers" / "__init__.py").write_text(TRANSFORMERS, encoding="utf-8")
    monkeypatch.delitem(sys.modules, "transformers", raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    yield
    sys.modules.pop("transformers", None)


def test_the_tokenizer_counts_every_prompt_once_a_replicate(planned, tokenizer):
    found = estimate(planned, Backend(name="b", adapter="transformers", model="here"))
    # the tokenizer above gives a token a character and one more; a line break stands between system and prompt
    assert found.input_tokens == planned.n_chars + 2 * len(planned)
    assert (found.rough, found.cost, found.output_tokens) == (False, None, None)
    assert "tokenizer of here" in found.how
    rough = estimate(planned, Backend(name="b", adapter="transformers", model="here"), chars_per_token=2)
    assert rough == found  # a count beats an assumption


def test_a_tokenizer_that_is_not_here_is_not_fetched(planned, tokenizer):
    found = estimate(planned, Backend(name="b", adapter="transformers", model="elsewhere"))
    assert found.input_tokens is None
    assert "not on this machine" in found.how


def test_cost_from_stated_assumptions(planned):
    backend = Backend(name="b", adapter="openai", model="m", prices=PRICES)
    found = estimate(planned, backend, chars_per_token=2, output_tokens=5)
    assert found.input_tokens == round(planned.n_chars / 2)
    assert found.output_tokens == 5 * len(planned)
    assert found.cost == pytest.approx((found.input_tokens * 2 + found.output_tokens * 8) / 1e6)
    assert found.rough
    assert "ROUGH" in found.how
    assert "invented" in found.how
    assert estimate(planned, backend).cost is None


@pytest.mark.parametrize("wrong", [{"chars_per_token": 0}, {"chars_per_token": float("nan")}, {"output_tokens": -1}])
def test_impossible_assumptions(planned, wrong):
    with pytest.raises(UsageError):
        estimate(planned, Backend(name="b", adapter="openai", model="m"), **wrong)
