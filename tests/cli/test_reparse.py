"""``--reparse`` from the command line: responses become answers, and disagreements are printed."""

import json

import pytest

HEADER = "id,trial,answer,pred,response\n"


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "m.csv"
    path.write_text(
        HEADER + "Kedu_history_1,0,,A,정답: B\nKedu_history_2,0,,C,C입니다\nKedu_history_3,0,,D,[cut]\n",
        encoding="utf-8",
    )
    return path


def test_import_prints_every_disagreement(click_stats, log, tmp_path):
    out = tmp_path / "trials.jsonl"
    run = click_stats("import", log, "--reparse", "paper", "-o", out)
    assert run.code == 0, run.err
    assert "account: reparsed" in run.out
    assert "1 differ from the files' own" in " ".join(run.err.split())
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [(row["prediction"], row["policy"], row["rule"]) for row in rows] == [
        (1, "paper", "cue"),
        (2, "paper", "single_label"),
        (3, "logged", None),
    ]


def test_import_without_disagreements_prints_no_such_table(click_stats, log):
    assert "reparsed" not in click_stats("import", log).out


def test_responses_alone_need_a_policy(click_stats, tmp_path):
    path = tmp_path / "m.csv"
    path.write_text("id,response\nKedu_history_1,정답: B\n", encoding="utf-8")
    refused = click_stats("import", path)
    assert refused.code == 1
    assert "--reparse paper" in refused.err
    assert click_stats("import", path, "--reparse", "lenient", "--quiet").code == 0


def test_an_unknown_policy_is_a_usage_error(click_stats, log):
    run = click_stats("compare", log, "--reparse", "strict")
    assert run.code == 2
    assert "paper, lenient" in run.err


def test_analyze_reads_again_and_says_so(click_stats, log, tmp_path):
    run = click_stats("analyze", "audit", log, "--reparse", "paper", "-o", tmp_path / "out", "--draws", "100", "--json")
    assert run.code == 0, run.err
    results = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))["results"]
    assert results["account"]["meta"]["policy"] == "paper"
    assert (tmp_path / "out" / "tables" / "extraction.policies.csv").is_file()
    assert [row[1] for row in results["extraction"]["tables"]["policies"]["rows"]] == ["paper", "lenient", "logged"]
