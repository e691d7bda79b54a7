"""Every method gives the scores of the reference, on every family of models, or is refused with a reason."""

import math

import pytest

from click_stats.adapters.hf import reference
from click_stats.adapters.hf.strings import Scored

pytestmark = pytest.mark.torch
TOLERANCE = 1e-4

PACKED = ("neox", "llama", "qwen2", "qwen3", "gpt2", "gemma2-wide")
WINDOWED = ("gemma2", "gemma3", "mistral", "exaone4")
ALIBI = ("bloom", "mpt", "falcon-alibi")
STATEFUL = ("mamba", "qwen3-next")


def scores(adapter, groups):
    return {response.request.key: response.scores for response in adapter.answer(groups)}


def assert_same(found, expected, tolerance=TOLERANCE):
    assert found.keys() == expected.keys()
    for key, values in expected.items():
        assert found[key] == pytest.approx(values, abs=tolerance), key


@pytest.mark.parametrize(
    ("name", "method"),
    [(name, "packed") for name in PACKED]
    + [(name, "cache") for name in (*WINDOWED, *ALIBI)]
    + [(name, "reference") for name in STATEFUL],
)
def test_the_fastest_method_that_is_right_is_taken(local, group, name, method):
    groups = [group(), group("Law/y_2", n=5, passage="늘봄 마을에는 큰 나무가 있다. " * 6)]
    fast = local(name)
    described = fast.describe()
    assert described["method"] == method
    assert set(described["refused"]) == set(
        ("packed", "cache", "reference")[: ("packed", "cache", "reference").index(method)]
    )
    assert all(described["refused"].values())
    assert_same(scores(fast, groups), scores(local(fast._handed.model, method="reference"), groups))


@pytest.mark.parametrize("name", ["neox", "llama", "gemma2-wide", "gpt2"])
def test_the_cache_is_right_where_packing_is_too(local, group, name):
    groups = [group(), group("Law/y_2", n=5)]
    by_cache = local(name, method="cache")
    assert by_cache.describe()["method"] == "cache"
    assert_same(scores(by_cache, groups), scores(local(name, method="reference"), groups))


def test_scores_rank_options_and_differ(local, group):
    for values in scores(local("neox"), [group()]).values():
        assert len(set(values)) == 4
        assert all(math.isfinite(value) and value < 0 for value in values)


def test_a_string_longer_than_the_window_goes_another_way_and_says_so(local, group):
    groups = [group(question="왜?"), group("Law/y_2", passage="늘봄 마을에는 큰 나무가 있다. " * 20)]
    adapter = local("gemma2-wide")
    described = adapter.describe()
    assert described["method"] == "packed"
    assert described["method_beyond"] == {"tokens": 512, "method": "cache"}
    found = list(adapter.answer(groups))
    notes = {response.request.item: response.note for response in found}
    assert notes == {
        "History/x_1": "",
        "Law/y_2": "scored by cache: longer than the 512 tokens of packed",
    }
    expected = scores(local("gemma2-wide", method="reference"), groups)
    assert_same({response.request.key: response.scores for response in found}, expected)


@pytest.mark.parametrize("method", ["reference", "packed", "cache"])
@pytest.mark.parametrize("name", ["neox", "bloom", "mamba"])
def test_results_do_not_depend_on_the_batch(local, group, name, method):
    groups = [group(f"Law/y_{n}", passage="나무가 있다. " * n) for n in range(3)]
    one = scores(local(name, method=method, batch_size=1), groups)
    assert_same(scores(local(name, method=method, batch_size=5), groups), one)


def test_an_asked_method_that_is_wrong_falls_back_with_a_reason(local):
    described = local("mamba", method="cache").describe()
    assert (described["method"], described["method_asked"]) == ("reference", "cache")
    assert described["refused"] == {"cache": "the model carries a state that cannot be taken back"}


def test_a_model_that_ignores_positions_is_found_out(local, tiny, monkeypatch):
    """Nothing is known against this model; only the comparison shows that it counts positions by itself."""
    model = tiny("neox")
    forward = model.forward

    def careless(input_ids=None, attention_mask=None, position_ids=None, cache=None, use_cache=None, logits_to_keep=0):
        return forward(
            input_ids=input_ids,
            attention_mask=attention_mask,
            cache=cache,
            use_cache=use_cache,
            logits_to_keep=logits_to_keep,
        )

    monkeypatch.setattr(model, "forward", careless)
    described = local(model).describe()
    assert described["method"] == "cache"
    assert described["refused"] == {"packed": "it does not agree with the reference within 0.0001"}


def test_a_method_that_breaks_is_refused_and_not_raised(local, tiny, monkeypatch):
    model = tiny("neox")
    forward = model.forward

    def narrow(input_ids=None, attention_mask=None, position_ids=None, cache=None, use_cache=None, logits_to_keep=0):
        if attention_mask is not None and attention_mask.ndim == 4:
            raise ValueError("a mask of four dimensions")
        return forward(
            input_ids=input_ids,
            attention_mask=attention_mask,
            cache=cache,
            use_cache=use_cache,
            logits_to_keep=logits_to_keep,
        )

    monkeypatch.setattr(model, "forward", narrow)
    described = local(model).describe()
    assert described["method"] == "cache"
    assert "a mask of four dimensions" in described["refused"]["packed"]


@pytest.mark.parametrize("most", [10, 100, 400, 900])
@pytest.mark.parametrize("rows", [5, 40, 400])
def test_what_is_too_large_for_one_pass_is_read_in_parts(local, group, monkeypatch, most, rows):
    from click_stats.adapters.hf import packed

    model = local("neox")._handed.model
    sizes = []
    forward = model.forward

    def counting(input_ids=None, attention_mask=None, position_ids=None, cache=None, use_cache=None, logits_to_keep=0):
        sizes.append(input_ids.shape[1])
        return forward(
            input_ids=input_ids, attention_mask=attention_mask, position_ids=position_ids, cache=cache,
            use_cache=use_cache, logits_to_keep=logits_to_keep,
        )  # fmt: skip

    groups = [group(rotations=[0, 1]), group("Law/y_2", passage="나무가 있다.", rotations=[0, 1])]
    expected = scores(local(model, method="reference"), groups)
    monkeypatch.setattr(model, "forward", counting)
    adapter = local(model, batch_size=2)
    assert adapter.describe()["method"] == "packed"
    monkeypatch.setitem(packed.MOST_TOKENS, "cpu", most)
    monkeypatch.setattr(packed, "MOST_LOGITS", 400 * rows)
    sizes.clear()
    assert_same(scores(adapter, groups), expected)
    assert max(sizes) <= most


class Table:
    """A model whose next token depends on the last one only, by a table of log-probabilities made by hand."""

    def __init__(self, table):
        import torch

        self.table = torch.tensor(table).log()
        self.device = "cpu"
        self.accepted = frozenset({"input_ids", "attention_mask"})

    def model(self, input_ids, attention_mask=None):
        from types import SimpleNamespace

        return SimpleNamespace(logits=self.table[input_ids])


def test_s24_a_token_is_predicted_at_the_place_before_it():
    x, y, z, w = range(4)
    table = [[0.1, 0.6, 0.1, 0.2], [0.2, 0.1, 0.5, 0.2], [0.3, 0.1, 0.2, 0.4], [0.25, 0.25, 0.25, 0.25]]
    one = Scored((x, y, z), 2)
    three = Scored((x, y, z, w, y), 2)
    for batch_size in (1, 2):
        found = reference.score(Table(table), [one, three], batch_size)
        assert found == pytest.approx([math.log(0.5), math.log(0.5 * 0.4 * 0.25)], abs=1e-6)
