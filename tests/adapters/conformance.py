"""What every adapter must do, as tests: derive a class, give it the fixture ``adapter``, and pytest runs them.

    from conformance import Conformance

    class TestMine(Conformance):
        secrets = ("sk-test",)                  # what must not appear anywhere

        @pytest.fixture
        def adapter(self):
            return make(Backend(name="mine", adapter="mine", model="tiny"))

``groups`` may be overridden where an adapter knows only certain items. An adapter that can be made to fail on a
request also derives from :class:`FailureConformance` and gives ``failing``.
"""

import dataclasses
import itertools
import json
import math

import pytest

from click_stats.adapters.base import Adapter, Capabilities, Request, Response

LABELS = "ABCDE"
FINISHES = {"", "stop", "length", "filter", "refusal"}


def group(item, wording, n_options, replicates=1):
    """The requests of an item in one wording, all rotations, with texts of a made-up benchmark."""
    options = ["등대", "방파제", "갯벌", "염전", "나루"][:n_options]
    requests = []
    for rotation in range(n_options):
        shown = tuple(options[(place + rotation) % n_options] for place in range(n_options))
        lines = "\n".join(f"{label}: {text}" for label, text in zip(LABELS, shown, strict=False))
        prompt = f"질문: 무지개섬 {item}에서 가장 높은 것은?\n보기:\n{lines}\n정답:"
        for replicate in range(replicates):
            labels = tuple(LABELS[:n_options])
            requests.append(Request(item, wording, rotation, replicate, n_options, labels, prompt, shown))
    return tuple(requests)


class Conformance:
    """Tests that any adapter passes."""

    secrets = ()
    lookahead = 2000
    """Requests that an adapter may take before its first answer; a run has 24,708 and may be endless."""

    @pytest.fixture
    def adapter(self):
        raise NotImplementedError("give the fixture `adapter`")

    @pytest.fixture(autouse=True)
    def _closing(self, adapter):
        yield
        adapter.close()

    def groups(self):
        """Five groups: four and five options, two wordings, replicates."""
        return [
            group("Sea/c1", "1", 4),
            group("Sea/c1", "2", 4),
            group("Sea/c2", "1", 5),
            group("Sea/c3", "1", 4, replicates=2),
            group("Sea/c4", "1", 2),
        ]

    def test_it_is_an_adapter(self, adapter):
        assert isinstance(adapter, Adapter)
        capabilities = adapter.capabilities
        assert isinstance(capabilities, Capabilities)
        assert capabilities.kind in {"score", "generate"}
        assert adapter.capabilities == capabilities

    def test_each_request_is_answered_exactly_once(self, adapter):
        groups = self.groups()
        wanted = [request.key for requests in groups for request in requests]
        responses = list(adapter.answer(iter(groups)))
        assert all(isinstance(response, Response) for response in responses)
        assert sorted(response.request.key for response in responses) == sorted(wanted)
        asked = {request.key: request for requests in groups for request in requests}
        assert all(response.request == asked[response.request.key] for response in responses)

    def test_a_group_may_lack_what_is_stored_already(self, adapter):
        """After an interruption only a part of a group is left to be asked."""
        groups = [requests[1:] for requests in self.groups()[:2]] + [self.groups()[2][:1]]
        wanted = [request.key for requests in groups for request in requests]
        assert sorted(response.request.key for response in adapter.answer(iter(groups))) == sorted(wanted)

    def test_answers_are_of_the_stated_kind(self, adapter):
        scored = adapter.capabilities.kind == "score"
        for response in adapter.answer(iter(self.groups())):
            assert response.error in {"", "filtered", "failed"}
            assert response.finish_reason in FINISHES
            assert not (response.error and response.scores is not None)
            if response.error:
                continue
            if scored:
                assert response.text is None
                assert len(response.scores) == response.request.n_options
                assert all(isinstance(score, float) and not math.isnan(score) for score in response.scores)
            else:
                assert response.scores is None
                assert isinstance(response.text, str)

    def test_usage_is_counted_or_left_out(self, adapter):
        for response in adapter.answer(iter(self.groups()[:2])):
            for value in (response.input_tokens, response.output_tokens, response.seconds):
                assert value is None or value >= 0
            for value in (response.input_tokens, response.output_tokens):
                assert value is None or isinstance(value, int)

    def test_requests_are_taken_as_they_are_needed(self, adapter):
        taken = 0

        def endless():
            nonlocal taken
            for requests in itertools.cycle(self.groups()):
                for replicate in itertools.count(100 * (1 + taken)):
                    taken += len(requests)
                    yield tuple(dataclasses.replace(request, replicate=replicate) for request in requests)
                    break

        answers = adapter.answer(endless())
        assert len(list(itertools.islice(answers, 3))) == 3
        assert taken <= self.lookahead
        answers.close()

    def test_nothing_to_ask(self, adapter):
        assert list(adapter.answer(iter([]))) == []

    def test_it_can_be_asked_again(self, adapter):
        groups = self.groups()[:1]
        for _ in range(2):
            assert len(list(adapter.answer(iter(groups)))) == len(groups[0])

    def test_the_key_is_out_of_its_reach(self, adapter):
        names = {field.name for field in dataclasses.fields(Request)}
        assert not names & {"gold", "answer", "correct", "key_option"}
        assert adapter.capabilities.simulated or not hasattr(adapter, "hold")

    def test_its_description_is_json_without_secrets(self, adapter):
        before = json.dumps(dict(adapter.describe()), ensure_ascii=False, allow_nan=False)
        list(adapter.answer(iter(self.groups()[:1])))
        after = json.dumps(dict(adapter.describe()), ensure_ascii=False, allow_nan=False)
        for secret in self.secrets:
            assert secret not in before + after + repr(adapter) + str(vars(adapter))

    def test_what_it_says_of_itself_lasts(self, adapter):
        """A run is resumed only under the same description, so that two adapters made alike must say the same."""
        from click_stats.running.manifest import lasting

        assert lasting(adapter) == lasting(adapter)
        assert json.loads(json.dumps(lasting(adapter))) is not None

    def test_closing_twice_is_no_error(self, adapter):
        list(adapter.answer(iter(self.groups()[:1])))
        adapter.close()
        adapter.close()

    def test_closing_unused_is_no_error(self, adapter):
        adapter.close()


class FailureConformance:
    """What holds of requests that fail: give the fixture ``failing``, an adapter that gets no answer to any request."""

    @pytest.fixture
    def failing(self):
        raise NotImplementedError("give the fixture `failing`")

    def test_errors_are_responses(self, failing):
        groups = [group("Sea/c1", "1", 4)] if not hasattr(self, "groups") else self.groups()[:1]
        responses = list(failing.answer(iter(groups)))
        failing.close()
        assert sorted(r.request.key for r in responses) == sorted(q.key for requests in groups for q in requests)
        for response in responses:
            assert response.error in {"failed", "filtered"}
            assert response.scores is None
            assert response.note
