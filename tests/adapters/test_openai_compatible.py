"""Servers that speak OpenAI's protocol: options ranked by log-probability where the server can, else generation."""

import pytest

from click_stats.adapters.backend import adapters, find_backend, read_backend
from click_stats.errors import UsageError

SERVICE = "openai_compatible"


def span_score(lab, prompt, option):
    """The summed log-probability of an option after a prompt on the test server: one token a byte."""
    begin = len(prompt.encode())
    return sum(lab.server.logprob(byte, begin + i) for i, byte in enumerate(option.encode()))


@pytest.mark.parametrize("n_options", [4, 5])
def test_options_are_ranked_by_the_log_probability_of_label_and_text(lab, n_options):
    """Hangul syllables are three tokens each on this server: counting characters would cut them in the wrong place."""
    server = lab.serve(answer=lab.server.scored)
    adapter = lab.adapter(SERVICE, server)
    assert adapter.capabilities.kind == "score"
    groups = lab.groups(6, n_options=n_options, rotations=n_options)
    responses = list(adapter.answer(groups))
    assert len(responses) == 6 * n_options
    for response in responses:
        request = response.request
        assert response.text is None
        assert response.error == ""
        assert response.scores == pytest.approx(
            [
                span_score(lab, request.prompt, f" {label}: {text}")
                for label, text in zip(request.labels, request.shown, strict=True)
            ]
        )
        assert response.output_tokens == n_options + 1
    assert len(server.seen) == 6 * n_options + 1  # one probe
    assert {seen.path for seen in server.seen} == {"/v1/completions"}
    described = adapter.describe()
    assert described["method"].startswith("summed log-probability")
    assert described["sent"] == {"echo": True, "logprobs": 1, "max_tokens": 1, "temperature": 0}
    assert "notes" not in described


def test_a_system_prompt_stands_before_the_prompt_when_options_are_scored(lab):
    server = lab.serve(answer=lab.server.scored)
    groups = lab.groups(1, system="지시")
    (response,) = lab.adapter(SERVICE, server).answer(groups)
    request = groups[0][0]
    assert server.seen[-1].body["prompt"][0] == f"지시\n\n{request.prompt}"
    assert response.scores[0] == pytest.approx(span_score(lab, f"지시\n\n{request.prompt}", f" A: {request.shown[0]}"))


def no_logprobs(lab):
    return lambda body: {"choices": [{"index": i, "text": "!", "logprobs": None} for i in range(len(body["prompt"]))]}


def generated_only(lab):
    """As servers do that ignore echo: log-probabilities of the generated token alone."""
    made = {"tokens": ["!"], "token_logprobs": [-0.5]}
    return lambda body: {"choices": [{"index": i, "text": "!", "logprobs": made} for i in range(len(body["prompt"]))]}


def merging(lab):
    """A tokenizer that merges the end of the prompt with what follows."""

    def answer(body):
        choices = lab.server.scored(body)["choices"]
        for choice in choices:
            if choice["index"]:
                choice["logprobs"]["tokens"][5] = "merged"
        return {"choices": choices}

    return answer


def miscounting(lab):
    """Counts no generated tokens, but gives them: they would pass for the end of the prompt."""

    def answer(body):
        made = lab.server.scored(body)
        made["usage"]["completion_tokens"] = 0
        return made

    return answer


def one_answer(lab):
    return lambda body: {**lab.server.scored(body), "choices": lab.server.scored(body)["choices"][:1]}


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (no_logprobs, "no log-probabilities"),
        (generated_only, "of the generated token only"),
        (merging, "change with the option"),
        (miscounting, "do not add up"),
        (one_answer, "several prompts at once"),
        (lambda lab: lambda body: {"object": "nothing"}, "unexpected form"),
    ],
)
def test_a_server_that_cannot_score_generates_and_says_why(lab, make, words):
    scoring = make(lab)
    server = lab.serve(answer=lambda body: scoring(body) if "echo" in body else "정답: B")
    adapter = lab.adapter(SERVICE, server)
    assert adapter.capabilities.kind == "generate"
    assert [response.text for response in adapter.answer(lab.groups(3))] == ["정답: B"] * 3
    described = adapter.describe()
    assert described["method"] == "generation (chat)"
    assert words in described["notes"][0]
    assert sum("echo" in seen.body for seen in server.seen) == 1
    with pytest.raises(UsageError, match="cannot rank options") as caught:
        list(lab.adapter(SERVICE, server, method="score").answer(lab.groups(3)))
    assert words in caught.value.found


def test_a_server_without_completions_generates(lab):
    missing = lab.server.status(404, message="no such route")
    server = lab.serve(answer="C", fault=lambda seen, number: missing if seen.path == "/v1/completions" else None)
    adapter = lab.adapter(SERVICE, server)
    assert [response.text for response in adapter.answer(lab.groups(2))] == ["C", "C"]
    assert "no such route" in adapter.describe()["notes"][0]


def test_scores_that_cannot_be_read_fail_that_request_alone(lab):
    groups = lab.groups(3)

    def answer(body):
        made = lab.server.scored(body)
        if body["prompt"][0] == groups[1][0].prompt:
            made["choices"][0]["logprobs"]["token_logprobs"][-2] = None
        return made

    server = lab.serve(answer=answer)
    responses = {r.request.item: r for r in lab.adapter(SERVICE, server).answer(groups)}
    assert responses["History/1"].error == "failed"
    assert "no log-probability" in responses["History/1"].note
    assert len(responses["History/0"].scores) == len(responses["History/2"].scores) == 4


def test_a_base_model_generates_through_completions(lab):
    server = lab.serve(answer=" B")
    adapter = lab.adapter(
        SERVICE,
        server,
        method="generate",
        endpoint="completions",
        generation={"max_tokens": 8, "stop": ["\n"], "top_k": 1},
    )
    (response,) = adapter.answer(lab.groups(1, system="지시"))
    assert (response.text, response.finish_reason) == (" B", "stop")
    (seen,) = server.seen
    assert seen.path == "/v1/completions"
    assert seen.body == {
        "model": "tiny-1",
        "prompt": f"지시\n\n{response.request.prompt}",
        "temperature": 0,
        "max_tokens": 8,
        "stop": ["\n"],
        "top_k": 1,
    }


def test_settings_of_chat(lab):
    server = lab.serve()
    generation = {"thinking": False, "extra_body": {"top_k": 1, "chat_template_kwargs": {"style": "short"}}}
    adapter = lab.adapter(SERVICE, server, method="generate", generation=generation)
    list(adapter.answer(lab.groups(1)))
    body = server.seen[0].body
    assert body["chat_template_kwargs"] == {"enable_thinking": False, "style": "short"}
    assert (body["top_k"], body["max_tokens"], body["temperature"]) == (1, 2048, 0)
    assert adapter.describe()["sent"]["max_tokens"] == 2048


def test_no_key_is_sent_unless_one_is_named(lab, monkeypatch):
    """The key of another service, which the environment may hold, must not reach somebody's server."""
    server = lab.serve()
    list(lab.adapter(SERVICE, server, method="generate").answer(lab.groups(1)))
    assert all(lab.keys["openai"] not in value for value in server.seen[0].headers.values())
    monkeypatch.setenv("SERVER_KEY", "token-abc-123456789")
    list(lab.adapter(SERVICE, server, method="generate", key_env="SERVER_KEY").answer(lab.groups(1)))
    assert server.seen[1].headers["authorization"] == "Bearer token-abc-123456789"


def test_the_only_model_of_a_server_need_not_be_named(lab):
    server = lab.serve(models=("the-one",))
    adapter = lab.adapter(SERVICE, server, model="", method="generate")
    list(adapter.answer(lab.groups(1)))
    assert server.seen[0].body["model"] == "the-one"
    assert adapter.describe()["model"] == "the-one"
    several = lab.serve(models=("one", "two"))
    with pytest.raises(UsageError, match="which model is meant") as caught:
        list(lab.adapter(SERVICE, several, model="").answer(lab.groups(1)))
    assert "one, two" in caught.value.found


def test_a_server_must_be_named(lab):
    with pytest.raises(UsageError, match="names no server") as caught:
        adapters()[SERVICE](find_backend(f"{SERVICE}:my-model"))
    assert "#MODEL" in caught.value.do


@pytest.mark.parametrize(
    ("name", "address", "model"),
    [
        ("http://localhost:8000/v1#my/model", "http://localhost:8000/v1", "my/model"),
        ("http://localhost:8000/v1", "http://localhost:8000/v1", ""),
        ("https://host/v1#m", "https://host/v1", "m"),
        ("my/model", "", "my/model"),
    ],
)
def test_backends_written_in_place(name, address, model):
    backend = find_backend(f"{SERVICE}:{name}")
    assert (backend.adapter, backend.address, backend.model) == (SERVICE, address, model)
    assert "/" not in backend.name


def test_a_key_in_a_backend_file_is_not_quoted(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('adapter = "openai"\nmodel = "m"\napi_key = "sk-pasted-here-123"\n')
    with pytest.raises(UsageError, match="wrong form") as caught:
        read_backend(path)
    assert "api_key" in caught.value.found
    assert "pasted" not in str(caught.value)
