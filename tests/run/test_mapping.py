"""Displayed positions become the options of the source; ties are settled by a hash."""

import math
from collections import Counter

import pytest

from click_stats.adapters.base import Request, Response
from click_stats.running.mapping import in_source_order, original, row_of
from click_stats.trials.ranking import best


def request(rotation=0, labels="ABCD", shown=(), **more):
    return Request("One/a1", "1", rotation, 0, len(labels), tuple(labels), shown=shown, **more)


def row(response):
    return row_of(response, model="m", condition="default", policy="paper")


@pytest.mark.parametrize("n_options", [2, 4, 5])
def test_mapping_is_its_own_definition(n_options):
    for rotation in range(n_options):
        shown = [original(position, rotation, n_options) for position in range(n_options)]
        assert sorted(shown) == list(range(n_options))
        assert shown[0] == rotation
        scores = [float(10 * option) for option in shown]  # the score says which option it belongs to
        assert in_source_order(scores, rotation) == [10.0 * option for option in range(n_options)]


def test_a_label_means_the_option_shown_under_it():
    assert row(Response(request(rotation=0), text="B"))["prediction"] == 1
    assert row(Response(request(rotation=3), text="B"))["prediction"] == 0
    five = row(Response(request(rotation=2, labels="ABCDE"), text="정답: E"))
    assert (five["prediction"], five["status"]) == (1, "ok")


def test_an_option_text_means_that_option():
    shown = ("셋", "넷", "하나", "둘")  # rotation 2 of 하나, 둘, 셋, 넷
    assert row(Response(request(rotation=2, shown=shown), text="하나"))["prediction"] == 0


def test_scores_are_stored_in_the_order_of_the_source():
    found = row(Response(request(rotation=1), scores=(-3.0, -1.0, -4.0, -2.0)))
    assert found["scores"] == [-2.0, -3.0, -1.0, -4.0]
    assert (found["prediction"], found["status"], found["rule"], found["policy"]) == (2, "ok", "score", "score")


def test_ties_fall_evenly_on_the_tied_options_and_always_alike():
    keys = [("m", "default", f"One/a{number}", "1", 0, 0) for number in range(4000)]
    chosen = [best([-1.0, -2.0, -1.0, -1.0], key) for key in keys]
    assert all(tied for _, tied in chosen)
    counts = Counter(option for option, _ in chosen)
    assert set(counts) == {0, 2, 3}
    # three standard deviations of a binomial count
    assert all(abs(n - 4000 / 3) < 3 * math.sqrt(4000 * 2 / 9) for n in counts.values())
    assert chosen == [best([-1.0, -2.0, -1.0, -1.0], key) for key in keys]
    assert best([-1.0, -2.0, -0.5, -1.0], keys[0]) == (2, False)


def test_a_tie_is_marked_and_its_scores_are_kept():
    found = row(Response(request(), scores=(-1.0, -1.0, -2.0, -3.0)))
    assert found["rule"] == "tie"
    assert found["prediction"] in {0, 1}
    assert found["scores"] == [-1.0, -1.0, -2.0, -3.0]


@pytest.mark.parametrize("scores", [(math.nan, -1.0, -1.0, -1.0), (-math.inf,) * 4, (math.inf, 0.0, 0.0, 0.0)])
def test_scores_that_rank_nothing_are_no_answer(scores):
    found = row(Response(request(), scores=scores))
    assert (found["status"], found["prediction"]) == ("failed", None)
    assert "no ranking" in found["note"]


def test_one_option_without_any_probability_is_fine():
    assert row(Response(request(), scores=(-1.0, -math.inf, -2.0, -3.0)))["prediction"] == 0


@pytest.mark.parametrize("error", ["failed", "filtered"])
def test_errors_are_statuses(error):
    found = row(Response(request(), error=error, note="http 500"))
    assert (found["status"], found["prediction"], found["note"]) == (error, None, "http 500")


def test_what_the_model_spoke_without_an_option():
    assert row(Response(request(), text=""))["status"] == "empty"
    assert row(Response(request(), text="긴 풀이", finish_reason="length"))["status"] == "truncated"
    assert row(Response(request(), text="모두 옳지 않습니다."))["status"] == "out_of_option"
    assert "note" not in row(Response(request(), text="모두 옳지 않습니다."))


def test_usage_is_kept():
    found = row(Response(request(), text="A", input_tokens=7, output_tokens=2, seconds=0.5, finish_reason="stop"))
    kept = ("input_tokens", "output_tokens", "seconds", "finish_reason", "text")
    assert [found[name] for name in kept] == [7, 2, 0.5, "stop", "A"]
