"""Items against the packaged key table, and datasets fetched from the hub (without a network)."""

import csv
import io
import sys
from types import SimpleNamespace

import pytest

from click_stats.errors import DataError, MissingDependencyError
from click_stats.items import read_items


@pytest.fixture
def keys(click):
    """Rows of the packaged key table, to be changed."""
    names = ["id", "category", "source", "n_options", "gold", "cluster", "has_passage", "n_chars", "negated", "digest"]
    return [{name: str(row[name]) for name in names} for row in click.frame.to_dict("records")]


@pytest.fixture
def read(tmp_path):
    def _read(rows):
        buffer = io.StringIO()
        writer = csv.DictWriter(buffer, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
        path = tmp_path / "keys.csv"
        path.write_text(buffer.getvalue(), encoding="utf-8")
        return read_items(path)

    return _read


def new(items, click):
    return [warning for warning in items.warnings if warning not in click.warnings]


def test_the_same_keys_give_no_new_warning(keys, read, click):
    items = read(keys)
    assert items.frame.equals(click.frame)
    assert new(items, click) == []


def test_drift_of_a_key_is_said_and_the_table_at_hand_counts(keys, read, click):
    row = next(row for row in keys if row["id"] == "Kedu_history_23")
    row["gold"] = str((int(row["gold"]) + 1) % 4)
    items = read(keys)
    assert items.frame.loc["History/Kedu_history_23", "gold"] == int(row["gold"])
    (warning,) = new(items, click)
    assert warning == (
        "Another key than in rladmstn1714/CLIcK, commit 38373ac; the one at hand counts: "
        "1 item (History/Kedu_history_23)."
    )
    assert items.digest != click.digest


def test_missing_new_and_changed_items_are_said(keys, read, click):
    changed, renamed = keys[0], keys[1]
    changed["digest"] = "0" * 16
    old, renamed["id"] = renamed["id"], "made_up"
    warnings = new(read(keys), click)
    assert [warning.partition(":")[0].removesuffix(" rladmstn1714/CLIcK, commit 38373ac") for warning in warnings] == [
        "Items of rladmstn1714/CLIcK, commit 38373ac that are missing here",
        "Items that rladmstn1714/CLIcK, commit 38373ac does not have",
        "Other texts than in",
    ]
    assert f"1 item ({renamed['category']}/{old})" in warnings[0]
    assert f"1 item ({renamed['category']}/made_up)" in warnings[1]
    assert f"{changed['category']}/{changed['id']}" in warnings[2]


def test_rows_without_category_are_placed_by_id(keys, read):
    rows = [{name: value for name, value in row.items() if name != "category"} for row in keys]
    unique = [row for row in rows if not row["id"].startswith(("Kedu_16_", "CSAT_korean_13_11"))]
    items = read(unique)
    assert items.frame.loc["Popular/Kedu_popular_2", "source"] == "Kedu"
    # Without texts nothing tells the copies of an id apart: an error, not a guess.
    with pytest.raises(DataError, match="has no category ''"):
        read(rows)


def test_hub_without_its_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(MissingDependencyError, match="huggingface_hub") as error:
        read_items("someone/CLIcK")
    assert "click-stats[hub]" in error.value.do
    assert error.value.exit_code == 3


def test_hub_downloads_tables_only(monkeypatch, tmp_path, click):
    calls = []

    def snapshot_download(repository, **arguments):
        calls.append((repository, arguments))
        (tmp_path / "data").mkdir()
        (tmp_path / "data" / "test.csv").write_text(
            "id,category,n_options,gold\nKIIP_law_1,Law,4,0\n", encoding="utf-8"
        )
        return str(tmp_path)

    monkeypatch.setitem(sys.modules, "huggingface_hub", SimpleNamespace(snapshot_download=snapshot_download))
    items = read_items("someone/CLIcK@v1.0")
    assert list(items.frame.index) == ["Law/KIIP_law_1"]
    ((repository, arguments),) = calls
    assert repository == "someone/CLIcK"
    assert arguments["revision"] == "v1.0"
    assert arguments["repo_type"] == "dataset"
    assert any("1994 items" in warning for warning in items.warnings)


def test_hub_errors_are_said(monkeypatch):
    def snapshot_download(*_, **__):
        raise OSError("no network\nmore")

    monkeypatch.setitem(sys.modules, "huggingface_hub", SimpleNamespace(snapshot_download=snapshot_download))
    with pytest.raises(DataError, match="cannot be fetched") as error:
        read_items("someone/CLIcK")
    assert error.value.found == "OSError: no network"


@pytest.mark.parametrize("path", ["items.csv", "a/b/c", "folder/items.json", "./none"])
def test_what_is_no_id_is_a_missing_path(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DataError, match="no items at"):
        read_items(path)
