"""The explorer from the command line, and beside a report: keys only, unless texts are there and asked for."""

import json

import pytest

import click_stats as cs
from click_stats.errors import UsageError

QUICK = ("--quick", "--quiet")
QUESTION = "Which of these words was invented for this test?"


@pytest.fixture
def invented(tmp_path):
    """Items of an invented benchmark with texts, its definition, and answers of two models."""
    (tmp_path / "mine.toml").write_text(
        'name = "Mine"\n[[domains]]\nname = "D"\n[[categories]]\nname = "C"\ndomain = "D"\nlabel_ko = "범주 하나"\n'
        '[[sources]]\nname = "S"\n',
        encoding="utf-8",
    )
    items = [
        {"id": f"S_{k}", "category": "C", "source": "S", "question": f"{QUESTION} ({k})", "options": ["ba", "be", "bi"], "answer": "be"}
        for k in range(3)
    ]  # fmt: skip
    (tmp_path / "items.json").write_text(json.dumps(items), encoding="utf-8")
    lines = ["model,id,prediction", *(f"{model},S_{k},{k}" for model in ("one", "two") for k in range(3))]
    (tmp_path / "answers.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return ("--items", tmp_path / "items.json", "--benchmark", tmp_path / "mine.toml")


def test_one_file_from_result_files(click_stats, three_files, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run = click_stats("explore", *three_files, "--lang", "ko", *QUICK)
    assert (run.code, run.out, run.err) == (0, "explorer.html\n", "")
    page = (tmp_path / "explorer.html").read_text(encoding="utf-8")
    assert '<html lang="ko">' in page
    assert "History/Kedu_history_23" in page
    again = click_stats("explore", *three_files, *QUICK)
    assert again.code == 2
    assert "--force" in again.err
    assert (tmp_path / "explorer.html").read_text(encoding="utf-8") == page
    assert click_stats("explore", *three_files, "--force", *QUICK).code == 0


def test_texts_only_when_asked_for(click_stats, invented, tmp_path):
    answers, out = tmp_path / "answers.csv", tmp_path / "out.html"
    run = click_stats("explore", answers, *invented, "-o", out, *QUICK)
    assert run.code == 0, run.err
    assert QUESTION not in out.read_text(encoding="utf-8")  # the items have texts, but nobody asked
    run = click_stats("explore", answers, *invented, "-o", out, "--force", "--with-texts", *QUICK)
    assert run.code == 0, run.err
    page = out.read_text(encoding="utf-8")
    assert f"{QUESTION} (2)" in page
    assert "not for publication" in page.split('id="data"')[0]


def test_texts_that_are_not_there_are_refused(click_stats, three_files, tmp_path):
    run = click_stats("explore", three_files[0], "-o", tmp_path / "out.html", "--with-texts", *QUICK)
    assert run.code == 2
    assert "keys only" in run.err
    assert "--items PATH" in run.err
    assert not (tmp_path / "out.html").exists()


@pytest.mark.parametrize(
    ("options", "says"), [(("--lang", "fr"), "no language 'fr'"), (("--set", "colour=1"), "colour")]
)
def test_wrong_options_say_so(click_stats, three_files, tmp_path, options, says):
    run = click_stats("explore", three_files[0], "-o", tmp_path / "out.html", *options, *QUICK)
    assert run.code == 2
    assert says in run.err
    assert list(tmp_path.iterdir()) == []


def test_from_python(three_files, tmp_path):
    trials = cs.read_trials(three_files)
    path = cs.explore(trials, out=tmp_path / "mine.html", quick=True)
    assert path == tmp_path / "mine.html"
    with pytest.raises(UsageError, match="exists"):
        cs.explore(trials, out=path, quick=True)


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_any_report_may_have_it_beside(click_stats, three_files, tmp_path, lang):
    report = tmp_path / "mine" / "reports" / "brief"
    report.mkdir(parents=True)
    (report / "report.toml").write_text('beside = ["explorer"]\n', encoding="utf-8")
    for language in ("en", "ko"):
        text = f"---\ntitle: Brief\nlang: {language}\n---\n\n[<< beside.explorer >>](<< beside.explorer >>)\n"
        (report / f"report.{language}.qmd.jinja").write_text(text, encoding="utf-8")
    (tmp_path / "mine" / "analyses").mkdir()
    study = 'name = "brief"\n[analyses.accuracy]\n[analyses.item_answers]\n'
    (tmp_path / "mine" / "analyses" / "brief.toml").write_text(study, encoding="utf-8")
    words = ("report", "brief", *three_files, "--content", tmp_path / "mine", "--lang", lang, "-o", tmp_path / "out")
    run = click_stats(*words, "--to", "", "--json", "--quiet")
    assert run.code == 0, run.err
    assert json.loads(run.out)["files"] == [str(tmp_path / "out" / "explorer.html")]
    assert f'<html lang="{lang}">' in (tmp_path / "out" / "explorer.html").read_text(encoding="utf-8")
    assert "[explorer.html](explorer.html)" in (tmp_path / "out" / "report.qmd").read_text(encoding="utf-8")


def test_a_study_without_answers_by_item_is_told_what_lacks(click_stats, three_files, tmp_path):
    report = tmp_path / "mine" / "reports" / "audit"
    report.mkdir(parents=True)
    (report / "report.toml").write_text('beside = ["explorer"]\n', encoding="utf-8")
    (report / "report.en.qmd.jinja").write_text("---\ntitle: Brief\nlang: en\n---\n", encoding="utf-8")
    words = ("report", "audit", *three_files, "--content", tmp_path / "mine", "-o", tmp_path / "out")
    run = click_stats(*words, "--to", "", "--draws", "200", "--quiet")
    assert run.code == 2
    assert "item_answers" in run.err
    assert not (tmp_path / "out").exists()
