"""Repairing a benchmark from the command line, as somebody does who has the files and an errata file."""

import json

import pytest

DEFINITION = """
name = "Tiny"
domains = [{ name = "D" }]
categories = [{ name = "One", domain = "D" }, { name = "Two", domain = "D" }]
"""
ENTRIES = [
    {"id": "a", "paragraph": "", "question": "Wet?", "choices": ["yes", "no", "so"], "answer": "yes"},
    {"id": "b", "paragraph": "", "question": "Dry?", "choices": ["yes", "no", "so"], "answer": "no"},
]
ANSWERS = "item,model,label\nOne/a,m,A\nOne/b,m,B\nTwo/a,m,C\nOne/a,n,B\nOne/b,n,B\nTwo/a,n,A\n"
ERRATUM = """
[[erratum]]
key = "{key}"
digest = "{digest}"
action = "{action}"
{more}
reason = "the source says so"
reviewer = "K. Kim"
date = 2026-01-02
source = "a book"
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    data = tmp_path / "data" / "Dataset"
    data.mkdir(parents=True)
    (data / "One_S.json").write_text(json.dumps(ENTRIES, indent=4) + "\n", encoding="utf-8")
    (data / "Two_S.json").write_text(json.dumps(ENTRIES[:1], indent=4) + "\n", encoding="utf-8")
    (tmp_path / "tiny.toml").write_text(DEFINITION, encoding="utf-8")
    (tmp_path / "answers.csv").write_text(ANSWERS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def call(folder, click_stats):
    def _call(*words):
        return click_stats(*words, "--benchmark", "tiny.toml", *([] if words[1] == "diff" else ["--items", "data"]))

    return _call


@pytest.fixture
def errata(folder, call):
    digests = {}
    for key in ("One/a", "One/b", "Two/a"):
        (row,) = json.loads(call("items", "show", key, "--json").out)
        digests[key] = row["digest"]

    def _errata(*entries):
        text = "".join(
            ERRATUM.format(key=key, digest=digests.get(key, "0" * 16), action=action, more=more)
            for key, action, more in entries
        )
        (folder / "errata.toml").write_text(text, encoding="utf-8")

    _errata(("One/a", "rekey", 'label = "B"'), ("One/b", "drop", ""), ("Two/a", "also-accept", 'labels = ["C"]'))
    return _errata


def test_impact(call, errata):
    run = call("items", "impact", "errata.toml", "answers.csv", "--draws", "100")
    assert run.code == 0
    assert "One/a" in run.out
    assert "no longer scored" in run.out
    assert "its standard error is 0" in run.err
    found = json.loads(call("items", "impact", "errata.toml", "answers.csv", "--draws", "100", "--json", "-q").out)
    columns, rows = (found["tables"]["errata"][part] for part in ("columns", "rows"))
    assert [row[columns.index("erratum")] for row in rows] == ["all", "1", "2", "3"]
    gaining, losing = (columns.index(name) for name in ("n_gaining", "n_losing"))
    assert [(row[gaining], row[losing]) for row in rows] == [(2, 1), (1, 1), (0, 0), (1, 0)]
    assert found["meta"]["digests"]["errata"]
    together = call("items", "impact", "errata.toml", "answers.csv", "--draws", "100", "--together", "--json", "-q")
    assert len(json.loads(together.out)["tables"]["errata"]["rows"]) == 1
    assert "이전" in call("items", "impact", "errata.toml", "answers.csv", "--draws", "100", "--lang", "ko").out


def test_impact_on_chosen_items_leaves_errata_of_others_out(call, errata, folder):
    (folder / "keys.txt").write_text("One/a\n", encoding="utf-8")
    words = ("items", "impact", "errata.toml", "answers.csv", "--draws", "100", "--items-from", "keys.txt")
    found = json.loads(call(*words, "--json", "-q").out)
    assert [row[:2] for row in found["tables"]["errata"]["rows"]] == [["all", ""], ["1", "One/a"]]
    assert "2 items (One/b, Two/a)" in found["meta"]["warnings"][-1]
    errata(("One/b", "drop", ""))
    run = call(*words)
    assert run.code == 1
    assert "No erratum is about the chosen items" in run.err


def test_other_commands_take_the_errata(call, errata, folder):
    found = json.loads(call("items", "check", "--errata", "errata.toml", "--json").out)
    assert found["n_items"] == 2
    assert found["errata"]
    assert any(found["errata"] in warning for warning in found["warnings"])
    (row,) = json.loads(call("items", "show", "One/a", "--errata", "errata.toml", "--json").out)
    assert row["gold"] == 1
    words = ("answers.csv", "--errata", "errata.toml")
    assert call("analyze", "accuracy", *words, "-o", "out", "-q").code == 0
    results = json.loads((folder / "out" / "results.json").read_text(encoding="utf-8"))
    assert results["meta"]["data_digests"]["errata"] == found["errata"]
    estimates = results["results"]["accuracy"]["tables"]["estimates"]
    at = {name: place for place, name in enumerate(estimates["columns"])}
    scores = {row[at["unit"]]: row[at["estimate"]] for row in estimates["rows"] if row[at["by"]] == "overall"}
    assert scores == {"m": 0.5, "n": 1.0}
    account = json.loads(call("import", *words, "--json", "-q").out)
    assert account["tables"]["dropped"]["rows"] == [["answers.csv", "item dropped by errata", 2, "One/b"]]


def test_patch_prints_and_writes_but_never_into_the_dataset(call, errata, folder):
    before = {path: path.read_bytes() for path in folder.rglob("*.json")}
    run = call("items", "patch", "errata.toml")
    assert run.code == 0
    assert "--- a/Dataset/One_S.json\n+++ b/Dataset/One_S.json\n" in run.out
    assert '+        "accepted": [2]\n' in run.out
    run = call("items", "patch", "errata.toml", "-o", "new", "-q")
    assert run.code == 0
    assert sorted(path.relative_to(folder / "new").as_posix() for path in (folder / "new").rglob("*.*")) == [
        "CHANGELOG.md", "Dataset/One_S.json", "Dataset/Two_S.json", "changes.patch",
    ]  # fmt: skip
    assert {path: path.read_bytes() for path in before} == before
    run = call("items", "patch", "errata.toml", "-o", "new")
    assert run.code == 2
    assert "not empty" in run.err
    found = json.loads(call("items", "patch", "errata.toml", "--json", "-q").out)
    assert found["files"] == ["Dataset/One_S.json", "Dataset/Two_S.json"]
    assert "`One/b`" in found["changelog"]


def test_diff_shows_what_the_patch_changed(call, errata, folder):
    call("items", "patch", "errata.toml", "-o", "new", "-q")
    found = json.loads(call("items", "diff", "data", "new", "--json").out)
    assert found["tables"]["changes"]["rows"] == [
        ["One/b", "removed", "One/b", ""],
        ["One/a", "key", "A", "B"],
        ["Two/a", "accepted", "", "C"],
    ]
    run = call("items", "diff", "data", "new")
    assert "One/b" in run.out
    assert "Wet" not in run.out
    assert "No item differs: 3 items" in call("items", "diff", "data", "data").out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "hold no corrections"),
        ("[[erratum]]\nkey = 3\n", "have a wrong form"),
        ("nonsense", "are no TOML"),
    ],
)
def test_a_bad_errata_file_is_one_message_everywhere(call, folder, text, message):
    (folder / "errata.toml").write_text(text, encoding="utf-8")
    for words in (
        ("items", "impact", "errata.toml", "answers.csv"),
        ("items", "patch", "errata.toml"),
        ("items", "check", "--errata", "errata.toml"),
        ("compare", "answers.csv", "--errata", "errata.toml"),
        ("export", "wide", "answers.csv", "-o", "x.csv", "--errata", "errata.toml"),
    ):
        run = call(*words)
        assert run.code == 1
        assert message in run.err
        assert "Traceback" not in run.err


def test_errata_that_do_not_fit_and_missing_files(call, errata):
    errata(("One/z", "drop", ""), ("One/a", "rekey", 'label = "D"'))
    run = call("items", "impact", "errata.toml", "answers.csv")
    assert run.code == 1
    assert "One/z: there is no such item" in run.err
    assert "One/a: there is no option D, only A, B, C" in run.err
    assert call("items", "impact", "none.toml", "answers.csv").code == 1
    run = call("items", "patch", "none.toml")
    assert (run.code, "cannot be read" in run.err) == (1, True)


def test_a_patch_needs_the_dataset(click_stats, errata):
    run = click_stats("items", "patch", "errata.toml")
    assert run.code == 2
    assert "--items" in run.err
