"""The API adapters pass the tests of every adapter, and ``click-stats run`` asks a server over HTTP."""

import json
from pathlib import Path

import pytest
from conformance import Conformance, FailureConformance

INVENTED = Path(__file__).parents[2] / "fixtures" / "invented"
WORDS = ("--items", INVENTED / "items.jsonl", "--benchmark", INVENTED / "benchmark.toml")


class Api(Conformance, FailureConformance):
    service = ""
    secrets = ("sk-test-0123456789abcdef", "sk-ant-test-0123456789abcdef")
    lookahead = 100
    options = {}  # noqa: RUF012

    def answer(self, lab):
        return "정답: A"

    @pytest.fixture
    def adapter(self, lab):
        return lab.adapter(self.service, lab.serve(answer=self.answer(lab)), **self.options)

    @pytest.fixture
    def failing(self, lab):
        server = lab.serve(fault=lambda seen, number: lab.server.status(503, message="overloaded"))
        return lab.adapter(self.service, server, retries=1, **self.options)


class TestOpenAI(Api):
    service = "openai"


class TestAnthropic(Api):
    service = "anthropic"


class TestGeneratingServer(Api):
    service = "openai_compatible"
    options = {"method": "generate"}  # noqa: RUF012


class TestScoringServer(Api):
    service = "openai_compatible"

    def answer(self, lab):
        return lab.server.scored

    @pytest.fixture
    def failing(self, lab):
        """Scores while it is asked whether it can, and never again."""
        server = lab.serve(
            answer=lab.server.scored,
            fault=lambda seen, number: None if "물은 무엇인가" in seen.prompt else lab.server.status(503),
        )
        return lab.adapter(self.service, server, retries=1)


def first_label(lab):
    """Answers with the label shown first: one invented item has digits for labels."""
    return lambda body: f"정답: {lab.server.prompt_of(body).split('보기:')[1].split(':')[0].strip()}"


def rows(folder):
    return [json.loads(line) for line in (folder / "trials.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("kind", ["generate", "score"])
def test_a_run_on_a_server_from_the_command_line(lab, click_stats, tmp_path, kind):
    server = lab.serve(answer=first_label(lab) if kind == "generate" else lab.server.scored)
    name = f"openai_compatible:{server.address}/v1#tiny-1"
    words = ("run", name, *WORDS, "-o", tmp_path, "--protocol", "single", "--json")
    run = click_stats(*words, "--option", f"method={kind}", "--option", "concurrency=3")
    assert run.code == 0, run.err
    [summary] = json.loads(run.out)["runs"]
    assert summary["done"] == summary["total"] == summary["asked"] > 10
    [folder] = [path for path in tmp_path.iterdir() if path.is_dir()]
    assert {row["status"] for row in rows(folder)} == {"ok"}
    assert all((row["scores"] is not None) == (kind == "score") for row in rows(folder))
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["kind"] == kind
    assert manifest["adapter"]["address"] == f"{server.address}/v1"
    # What is stored is not asked again.
    before = len(server.seen)
    again = click_stats(*words, "--option", f"method={kind}", "--option", "concurrency=5")
    assert again.code == 0, again.err
    assert len(server.seen) - before == (kind == "score")  # the question whether it can score


def test_failed_trials_are_asked_again_and_filtered_ones_are_not(lab, click_stats, tmp_path):
    """S46, from the server to the stored row: neither is a wrong answer."""
    filtered = lab.server.status(400, code_text="content_filter", message="filtered")
    down = lab.server.status(500)
    order = []

    def fault(seen, number):
        if seen.prompt not in order:
            order.append(seen.prompt)
        return {1: filtered, 2: down}.get(order.index(seen.prompt))

    server = lab.serve(answer=first_label(lab), fault=fault)
    words = ("run", f"openai_compatible:{server.address}/v1#tiny-1", *WORDS, "-o", tmp_path, "--protocol", "single")
    words += ("--option", "method=generate", "--option", "retries=1", "--json")
    run = click_stats(*words)
    assert run.code == 0, run.err
    [folder] = [path for path in tmp_path.iterdir() if path.is_dir()]
    stored = rows(folder)
    odd = {row["status"]: row for row in stored if row["status"] != "ok"}
    assert set(odd) == {"filtered", "failed"}
    assert odd["filtered"]["prediction"] is None
    assert odd["failed"]["prediction"] is None
    server.fault = None
    billed = dict(server.completed)
    assert click_stats(*words).code == 0
    new = {prompt: n - billed.get(prompt, 0) for prompt, n in server.completed.items() if n != billed.get(prompt, 0)}
    assert new == {order[2]: 1}
    assert rows(folder)[-1]["item"] == odd["failed"]["item"]
    assert rows(folder)[-1]["status"] == "ok"


@pytest.mark.parametrize("debug", [False, True])
def test_no_key_on_the_screen_or_in_a_file(lab, click_stats, tmp_path, monkeypatch, debug):
    key = "sk-proj-VERYSECRET0123456789"
    monkeypatch.setenv("SERVER_KEY", key)
    message = f"Incorrect API key provided: {key}."
    server = lab.serve(fault=lambda seen, number: lab.server.status(401, message=message))
    words = [
        "run",
        f"openai_compatible:{server.address}/v1#tiny-1",
        *WORDS,
        "-o",
        tmp_path / "runs",
        "--protocol",
        "single",
    ]
    words += ["--option", "key_env=SERVER_KEY", "--option", "method=generate"]
    if debug:
        import traceback

        from click_stats.errors import UsageError

        with pytest.raises(UsageError, match="does not let us in") as caught:
            _main([*words, "--debug"])
        text = "".join(traceback.format_exception(caught.value))
    else:
        run = click_stats(*words)
        assert run.code == 2
        text = run.out + run.err
        assert "does not let us in" in text
        assert "Traceback" not in text
    assert "[key]" in text
    written = [path.read_text(encoding="utf-8") for path in tmp_path.rglob("*") if path.is_file()]
    for each in [text, *written]:
        assert "VERYSECRET" not in each
        assert "sk-proj" not in each


def _main(words):
    from click_stats.cli import main

    main([str(word) for word in words])


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("openai_compatible:{address}/v2#m", "answers with a web page"),
        ("openai_compatible:http://127.0.0.1:9/v1#m", "No server answers at http://127.0.0.1:9/v1"),
        ("openai_compatible:localhost#m", "The address is no URL of a server"),
        ("openai_compatible:m", "names no server"),
        ("openai:", "names no model"),
        ("opnai:gpt-4o", "There is no backend"),
    ],
)
def test_bad_input_is_one_clear_message(lab, click_stats, tmp_path, name, words):
    page = lab.server.Fault(body="<html>hello</html>", content_type="text/html")
    server = lab.serve(fault=lambda seen, number: page)
    run = click_stats("run", name.format(address=server.address), *WORDS, "-o", tmp_path, "--protocol", "single")
    assert run.code == 2
    assert words in run.err
    assert "to do:" in run.err
    assert "Traceback" not in run.err
