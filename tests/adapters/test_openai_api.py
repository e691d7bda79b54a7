"""The OpenAI API: what is sent, and how its answers are read."""

import json

import pytest

from click_stats.errors import UsageError
from click_stats.running.mapping import row_of

THOUGHT = "<think>A일까 C일까. 정답은 A인 듯하다.</think>\nC"


def one(lab, answer, *, fault=None, generation=None, system="", **options):
    """The response to one request, the server and the adapter."""
    server = lab.serve(answer=answer, fault=fault)
    adapter = lab.adapter("openai", server, generation=generation, **options)
    (response,) = adapter.answer(lab.groups(1, system=system))
    return response, server, adapter


def chat(lab, content, finish="stop", **message):
    def answer(body):
        made = lab.server.completion("/chat/completions", body, content, finish=finish)
        made["choices"][0]["message"].update(message)
        return made

    return answer


def test_what_is_sent(lab):
    _, server, adapter = one(lab, "A", system="한국어로 답하시오.")
    (seen,) = server.seen
    assert seen.path == "/v1/chat/completions"
    assert seen.headers["authorization"] == f"Bearer {lab.keys['openai']}"
    assert seen.body == {
        "model": "tiny-1",
        "messages": [
            {"role": "system", "content": "한국어로 답하시오."},
            {"role": "user", "content": seen.prompt},
        ],
        "temperature": 0,
    }
    described = adapter.describe()
    assert described["sent"] == {"temperature": 0}
    assert described["not_sent"] == {}
    assert described["served"] == ["tiny-1-2026-01-01"]
    assert described["sdk"].startswith("openai ")
    json.dumps(described)


def test_settings_are_passed_through_and_recorded(lab):
    generation = {
        "effort": "high",
        "max_tokens": 64,
        "temperature": 0.7,
        "seed": 3,
        "top_k": 5,
        "extra_body": {"min_p": 0.1},
    }
    _, server, adapter = one(lab, "A", generation=generation)
    body = server.seen[0].body
    assert {name: body[name] for name in body if name not in {"model", "messages"}} == {
        "reasoning_effort": "high",
        "max_completion_tokens": 64,
        "temperature": 0.7,
        "seed": 3,
        "top_k": 5,
        "min_p": 0.1,
    }
    sent = adapter.describe()["sent"]
    assert sent["reasoning_effort"] == "high"
    assert sent["extra_body"] == {"top_k": 5, "min_p": 0.1}
    assert generation["effort"] == "high"  # the caller's table is left alone


def test_extra_body_must_be_a_table(lab):
    with pytest.raises(UsageError, match="extra_body is no table"):
        lab.adapter("openai", lab.serve(), generation={"extra_body": "min_p=1"})


def rejects_temperature(lab):
    rejected = lab.server.status(
        400,
        message="Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value.",
        code_text="unsupported_value",
        kind="invalid_request_error",
    )
    return lambda seen, number: rejected if "temperature" in seen.body else None


def test_a_model_that_rejects_temperature_is_asked_once_with_it(lab):
    server = lab.serve(fault=rejects_temperature(lab))
    adapter = lab.adapter("openai", server)
    responses = list(adapter.answer(lab.groups(10)))
    assert [response.text for response in responses] == ["A"] * 10
    assert sum("temperature" in seen.body for seen in server.seen) == 1
    assert len(server.seen) == 11
    described = adapter.describe()
    assert described["sent"] == {}
    assert "does not support 0" in described["not_sent"]["temperature"]


def test_a_temperature_that_the_user_set_is_not_dropped(lab):
    server = lab.serve(fault=rejects_temperature(lab))
    adapter = lab.adapter("openai", server, generation={"temperature": 0.2})
    with pytest.raises(UsageError, match="rejects the first request") as caught:
        list(adapter.answer(lab.groups(3)))
    assert "temperature" in caught.value.found
    assert len(server.seen) == 1


@pytest.mark.parametrize(
    ("content", "finish", "text", "reason", "status", "answer"),
    [
        ("B", "stop", "B", "stop", "ok", 1),
        (THOUGHT, "stop", THOUGHT, "stop", "ok", 2),
        ("", "stop", "", "stop", "empty", None),
        (None, "stop", "", "stop", "empty", None),
        (None, "length", "", "length", "truncated", None),
        ("<think>정답은 B", "length", "<think>정답은 B", "length", "truncated", None),
        ([{"type": "text", "text": "정답: "}, {"type": "text", "text": "D"}], "stop", "정답: D", "stop", "ok", 3),
        ("D", "something new", "D", "", "ok", 3),
        ("D", None, "D", "", "ok", 3),
    ],
)
def test_answers_and_what_becomes_of_them(lab, content, finish, text, reason, status, answer):
    """S08: a reasoning block stays in the text, and is not the answer; S09: a cut one is truncated, not empty."""

    def whole(body):
        made = lab.server.completion("/chat/completions", body, "")
        made["choices"][0] = {
            "index": 0,
            "message": {"role": "assistant", "content": content, "reasoning_content": "… 정답은 B"},
            "finish_reason": finish,
        }
        return made

    response, _, _ = one(lab, whole)
    assert (response.text, response.finish_reason, response.error) == (text, reason, "")
    row = row_of(response, model="m", condition="default", policy="paper")
    assert (row["status"], row["prediction"]) == (status, answer)
    assert row["text"] == text


def test_a_filter_in_the_middle_of_an_answer(lab):
    response, server, _ = one(lab, chat(lab, "정답은", finish="content_filter"))
    assert (response.error, response.finish_reason, response.text) == ("filtered", "filter", "정답은")
    assert len(server.seen) == 1
    row = row_of(response, model="m", condition="default", policy="paper")
    assert (row["status"], row["prediction"]) == ("filtered", None)


def test_a_refusal_is_what_the_model_said(lab):
    response, _, _ = one(lab, chat(lab, None, refusal="I cannot help with that."))
    assert (response.text, response.finish_reason, response.error) == ("I cannot help with that.", "refusal", "")
    assert row_of(response, model="m", condition="default", policy="paper")["status"] == "refused"


def test_an_error_in_a_complete_answer_is_a_failure(lab):
    response, server, _ = one(lab, lambda _: {"error": {"message": "upstream model is gone", "code": 502}})
    assert (response.error, response.text) == ("failed", None)
    assert "upstream model is gone" in response.note
    assert len(server.seen) == 1


def test_usage_that_is_not_stated_is_unknown(lab):
    def answer(body):
        made = lab.server.completion("/chat/completions", body, "A")
        del made["usage"]
        return made

    response, _, _ = one(lab, answer)
    assert (response.input_tokens, response.output_tokens) == (None, None)


@pytest.mark.parametrize(
    "error",
    [
        {"message": "flagged", "code": "content_policy_violation"},
        {"message": "Invalid prompt: flagged as violating our usage policy.", "code": "invalid_prompt"},
        {"message": "x", "code": None, "innererror": {"code": "ResponsibleAIPolicyViolation"}},
        {"message": "The response was filtered due to the prompt triggering content management policy."},
    ],
)
def test_forms_of_content_filters(lab, error):
    fault = lab.server.Fault(status=400, body=json.dumps({"error": error}))
    response, server, _ = one(lab, "A", fault=lambda seen, number: fault)
    assert response.error == "filtered"
    assert len(server.seen) == 1


def test_an_overlong_prompt_fails_alone(lab):
    groups = lab.groups(4)
    long = lab.server.status(400, code_text="context_length_exceeded", message="maximum context length is 10 tokens")
    server = lab.serve(fault=lambda seen, number: long if seen.prompt == groups[2][0].prompt else None)
    responses = {r.request.item: r for r in lab.adapter("openai", server).answer(groups)}
    assert [responses[f"History/{i}"].error for i in range(4)] == ["", "", "failed", ""]
    assert "maximum context length" in responses["History/2"].note


def test_a_model_must_be_named(lab):
    with pytest.raises(UsageError, match="names no model"):
        lab.adapter("openai", lab.serve(), model="")


def test_an_unknown_model_is_told_with_those_there_are(lab):
    unknown = lab.server.status(404, code_text="model_not_found", message="The model `tiny-9` does not exist")
    server = lab.serve(fault=lambda seen, number: unknown, models=("tiny-1", "tiny-2"))
    with pytest.raises(UsageError, match="has no model 'tiny-9'") as caught:
        list(lab.adapter("openai", server, model="tiny-9").answer(lab.groups(3)))
    assert "tiny-1, tiny-2" in caught.value.found
    assert len(server.seen) == 1
