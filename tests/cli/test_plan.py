"""``click-stats plan``: sizes, prompts as a file, and costs that are never guessed unasked."""

import json
from pathlib import Path

import pytest

FIXTURES = Path(__file__).parents[2] / "fixtures"
INVENTED = ("--items", FIXTURES / "invented" / "items.jsonl", "--benchmark", FIXTURES / "invented" / "benchmark.toml")


def test_the_papers_protocol_over_the_packaged_keys(click_stats):
    run = click_stats("plan")
    assert (run.code, run.err) == (0, "")
    assert "24,708 (requests" in run.out
    assert "102,672" in run.out
    assert "1 (paper), 2 (click-stats), 3 (click-stats)" in run.out
    assert "note: Wordings by click-stats, not the paper's: 2, 3." in run.out
    assert "not counted: the items have no texts" in run.out
    assert click_stats("plan", "paper").out == run.out == click_stats("plan", "--protocol", "paper").out


def test_json_holds_the_facts(click_stats):
    facts = json.loads(click_stats("plan", "three-rotations", "--replicates", "2", "--json", *INVENTED).out)
    assert facts["n_trials"] == 2 * facts["n_prompts"] == 6 * 31
    assert facts["n_chars"] > 5_000
    assert facts["backends"] == []
    assert len(facts["plan_digest"]) == 16


def test_prompts_are_written_once(click_stats, tmp_path):
    path = tmp_path / "prompts.jsonl"
    run = click_stats("plan", "single", "--prompts", path, *INVENTED)
    assert run.code == 0
    assert "31 prompts written" in run.err
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert len(lines) == 31
    digits = next(line for line in lines if line["item"] == "Market/m7")
    assert "1, 2, 3, 4 중에 골라 번호 하나로" in digits["prompt"]
    assert digits["labels"] == ["1", "2", "3", "4"]
    again = click_stats("plan", "single", "--prompts", path, *INVENTED)
    assert again.code == 2
    assert "exists" in again.err
    assert click_stats("plan", "single", "--prompts", path, "--force", "--quiet", *INVENTED).err == ""


def test_prompts_need_texts(click_stats, tmp_path):
    run = click_stats("plan", "single", "--prompts", tmp_path / "prompts.jsonl")
    assert run.code == 1
    assert "--items" in run.err
    assert list(tmp_path.iterdir()) == []


def test_tokens_and_cost_are_unknown_unless_asked_for_roughly(click_stats):
    found = json.loads(click_stats("plan", "single", "gpt-4.1", "--json", *INVENTED).out)
    (entry,) = found["backends"]
    assert (entry["input_tokens"], entry["cost"], entry["rough"]) == (None, None, False)
    assert entry["how"].startswith("tokens unknown")

    rough = json.loads(click_stats("plan", "single", "gpt-4.1", "--chars-per-token", "2", "--json", *INVENTED).out)
    (entry,) = rough["backends"]
    assert entry["input_tokens"] == round(found["n_chars"] / 2)
    assert entry["cost"] == pytest.approx(entry["input_tokens"] * 2.0 / 1e6)
    assert entry["how"].startswith("ROUGH")
    assert "cost of the input alone" in entry["how"]

    words = ("--chars-per-token", "2", "--output-tokens", "5")
    full = json.loads(click_stats("plan", "single", "gpt-4.1", *words, "--json", *INVENTED).out)
    assert full["backends"][0]["output_tokens"] == 5 * 31
    assert full["backends"][0]["cost"] == pytest.approx(entry["cost"] + 155 * 8.0 / 1e6)
    text = click_stats("plan", "single", "gpt-4.1", *words, *INVENTED).out
    assert "input tokens  about " in text
    assert "cost          about 0." in text


def test_without_prices_or_texts_there_is_no_cost(click_stats):
    words = ("plan", "single", "gpt-5.2", "--json", "--output-tokens", "5", "--chars-per-token", "2")
    (entry,) = json.loads(click_stats(*words, *INVENTED).out)["backends"]
    assert entry["cost"] is None
    assert "no prices stated" in entry["how"]
    (entry,) = json.loads(click_stats(*words).out)["backends"]
    assert entry["input_tokens"] is None
    assert "items without texts" in entry["how"]


@pytest.mark.parametrize("words", [("--chars-per-token", "0"), ("--output-tokens", "-1"), ("--replicates", "0")])
def test_impossible_assumptions(click_stats, words):
    assert click_stats("plan", "single", "gpt-4.1", *words, *INVENTED).code == 2


def test_a_protocol_of_ones_own(click_stats, tmp_path):
    (tmp_path / "protocols").mkdir()
    (tmp_path / "protocols" / "mine.toml").write_text(
        'title = "Mine"\nrotations = 2\nsystem = "조교"', encoding="utf-8"
    )
    run = click_stats("plan", "mine", "--content", tmp_path, *INVENTED)
    assert run.code == 0
    assert "mine: Mine" in run.out
    assert "the first 2" in run.out
    assert "condition   system prompt " in run.out
    by_path = click_stats("plan", tmp_path / "protocols" / "mine.toml", *INVENTED)
    assert by_path.out == run.out


def test_unknown_names(click_stats):
    run = click_stats("plan", "papper")
    assert run.code == 2
    assert "papper" in run.err
    assert "paper" in run.err
    assert click_stats("plan", "--protocol", "papper").code == 2
