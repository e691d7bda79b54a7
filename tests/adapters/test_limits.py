"""Limits hold as the server measures them; a slow caller slows the calls; nothing is left behind."""

import asyncio
import itertools
import threading
import time

import pytest

from click_stats.adapters.calls import Calls
from click_stats.adapters.limits import Gate, Limits, Pace, TokenEstimate
from click_stats.errors import UsageError


def test_a_pace_spaces_costs_evenly_and_saves_nothing_up():
    pace = Pace(60)
    assert [pace.take(0.0, cost) for cost in (1, 2, 1)] == [0.0, 1.0, 3.0]
    assert pace.take(100.0, 1) == 100.0
    assert pace.take(100.0, 1) == 101.0
    pace.correct(3)
    assert pace.take(100.0, 1) == 105.0
    pace.correct(-1)
    assert pace.take(100.0, 1) == 105.0


def test_no_limit_lets_everything_pass_at_once():
    pace = Pace(None)
    assert [pace.take(5.0, 1e9) for _ in range(3)] == [5.0] * 3


def test_tokens_are_estimated_from_what_was_used():
    estimate = TokenEstimate()
    assert estimate(120) == 120
    estimate.learn(100, 50)
    estimate.learn(300, 250)
    assert estimate(100) == 75
    assert estimate(0) == 1


def test_a_pause_holds_back_what_had_its_turn_already():
    async def times():
        gate = Gate(Limits(requests_per_minute=600))
        clock = asyncio.get_running_loop().time
        begin = clock()
        passed = []

        async def go():
            await gate.enter(1)
            passed.append(clock() - begin)

        tasks = [asyncio.create_task(go()) for _ in range(4)]
        await asyncio.sleep(0.15)
        gate.pause(0.5)
        await asyncio.gather(*tasks)
        return passed

    passed = asyncio.run(times())
    assert len([at for at in passed if at < 0.2]) == 2
    late = [at for at in passed if at >= 0.2]
    assert min(late) >= 0.64
    assert late[1] - late[0] >= 0.09  # a pause does not let what waited pass in a heap


@pytest.mark.parametrize("options", [{"concurrency": 0}, {"requests_per_minute": 0}, {"deadline": -1}, {"speed": 3}])
def test_limits_that_cannot_be(lab, options):
    with pytest.raises(UsageError, match="wrong form"):
        lab.adapter("openai", lab.serve(), **options)


def test_concurrency_is_reached_and_not_passed(lab):
    server = lab.serve(delay=0.03)
    responses = list(lab.adapter("openai", server, concurrency=6).answer(lab.groups(60)))
    assert len(responses) == 60
    assert server.most_in_flight == 6


def test_the_first_request_goes_alone(lab):
    server = lab.serve(delay=0.1)
    list(lab.adapter("openai", server, concurrency=8).answer(lab.groups(9)))
    times = sorted(seen.arrived for seen in server.seen)
    assert times[1] - times[0] >= 0.1
    assert times[8] - times[1] < 0.6  # 0.7 one after the other


def never_early(server, spacing, learnt=0):
    """No request arrives before its place in an even row; those before the usage was learnt do not count."""
    times = sorted(seen.arrived for seen in server.seen)[learnt:]
    for place, at in enumerate(times):
        assert at - times[0] >= place * spacing - 0.02


def test_requests_per_minute_count_tries_too(lab):
    server = lab.serve(fault=lambda seen, number: lab.server.status(500) if number == 1 else None)
    adapter = lab.adapter("openai", server, requests_per_minute=1500, concurrency=16)
    assert len(list(adapter.answer(lab.groups(20)))) == 20
    assert len(server.seen) == 40
    never_early(server, 0.04)


def test_tokens_per_minute(lab):
    def answer(body):
        made = lab.server.completion("/chat/completions", body, "A")
        return {**made, "usage": {"prompt_tokens": 180, "completion_tokens": 20}}

    server = lab.serve(answer=answer)
    adapter = lab.adapter("openai", server, tokens_per_minute=120_000, concurrency=16)
    assert len(list(adapter.answer(lab.groups(21)))) == 21
    never_early(server, 0.1, learnt=1)  # 2,000 tokens a second are ten of these requests


def test_waiting_for_our_own_limits_does_not_use_up_the_deadline(lab):
    server = lab.serve()
    adapter = lab.adapter("openai", server, requests_per_minute=50, deadline=1.0)
    assert [response.error for response in adapter.answer(lab.groups(3))] == [""] * 3


def test_retry_after_holds_back_every_request(lab):
    asked = []

    def fault(seen, number):
        if seen.prompt.startswith("질문: 6번") and number == 1:
            asked.append(time.monotonic())
            return lab.server.status(429, retry_after=0.7)
        return None

    server = lab.serve(fault=fault, delay=0.02)
    responses = list(lab.adapter("openai", server, concurrency=2).answer(lab.groups(30)))
    assert len(responses) == 30
    (at,) = asked
    assert not [seen for seen in server.seen if at + 0.1 < seen.arrived < at + 0.65]
    assert len([seen for seen in server.seen if seen.arrived > at + 0.65]) > 15


def test_requests_are_drawn_only_as_fast_as_responses_are_taken(lab):
    drawn = itertools.count()
    latest = 0

    def groups():
        nonlocal latest
        for group in lab.groups(200):
            latest = next(drawn) + 1
            yield group

    server = lab.serve()
    responses = lab.adapter("openai", server, concurrency=4).answer(groups())
    for taken in range(1, 6):
        next(responses)
        time.sleep(0.1)
        assert latest <= taken + 2 * 4
    assert len(server.seen) <= 13
    assert len(list(responses)) == 195


def test_a_slow_caller_does_not_let_connections_time_out(lab):
    server = lab.serve(delay=0.05)
    responses = lab.adapter("openai", server, timeout=1.0, retries=0).answer(lab.groups(6))
    taken = []
    for response in responses:
        time.sleep(1.2 if len(taken) < 2 else 0)
        taken.append(response.error)
    assert taken == [""] * 6


def test_an_error_of_the_plan_comes_after_what_was_asked(lab):
    def groups():
        yield from lab.groups(5)
        raise ValueError("broken plan")

    server = lab.serve(delay=0.02)
    responses = []
    with pytest.raises(ValueError, match="broken plan"):
        responses.extend(lab.adapter("openai", server).answer(groups()))
    assert len(responses) == len(server.seen) == 5


def test_closing_early_stops_asking(lab):
    server = lab.serve(delay=0.05)
    adapter = lab.adapter("openai", server, concurrency=3)
    responses = adapter.answer(lab.groups(100))
    next(responses)
    next(responses)
    responses.close()
    adapter.close()
    adapter.close()
    n = len(server.seen)
    time.sleep(0.2)
    assert len(server.seen) == n <= 12
    assert not [thread for thread in threading.enumerate() if thread.name == "click-stats calls"]
    # A closed adapter opens again when it is asked again.
    assert len(list(adapter.answer(lab.groups(2)))) == 2


def test_an_interrupt_of_the_caller_leaves_no_thread_behind(lab):
    class Stop(BaseException):
        pass

    server = lab.serve(delay=0.05)
    adapter = lab.adapter("openai", server)

    def use():
        for _ in adapter.answer(lab.groups(50)):
            raise Stop

    with pytest.raises(Stop):
        use()
    adapter.close()
    assert not [thread for thread in threading.enumerate() if thread.name == "click-stats calls"]


def test_what_fails_in_the_loop_reaches_the_caller():
    async def broken():
        await asyncio.sleep(0)
        raise ZeroDivisionError

    calls = Calls(2, 5)
    try:
        with pytest.raises(ZeroDivisionError):
            calls.run(broken())
    finally:
        calls.close()
