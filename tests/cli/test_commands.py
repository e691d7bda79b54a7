"""Every command on real input: what goes to stdout, what to stderr, and the exit code."""

import json

import pandas as pd
import pytest

from click_stats import __version__

FAST = ("--draws", "1000", "--quiet")


def test_version_and_help(click_stats):
    assert click_stats("--version").out == f"{__version__}\n"
    shown = click_stats("--help")
    assert shown.code == 0
    for command in ("report", "analyze", "compare", "import", "items", "doctor"):
        assert command in shown.out
        assert click_stats(command, "--help").code == 0


def test_analyze_writes_the_tables(click_stats, three_files, tmp_path):
    out = tmp_path / "results"
    run = click_stats("analyze", "audit", *three_files, "-o", out, *FAST)
    assert (run.code, run.out) == (0, "")
    data = json.loads((out / "results.json").read_text(encoding="utf-8"), parse_constant=pytest.fail)
    assert list(data["results"]) == [
        "account",
        "items",
        "models",
        "extraction",
        "accuracy",
        "compare",
        "ranks",
        "power",
        "conditions",
    ]
    estimates = pd.read_csv(out / "tables" / "accuracy.estimates.csv")
    assert set(estimates["by"]) == {"overall", "macro", "domain", "category"}
    written = {path.name for path in (out / "tables").iterdir()}
    expected = {f"{name}.{table}.csv" for name, result in data["results"].items() for table in result["tables"]}
    assert written == expected
    manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["version"] == __version__
    assert str(tmp_path) not in (out / "results.json").read_text(encoding="utf-8")


def test_the_same_call_gives_the_same_bytes(click_stats, three_files):
    first = click_stats("analyze", "audit", *three_files, "--json", *FAST)
    second = click_stats("analyze", "audit", *three_files, "--json", *FAST)
    assert first.out == second.out
    other = click_stats("analyze", "audit", *three_files, "--json", "--seed", "5", *FAST)
    assert json.loads(other.out)["meta"]["seed"] == 5
    assert other.out != first.out


def test_options_reach_the_analyses(click_stats, three_files):
    run = click_stats(
        *("analyze", "audit", *three_files, "--json", "--reference", "gpt-4o", "--level", "0.9", "--margin", "0.02"),
        *("--denominator", "planned", "--interval", "t", "--pairwise-items", *FAST),
    )
    data = json.loads(run.out)
    parameters = data["meta"]["parameters"]
    assert parameters["accuracy"]["level"] == parameters["compare"]["level"] == 0.9
    assert parameters["accuracy"]["interval"] == "t"
    assert parameters["power"]["margin"] == parameters["compare"]["margin"] == 0.02
    assert parameters["ranks"]["pairwise_items"] is True
    assert data["results"]["compare"]["meta"]["reference"] == "gpt-4o"


def test_compare_prints_two_tables(click_stats, three_files):
    run = click_stats("compare", *three_files, "--reference", "gpt-4o", "--draws", "1000")
    assert run.code == 0
    assert "80.5" in run.out  # accuracy of gpt-4o
    assert "separated" in run.out
    assert "only 14 were answered" in run.err
    assert "95% intervals: clustered Wilson" in run.err
    assert "2 tests (against gpt-4o, overall)" in run.err
    notes = [line for line in run.err.splitlines() if line.startswith("note:")]
    assert len(notes) == len(set(notes))


def test_compare_keeps_to_the_table_of_models(click_stats, three_files, tmp_path):
    table = tmp_path / "models.csv"
    table.write_text("model,include\nnova-2-lite-medium,yes\ngpt-5-nano,no\ngpt-4o,yes\n", encoding="utf-8")
    run = click_stats("compare", *three_files, "--models", table, "--quiet", *FAST)
    scores = run.out.split("compare: reference")[0].splitlines()
    assert [line.split()[0] for line in scores if "all items" in line] == ["nova-2-lite-medium", "gpt-4o"]
    assert "gpt-5-nano" not in run.out
    table.write_text("model,include\nnova-2-lite-medium,no\ngpt-5-nano,no\ngpt-4o,no\n", encoding="utf-8")
    assert click_stats("compare", *three_files, "--models", table).code == 2


def test_compare_of_one_model_prints_no_empty_table(click_stats, three_files):
    run = click_stats("compare", three_files[0], "--draws", "200")
    assert run.code == 0
    assert "accuracy: estimates" in run.out
    assert "compare: reference" not in run.out
    assert "one model: nothing to compare" in run.err


def test_compare_in_korean_by_category(click_stats, three_files):
    run = click_stats("compare", *three_files, "--by", "category", "--lang", "ko", *FAST)
    assert run.code == 0
    assert run.err == ""
    assert "추정값" in run.out
    assert "under half" in run.out or "절반" in run.out


def test_import_writes_a_table_that_can_be_read_again(click_stats, three_files, tmp_path):
    path = tmp_path / "trials.parquet"
    run = click_stats("import", *three_files, "-o", path, "--quiet")
    assert run.code == 0
    assert "1,975" in run.out
    again = click_stats("compare", path, "--reference", "gpt-4o", "--json", *FAST)
    direct = click_stats("compare", *three_files, "--reference", "gpt-4o", "--json", *FAST)
    assert again.code == 0, again.err
    assert json.loads(again.out)["tables"]["estimates"] == json.loads(direct.out)["tables"]["estimates"]
    refused = click_stats("import", *three_files, "-o", path)
    assert refused.code == 2
    assert "--force" in refused.err
    assert click_stats("import", *three_files, "-o", path, "--force", "--quiet").code == 0


def test_import_prints_the_account_as_json(click_stats, three_files):
    run = click_stats("import", *three_files, "--json")
    account = json.loads(run.out)
    assert [row[0] for row in account["tables"]["sources"]["rows"]] == [path.name for path in sorted(three_files)]


def test_analyze_says_which_analysis_stepped_aside(click_stats, three_files, tmp_path):
    run = click_stats("analyze", "irt", *three_files, "-o", tmp_path / "irt")
    assert run.code == 0
    assert "irt stepped aside. An item response model needs at least 6 models" in run.err


def test_items(click_stats):
    assert "1,995 items" in click_stats("items", "check").out
    assert json.loads(click_stats("items", "check", "--json").out)["n_items"] == 1995
    listed = click_stats("items", "list", "--category", "Economy").out.splitlines()
    assert len(listed) == 1 + 59
    shown = json.loads(click_stats("items", "show", "Kedu_16_1", "--json").out)
    assert [row["item"] for row in shown] == ["Functional/Kedu_16_1", "Grammar/Kedu_16_1"]
    assert all(row["gold_label"] == row["labels"][row["gold"]] for row in shown)
    unknown = click_stats("items", "show", "nothing")
    assert (unknown.code, unknown.out) == (2, "")
    assert "items list" in unknown.err


def test_another_benchmark_runs_through_the_same_calls(click_stats, request, tmp_path):
    folder = request.config.rootpath / "fixtures" / "invented"
    options = ("--benchmark", folder / "benchmark.toml", "--items", folder / "items.jsonl")
    shown = click_stats("items", "check", *options)
    assert "Rainbow Island" in shown.out
    results = folder / "results.csv"
    run = click_stats("analyze", "audit", results, *options, "--columns", "item_id=id", "-o", tmp_path / "o", *FAST)
    assert run.code == 0, run.err
    estimates = pd.read_csv(tmp_path / "o" / "tables" / "accuracy.estimates.csv")
    assert set(estimates.loc[estimates["by"] == "category", "group"]) == {"Sea", "Market", "Words"}


def test_doctor_says_what_each_lack_costs(click_stats):
    run = click_stats("doctor")
    assert run.code == 0
    assert "Quarto" in run.out
    for finding in json.loads(click_stats("doctor", "--json").out):
        assert finding["found"] or (finding["cost"] and finding["remedy"])


def test_one_model_is_no_error(click_stats, three_files):
    run = click_stats("analyze", "audit", three_files[0], "--json", *FAST)
    assert run.code == 0
    compare = json.loads(run.out)["results"]["compare"]
    assert compare["tables"]["estimates"]["rows"] == []
    assert compare["meta"]["warnings"]
