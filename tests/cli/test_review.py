"""A review and a quiz from the command line, as a maintainer runs them: export, fill, import, adjudicate, import again."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

import click_stats as cs

INVENTED = Path(__file__).parents[2] / "fixtures" / "invented"
ITEMS = ("--items", INVENTED / "items.jsonl", "--benchmark", INVENTED / "benchmark.toml")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Answers of eight models, six of which hold another option of the second item to be right."""
    items = cs.read_items(INVENTED / "items.jsonl", definition=INVENTED / "benchmark.toml")
    rng = np.random.default_rng(1)
    rows = ["item,model,prediction"]
    for model in range(8):
        for place, (item, row) in enumerate(items.frame.iterrows()):
            gold, n = int(row["gold"]), int(row["n_options"])
            right = rng.random() < 0.4 + 0.07 * model
            rows.append(f"{item},m{model},{gold if right and place != 1 else (gold + 1 + place % (n - 1)) % n}")
    (tmp_path / "answers.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def fill(folder, reviewer, say):
    """Fill a reviewer's sheet; ``say(item, key)`` gives the answer and the code."""
    items = cs.read_items(INVENTED / "items.jsonl", definition=INVENTED / "benchmark.toml")
    known = json.loads((folder / "packet" / "private" / "key.json").read_text(encoding="utf-8"))
    names = {row["id"]: row["item"] for sheet in known["sheets"] for row in sheet["rows"]}
    text = (folder / "packet" / reviewer / "review.csv").read_text(encoding="utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text)))
    for row in rows:
        item = names[row["id"]]
        row["answer"], row["code"] = say(item, items.labels(item)[int(items.frame.loc[item, "gold"])])
    path = folder / f"{reviewer}.csv"
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return path


def fine(item, key):
    return key, "fine"


def test_a_whole_review(folder, click_stats):
    run = click_stats("items", "review", "export", "answers.csv", *ITEMS, "--good", 6, "--seed", 2, "--lang", "ko")
    assert run.code == 0, run.err
    assert "not for publication" in run.err
    assert sorted(path.name for path in (folder / "packet").iterdir()) == [
        "README.txt", "private", "reviewer-1", "reviewer-2",
    ]  # fmt: skip
    known = json.loads((folder / "packet" / "private" / "key.json").read_text(encoding="utf-8"))
    suspect = next(entry["item"] for entry in known["entries"] if entry["stratum"] == "flagged")
    for reviewer in ("reviewer-1", "reviewer-2"):
        for name in ("review.html", "review.csv"):
            text = (folder / "packet" / reviewer / name).read_text(encoding="utf-8-sig")
            assert suspect not in text
            assert all(flag not in text for flag in known["n_by_flag"])

    def disagree(item, key):
        return ("B" if key == "A" else "A", "fine") if item == suspect else (key, "문제없음")

    files = [fill(folder, "reviewer-1", disagree), fill(folder, "reviewer-2", fine)]
    run = click_stats("items", "review", "import", "packet", *files, *ITEMS, "-o", "review")
    assert run.code == 0, run.err
    assert "1 items await adjudication" in run.err
    assert not (folder / "review" / "errata-draft.toml").exists()
    path = folder / "review" / "adjudication.csv"
    rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"))))
    assert [row["item"] for row in rows] == [suspect]
    assert rows[0]["reviewer-1 code"] == "정답 오류"
    rows[0] |= {"final answer": rows[0]["reviewer-1 answer"], "final code": "정답 오류"}
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    run = click_stats("items", "review", "import", "packet", *files, path, *ITEMS, "-o", "final", "--json")
    assert run.code == 0, run.err
    found = json.loads(run.out)
    flagged = [entry for entry in known["entries"] if entry["stratum"] == "flagged"]
    n = known["n_flagged"] + known["n_not_flagged"]
    assert found["summary"]["estimate"] == pytest.approx(known["n_flagged"] / n / len(flagged))
    draft = (folder / "final" / "errata-draft.toml").read_text(encoding="utf-8")
    assert f'key = "{suspect}"' in draft
    assert 'action = "rekey"' in draft
    shown = json.loads((folder / "final" / "review.json").read_text(encoding="utf-8"))
    assert shown["tables"].keys() == found["tables"].keys() >= {"estimates", "rules", "codes", "agreement", "items"}


def test_suspects_can_come_from_results(folder, click_stats):
    run = click_stats("analyze", "item_analysis", "answers.csv", *ITEMS, "-o", "results")
    assert run.code == 0, run.err
    for source in ("results", "results/results.json"):
        run = click_stats("items", "review", "export", source, *ITEMS, "-o", source.replace("/", "-") + "-packet")
        assert run.code == 0, run.err
    keys = [
        (folder / f"{name}-packet" / "private" / "key.json").read_bytes()
        for name in ("results", "results-results.json")
    ]
    assert keys[0] == keys[1]


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("export", "answers.csv"), 1, "needs the texts"),
        (("export", "answers.csv", *ITEMS, "--reviewers", "1"), 2, "two reviewers"),
        (("export", "answers.csv", *ITEMS, "--flag", "purple"), 2, "No item has the flag 'purple'"),
        (("import", "nowhere", "answers.csv", *ITEMS), 1, "holds no key of a review packet"),
    ],
)
def test_what_cannot_be_done_is_said(folder, click_stats, words, code, message):
    run = click_stats("items", "review", *words)
    assert run.code == code
    assert message in run.err
    assert "Traceback" not in run.err


def test_results_without_an_item_analysis_are_refused(folder, click_stats):
    assert click_stats("analyze", "accuracy", "answers.csv", *ITEMS, "-o", "results").code == 0
    run = click_stats("items", "review", "export", "results", *ITEMS)
    assert run.code == 1
    assert "no item analysis" in run.err
    (folder / "results.json").write_text("[]", encoding="utf-8")
    run = click_stats("items", "review", "export", "results.json", *ITEMS)
    assert run.code == 1
    assert "holds no results of a study" in run.err


def test_a_quiz_is_written_once(folder, click_stats):
    words = ("items", "quiz", *ITEMS, "--n", 9, "--stratify", "category", "-o", "quiz.html")
    assert click_stats(*words).code == 0
    run = click_stats(*words)
    assert run.code == 2
    assert "exists" in run.err
    assert click_stats(*words, "--force").code == 0
    run = click_stats("items", "quiz", *ITEMS, "--n", 99)
    assert run.code == 2
    assert "99 of 31" in run.err
    assert click_stats("items", "quiz", "--n", 9).code == 1
