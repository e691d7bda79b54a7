import json
from pathlib import Path

LOGS = Path(__file__).parents[2] / "fixtures" / "harness-logs"
ITEMS = ("--items", LOGS / "items.jsonl")


def test_a_filter_is_asked_for_and_chosen(click_stats, tmp_path):
    run = click_stats("import", LOGS / "lm-eval", *ITEMS)
    assert run.code == 2
    assert "flexible, strict" in run.err
    assert "--filter NAME" in run.err
    out = tmp_path / "t.parquet"
    run = click_stats(
        "import", LOGS / "lm-eval", LOGS / "inspect" / "click_epochs.eval", *ITEMS, "--filter", "strict", "-o", out
    )
    assert run.code == 0
    assert "other filter" in run.out
    assert "--drop-hidden-options leaves them out" in run.err
    assert out.is_file()
    run = click_stats("import", out, *ITEMS, "--json")
    units = json.loads(run.out)["tables"]["sources"]
    assert "tiny-random-llama (strict)" in json.dumps(units)


def test_hidden_options_are_left_out_on_request(click_stats):
    run = click_stats(
        "compare",
        LOGS / "lm-eval-old",
        LOGS / "inspect" / "click_epochs.eval",
        *ITEMS,
        "--drop-hidden-options",
        "--json",
    )
    assert run.code == 0
    # Four of the 15 items have a hidden option, one more was filtered in every epoch.
    assert "Of 15 items, 10 were answered by all models compared." in json.loads(run.out)["meta"]["warnings"]
    run = click_stats("import", LOGS / "lm-eval-old", *ITEMS, "--drop-hidden-options")
    assert run.code == 0
    assert "an option was not shown" in run.out
