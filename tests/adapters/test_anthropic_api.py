"""The Anthropic API: what is sent, and how its answers are read."""

import json

import pytest

from click_stats.errors import DataError, UsageError
from click_stats.running.mapping import row_of


def one(lab, answer="A", *, fault=None, generation=None, system=""):
    """The response to one request, the server and the adapter."""
    server = lab.serve(answer=answer, fault=fault)
    adapter = lab.adapter("anthropic", server, generation=generation)
    (response,) = adapter.answer(lab.groups(1, system=system))
    return response, server, adapter


def message(lab, *blocks, stop="end_turn", usage=None):
    def answer(body):
        made = lab.server.completion("/messages", body, "")
        return {**made, "stop_reason": stop, "content": list(blocks), **({"usage": usage} if usage else {})}

    return answer


def test_what_is_sent(lab):
    _, server, adapter = one(lab, system="한국어로 답하시오.")
    (seen,) = server.seen
    assert seen.path == "/v1/messages"
    # Older SDKs send x-api-key, newer ones a bearer token.
    assert lab.keys["anthropic"] in f"{seen.headers.get('x-api-key', '')} {seen.headers.get('authorization', '')}"
    expected = {
        "model": "tiny-1",
        "messages": [{"role": "user", "content": seen.prompt}],
        "system": "한국어로 답하시오.",
        "max_tokens": 4096,
    }
    assert {name: seen.body[name] for name in expected} == expected
    described = adapter.describe()
    # Newer SDKs have no such argument; where there is one, it is 0.
    if "temperature" in seen.body:
        assert seen.body["temperature"] == described["sent"]["temperature"] == 0
    else:
        assert described["not_sent"]["temperature"] == "the SDK has no such argument"
        assert set(seen.body) == set(expected)
    assert described["sent"]["max_tokens"] == 4096
    assert described["served"] == ["tiny-1-20260101"]
    json.dumps(described)


@pytest.mark.parametrize(
    ("generation", "sent"),
    [
        ({"thinking": True}, {"thinking": {"type": "adaptive"}, "max_tokens": 20_000}),
        ({"thinking": False}, {"thinking": {"type": "disabled"}, "max_tokens": 4096}),
        ({"thinking": 2048}, {"thinking": {"type": "enabled", "budget_tokens": 2048}, "max_tokens": 20_000}),
        ({"thinking": 30_000}, {"thinking": {"type": "enabled", "budget_tokens": 30_000}, "max_tokens": 34_096}),
        ({"thinking": {"type": "adaptive"}, "max_tokens": 99}, {"thinking": {"type": "adaptive"}, "max_tokens": 99}),
        ({"effort": "low"}, {"output_config": {"effort": "low"}, "max_tokens": 20_000}),
        ({"temperature": 0.5}, {"temperature": 0.5}),
        ({"extra_body": {"top_k": 4}, "stop_sequences": ["\n"]}, {"top_k": 4, "stop_sequences": ["\n"]}),
    ],
)
def test_settings_are_passed_through_and_recorded(lab, generation, sent):
    _, server, adapter = one(lab, generation=generation)
    body = server.seen[0].body
    assert {name: body[name] for name in sent} == sent
    described = adapter.describe()
    flat = {**described["sent"], **described["sent"].get("extra_body", {})}
    assert {name: flat[name] for name in sent} == sent
    assert ("temperature" in described["not_sent"]) == ("temperature" not in body)


def test_text_blocks_are_the_answer_and_thinking_is_not(lab):
    blocks = (
        {"type": "thinking", "thinking": "A일까 B일까", "signature": "x"},
        {"type": "text", "text": "정답: "},
        {"type": "text", "text": "B"},
    )
    usage = {
        "input_tokens": 10,
        "cache_creation_input_tokens": 5,
        "cache_read_input_tokens": None,
        "output_tokens": 7,
    }
    response, _, _ = one(lab, message(lab, *blocks, usage=usage))
    assert response.text == "정답: B"
    assert (response.input_tokens, response.output_tokens) == (15, 7)


@pytest.mark.parametrize(
    ("stop", "text", "reason", "error", "status"),
    [
        ("end_turn", "", "stop", "", "empty"),
        ("stop_sequence", "A", "stop", "", "ok"),
        ("max_tokens", "", "length", "", "truncated"),
        ("max_tokens", "정답: A", "length", "", "ok"),
        ("model_context_window_exceeded", "", "length", "", "truncated"),
        ("refusal", "", "filter", "filtered", "filtered"),
        ("refusal", "정답은", "filter", "filtered", "filtered"),
        (None, "A", "", "", "ok"),
    ],
)
def test_how_answers_end(lab, stop, text, reason, error, status):
    blocks = ({"type": "text", "text": text},) if text else ()
    response, server, _ = one(lab, message(lab, *blocks, stop=stop))
    assert (response.text, response.finish_reason, response.error) == (text, reason, error)
    assert row_of(response, model="m", condition="default", policy="paper")["status"] == status
    assert len(server.seen) == 1


def test_an_account_without_credit(lab):
    text = "Your credit balance is too low to access the Anthropic API."
    fault = lab.server.status(400, kind="invalid_request_error", message=text)
    server = lab.serve(fault=lambda seen, number: fault)
    with pytest.raises(DataError, match="no credit left") as caught:
        list(lab.adapter("anthropic", server).answer(lab.groups(3)))
    assert "credit balance" in caught.value.found
    assert len(server.seen) == 1


def test_a_model_must_be_named(lab):
    with pytest.raises(UsageError, match="names no model"):
        lab.adapter("anthropic", lab.serve(), model="")
