"""The report command as a new user runs it: from an empty folder, with relative paths."""

import csv
import json
import re

import pytest


@pytest.mark.report
@pytest.mark.parametrize("lang", ["en", "ko"])
def test_a_report_in_three_formats_from_an_empty_folder(click_stats, three_files, tmp_path, monkeypatch, lang):
    monkeypatch.chdir(tmp_path)
    run = click_stats(
        *("report", "audit", *three_files, "-o", "out", "--to", "html,pdf,docx", "--lang", lang),
        *("--draws", "1000", "--json"),
    )
    assert run.code == 0, run.err
    files = json.loads(run.out)["files"]
    assert sorted(files) == ["out/report.docx", "out/report.html", "out/report.pdf"]
    assert all((tmp_path / name).stat().st_size > 10_000 for name in files)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert "engine" in run.err or "Quarto" in run.err  # which one, and why
    assert f'lang="{lang}' in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    results = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))
    assert results["study"] == "audit"


@pytest.mark.report
@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--to", "html,odt"), "odt"),
        (("--lang", "fr"), "fr"),
        (("--engine", "word"), "word"),
    ],
)
def test_wrong_options_end_before_anything_is_computed(click_stats, three_files, tmp_path, options, says):
    run = click_stats("report", "audit", *three_files, "-o", tmp_path / "out", *options)
    assert (run.code, run.out) == (2, "")
    assert says in run.err
    assert not (tmp_path / "out").exists()


@pytest.mark.report
def test_one_model_still_has_its_report(click_stats, three_files, tmp_path):
    run = click_stats("report", "audit", three_files[0], "-o", tmp_path / "out", "--draws", "1000", "--quiet")
    assert (run.code, run.err) == (0, "")
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "gpt-4o" in page


@pytest.mark.report
@pytest.mark.parametrize("lang", ["en", "ko"])
def test_without_any_answer_and_with_one_item_the_report_still_comes(click_stats, three_files, tmp_path, lang):
    with three_files[0].open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for name, kept in (("silent", [{**row, "pred": "FAILED"} for row in rows]), ("brief", rows[:1])):
        with (tmp_path / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            table = csv.DictWriter(file, fieldnames=list(rows[0]))
            table.writeheader()
            table.writerows(kept)
    for names in (["silent"], ["brief"], ["silent", "brief"]):
        out = tmp_path / "-".join(names)
        files = [tmp_path / f"{name}.csv" for name in names]
        run = click_stats("report", "audit", *files, "-o", out, "--lang", lang, "--draws", "200", "--quiet")
        assert (run.code, run.err) == (0, "")
        text = (out / "report.qmd").read_text(encoding="utf-8")
        assert not re.search(r"\bnan\b|<NA>", text)
        assert "**" in text
        assert not re.search(r"^\*\*.*–%.*\*\*$", text, re.MULTILINE), "a headline without a number"
