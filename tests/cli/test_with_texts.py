"""Texts of items in results: only when asked for, only where there are some."""

import json


def analysed(click_stats, request, out, *options):
    folder = request.config.rootpath / "fixtures" / "invented"
    return click_stats(
        "analyze", "item_analysis", folder / "results.csv", "--benchmark", folder / "benchmark.toml",
        "-o", out, "--quiet", *options,
    )  # fmt: skip


def texts_of(request):
    lines = (request.config.rootpath / "fixtures" / "invented" / "items.jsonl").read_text(encoding="utf-8")
    return {json.loads(line)["question"] for line in lines.splitlines()}


def test_texts_only_when_asked_for(click_stats, request, tmp_path):
    items = ("--items", request.config.rootpath / "fixtures" / "invented" / "items.jsonl")
    flags = ("--set", "least_score=0.01")  # three models: some item is in doubt at this score
    assert analysed(click_stats, request, tmp_path / "without", *items, *flags).code == 0
    assert analysed(click_stats, request, tmp_path / "with", *items, *flags, "--with-texts").code == 0
    results = {
        name: json.loads((tmp_path / name / "results.json").read_text(encoding="utf-8"))["results"]["item_analysis"]
        for name in ("without", "with")
    }
    assert not any(question in json.dumps(results["without"], ensure_ascii=False) for question in texts_of(request))
    assert any("not for publication" in warning for warning in results["with"]["meta"]["warnings"])
    rows = results["with"]["tables"]["texts"]["rows"]
    assert rows
    assert {question for _, _, question in rows} <= texts_of(request)
    assert (tmp_path / "with" / "tables" / "item_analysis.texts.csv").exists()


def test_there_must_be_texts(click_stats, three_files, tmp_path):
    run = click_stats("analyze", "item_analysis", *three_files, "-o", tmp_path / "out", "--with-texts", "--quiet")
    assert run.code == 2
    assert "keys only" in run.err
    assert "--items" in run.err


def test_a_study_that_shows_no_items_has_no_texts(click_stats, three_files, tmp_path):
    run = click_stats("analyze", "ranks", *three_files, "-o", tmp_path / "out", "--with-texts", "--quiet")
    assert run.code == 2
    assert "with_texts" in run.err
