"""The simulated adapter: it conforms, draws from the model it states, and draws alike in any order."""

import math
import random
import statistics
from collections import Counter

import pytest
from conformance import Conformance, FailureConformance, group

from click_stats.adapters.backend import Backend, find_backend
from click_stats.adapters.simulate import Simulation, make
from click_stats.errors import UsageError
from click_stats.items import read_items
from click_stats.protocol import plan, read_protocol


@pytest.fixture(scope="session")
def click():
    return read_items()


@pytest.fixture(scope="session")
def asked(click):
    """The groups of the paper's protocol."""
    return list(plan(read_protocol("paper"), click, needs_text=False).groups())


def simulate(click, name="m", **options):
    adapter = make(Backend(name=name, adapter="simulate", options=options))
    adapter.hold(click)
    return adapter


def plain(**more):
    """A model without anything special, so that single parameters can be seen."""
    nothing = {
        "ability": 0.0,
        "category_sd": 0.0,
        "difficulty_sd": 0.0,
        "discrimination_sd": 0.0,
        "local_sd": 0.0,
        "floor": 0.0,
        "position_bias": (),
        "wording_sd": 0.0,
        "confident_errors": 0.0,
        "out_of_option": 0.0,
        "kind": "score",
    }
    return {**nothing, **more}


def right(responses, click):
    """Whether the largest score stands at the right option, in order of the responses."""
    gold = click.frame["gold"].to_dict()
    found = []
    for response in responses:
        request = response.request
        place = max(range(request.n_options), key=response.scores.__getitem__)
        found.append((place + request.rotation) % request.n_options == gold[request.item])
    return found


class TestSimulate(Conformance, FailureConformance):
    @pytest.fixture
    def adapter(self, click):
        return simulate(click)

    @pytest.fixture
    def failing(self, click):
        return simulate(click, failed=1.0)

    def groups(self):
        items = ["History/Kedu_history_23", "Economy/Kedu_economy_1", "Functional/Kedu_16_1", "Grammar/Kedu_16_1"]
        known = set(read_items().frame.index)
        return [group(item, wording, 4) for item in items if item in known for wording in ("1", "2")]


class TestSimulatedScores(TestSimulate):
    @pytest.fixture
    def adapter(self, click):
        return simulate(click, kind="score")


def test_answers_do_not_depend_on_the_order_of_requests(click, asked):
    some = random.Random(1).sample(asked, 60)
    forth = {r.request.key: r.text for r in simulate(click).answer(some)}
    back = {r.request.key: r.text for r in simulate(click).answer([group[::-1] for group in reversed(some)])}
    single = {r.request.key: r.text for g in some for q in g for r in simulate(click).answer([(q,)])}
    assert forth == back == single
    assert forth != {r.request.key: r.text for r in simulate(click, seed=1).answer(some)}
    assert forth != {r.request.key: r.text for r in simulate(click, name="other").answer(some)}


@pytest.mark.parametrize("ability", [-1.0, 0.5, 2.0])
def test_accuracy_is_that_of_the_logistic_model(click, asked, ability):
    groups = asked[::10]
    hits = right(simulate(click, **plain(ability=ability)).answer(groups), click)
    expected = 1 / (1 + math.exp(-ability))
    assert abs(statistics.mean(hits) - expected) < 4 * math.sqrt(expected * (1 - expected) / len(hits))


def test_the_floor_is_reached_without_ability(click, asked):
    groups = [g for g in asked if g[0].n_options == 4][::10]
    for floor in (0.4, None):
        hits = right(simulate(click, **plain(ability=-50.0, floor=floor)).answer(groups), click)
        expected = 0.25 if floor is None else floor
        assert abs(statistics.mean(hits) - expected) < 4 * math.sqrt(expected * (1 - expected) / len(hits))


def test_categories_and_wordings_shift_the_logit(click, asked):
    groups = [g for g in asked if g[0].item.startswith(("History/", "Law/"))]
    adapter = simulate(click, **plain(category={"History": 2.0}, wording={"2": -2.0}))
    hits = {}
    for response in adapter.answer(groups):
        cell = (response.request.item.split("/")[0], response.request.wording)
        hits.setdefault(cell, []).extend(right([response], click))
    for (category, wording), found in hits.items():
        expected = 1 / (1 + math.exp(-2 * (category == "History") + 2 * (wording == "2")))
        assert abs(statistics.mean(found) - expected) < 4 * math.sqrt(expected * (1 - expected) / len(found))


def test_position_bias_weighs_displayed_positions(click, asked):
    groups = [g for g in asked if g[0].n_options == 4][::4]
    adapter = simulate(click, **plain(ability=-50.0, floor=0.25, position_bias=(math.log(3),)))
    # Over all rotations each option stands once at each position; position A then has the odds 3 : 1 : 1 : 1 only on
    # average over what the options attract, so the share lies near 1/2.
    places = Counter(max(range(4), key=r.scores.__getitem__) for r in adapter.answer(groups))
    share = places[0] / sum(places.values())
    assert 0.45 < share < 0.53
    assert max(places[1], places[2], places[3]) < 1.15 * min(places[1], places[2], places[3])


def test_confident_errors_are_wrong_and_sure(click, asked):
    groups = [g for g in asked if g[0].n_options == 4][:400]
    adapter = simulate(click, **plain(ability=50.0, confident_errors=0.2))
    answers = {}
    for response in adapter.answer(groups):
        request = response.request
        place = max(range(4), key=response.scores.__getitem__)
        answers.setdefault(request.item, []).append((place + request.rotation) % 4)
    gold = click.frame["gold"]
    wrong = [item for item, given in answers.items() if Counter(given).most_common(1)[0][0] != gold[item]]
    assert 0.12 < len(wrong) / len(answers) < 0.28
    agreement = [Counter(answers[item]).most_common(1)[0][1] / len(answers[item]) for item in wrong]
    assert statistics.mean(agreement) > 0.85
    assert all(set(given) == {gold[item]} for item, given in answers.items() if item not in wrong)


def test_trials_of_an_item_are_alike(click, asked):
    """With a local effect the variance between items exceeds that of independent trials."""
    groups = [g for g in asked if g[0].wording == "1" and g[0].n_options == 4][:300]

    def variance(**more):
        by_item = [statistics.mean(right(simulate(click, **plain(**more)).answer([g]), click)) for g in groups]
        return statistics.pvariance(by_item)

    assert variance(local_sd=3.0) > 1.8 * variance()


def test_shares_without_an_option(click, asked):
    groups = asked[::10]
    rates = {"out_of_option": 0.1, "refused": 0.05, "filtered": 0.2, "failed": 0.1}
    found = Counter()
    for response in simulate(click, **rates).answer(groups):
        spoken = response.text if response.text and len(response.text) > 8 else "label"
        found[response.error or spoken] += 1
    n = sum(found.values())
    assert abs(found["failed"] / n - 0.1) < 0.025
    assert abs(found["filtered"] / (n - found["failed"]) - 0.2) < 0.035
    assert abs(found["모두 옳지 않습니다."] / (n - found["failed"]) - 0.1) < 0.025
    assert abs(found["죄송하지만 답변을 드릴 수 없습니다."] / (n - found["failed"]) - 0.05) < 0.02


def test_the_share_of_what_failed_falls_with_every_try(click, asked):
    adapter = simulate(click, failed=0.5)
    left = asked[::100]
    for _ in range(40):
        failed = [r.request for r in adapter.answer(left) if r.error]
        left = [(request,) for request in failed]
        if not left:
            break
    assert left == []


def test_models_differ_by_name_and_say_their_ability(click):
    abilities = {name: simulate(click, name=name).describe()["ability"] for name in "abcdefgh"}
    assert len(set(abilities.values())) == 8
    assert simulate(click, ability=0.25).describe()["ability"] == 0.25
    assert "sleep" not in simulate(click, sleep=0.01).describe()


def test_settings_may_be_request_settings(click):
    backend = find_backend("simulate:alpha").model_copy(update={"generation": {"ability": 1.5}})
    assert make(backend).describe()["ability"] == 1.5


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ({"abilty": 1}, "abilty"),
        ({"ability": "high"}, "ability"),
        ({"floor": 1.0}, "floor"),
        ({"out_of_option": 0.6, "filtered": 0.6}, "more than 1"),
        ({"difficulty_sd": -1}, "difficulty_sd"),
    ],
)
def test_parameters_that_do_not_fit(options, found):
    with pytest.raises(UsageError, match="parameters of the simulation") as caught:
        make(Backend(name="m", adapter="simulate", options=options))
    assert found in caught.value.found
    assert "position_bias" in caught.value.do


def test_an_item_without_a_key(click):
    with pytest.raises(UsageError, match="no answer key"):
        list(simulate(click).answer([group("Nowhere/x", "1", 4)]))


def test_every_parameter_is_described():
    assert all(name in Simulation.__doc__ for name in Simulation.model_fields)
