"""The full dataset: the packaged keys are exactly what it gives, and its known facts hold."""

import importlib.util
import json
import re
from collections import Counter
from pathlib import Path

import pytest

from click_stats.answers import collapse, normalise
from click_stats.items import read_items

pytestmark = pytest.mark.dataset
ROOT = Path(__file__).parents[2]


def script():
    spec = importlib.util.spec_from_file_location("make_items", ROOT / "scripts" / "make_items.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_script_writes_the_packaged_table_byte_for_byte(dataset_path, tmp_path):
    output = tmp_path / "items.csv"
    assert script().main([str(dataset_path), str(output)]) == 0
    assert output.read_bytes() == (ROOT / "click_stats" / "items" / "click-items.csv").read_bytes()


def test_with_and_without_texts_are_the_same_table(dataset, click):
    assert dataset.has_text
    assert dataset.digest == click.digest
    assert dataset.frame[list(click.frame.columns)].equals(click.frame)
    assert dataset.warnings == click.warnings


def test_exact_text_would_split_real_passages(dataset):
    passages = dataset.frame.loc[dataset.frame["has_passage"], "passage"]
    shared = {form: [n for n in Counter(map(form, passages)).values() if n > 1] for form in (str, str.strip, collapse)}
    assert (len(shared[str]), sum(shared[str])) == (78, 211)
    assert (len(shared[str.strip]), sum(shared[str.strip])) == (78, 211)
    assert (len(shared[collapse]), sum(shared[collapse])) == (80, 216)


def test_negated_questions(dataset):
    questions = dataset.frame["question"].map(collapse)
    negated = dataset.frame["negated"]
    assert negated.sum() == 525
    # Most are of one wording; the rule misses no question that ends in a plain negation.
    assert questions[negated].str.contains(r"않은\s*것은\s*(?:무엇인가)?\s*\?").sum() == 435
    plain = questions.str.contains(r"(?:않은|않는|아닌|틀린)\s*것은\s*\?$")
    assert negated[plain].all()
    # Odd-one-out questions ask for no false statement.
    assert not negated[questions.str.contains(r"다른 것은\s*\?$")].any()


def test_options_that_end_in_a_period_or_contain_each_other(dataset):
    """S13 and S12: why a final period is set aside, and why only whole texts are compared."""
    options = dataset.frame["options"]
    ends = options.map(lambda texts: any(text.strip().endswith(".") for text in texts))
    assert ends.sum() == 828
    contained = options.map(
        lambda texts: any(
            a != b and normalise(a) in normalise(b) for i, a in enumerate(texts) for j, b in enumerate(texts) if i != j
        )
    )
    assert contained.sum() > 0


def test_one_table_without_categories_is_placed_by_id_and_text(dataset, tmp_path):
    rows = [
        {
            "id": row.id,
            "paragraph": row.passage,
            "question": row.question,
            "choices": list(row.options),
            "answer": row.options[row.gold],
        }
        for row in dataset.frame.itertuples()
    ]
    path = tmp_path / "all.json"
    path.write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")
    items = read_items(path)
    assert items.digest == dataset.digest
    assert items.warnings == dataset.warnings


def test_no_text_of_the_dataset_is_in_the_repository(dataset):
    """Questions of at least 30 characters, and passages, against every text file of the project's own folders."""
    texts = {collapse(text) for text in dataset.frame["question"]} | {
        collapse(text) for text in dataset.frame["passage"]
    }
    # A window of 30 characters from the middle of each text: its start is often a formula.
    windows = {text[len(text) // 2 - 15 : len(text) // 2 + 15] for text in texts if len(text) >= 60}
    assert len(windows) > 500
    folders = ["click_stats", "fixtures", "tests", "scripts", "docs", "reports", "analyses", "benchmarks"]
    found = []
    for folder in folders:
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in {".py", ".toml", ".csv", ".json", ".jsonl", ".md", ".jinja", ".txt", ".R"}:
                content = collapse(path.read_text(encoding="utf-8"))
                if re.search("[가-힣]", content):
                    found += [path.name for window in windows if window in content]
    assert found == []
