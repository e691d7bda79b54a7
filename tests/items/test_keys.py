"""Files that choose items, and tables of some items."""

import pytest

import click_stats as cs
from click_stats.errors import DataError, UsageError


def test_lines_and_tables_are_read(tmp_path):
    lines = tmp_path / "short.txt"
    lines.write_text("\ufeff# a short form\nHistory/a\n\n  Law/b \nHistory/a\n", encoding="utf-8")
    assert cs.read_keys(lines) == ("History/a", "Law/b")
    table = tmp_path / "short.csv"
    table.write_text('rank,item,why\n1,"History/a, the first",x\n2,Law/b,y\n3,,z\n', encoding="utf-8")
    assert cs.read_keys(table) == ("History/a, the first", "Law/b")


@pytest.mark.parametrize("content", ["", "# nothing\n", "item,why\n", "item\n,\n"])
def test_a_file_without_keys_is_an_error(tmp_path, content):
    path = tmp_path / "none.csv"
    path.write_text(content)
    with pytest.raises(DataError, match="names no item"):
        cs.read_keys(path)


def test_a_file_that_is_not_there_or_not_text_is_an_error(tmp_path):
    with pytest.raises(DataError, match="cannot be read"):
        cs.read_keys(tmp_path / "no.txt")
    (tmp_path / "odd.txt").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError, match="UTF-8"):
        cs.read_keys(tmp_path / "odd.txt")


def test_a_table_of_some_items_keeps_their_order_and_has_its_own_digest():
    items = cs.read_items()
    keys = list(items.frame.index[[900, 3, 1500]])
    some = items.only(keys)
    assert list(some.frame.index) == [keys[1], keys[0], keys[2]]
    assert some.digest != items.digest
    assert items.only(items.frame.index).digest == items.digest


def test_unknown_and_no_items_are_errors():
    items = cs.read_items()
    with pytest.raises(UsageError, match="1 of the chosen items"):
        items.only([str(items.frame.index[0]), "History/none"])
    with pytest.raises(UsageError, match="No item was chosen"):
        items.only([])


def test_answers_to_other_items_are_left_out_with_an_account(three_files):
    items = cs.read_items()
    whole = cs.read_trials(three_files[:2], items)
    frame = whole.frame()
    both = frame.groupby("item")["model"].nunique() == 2
    keys = list(items.frame[items.frame.index.isin(both.index[both])].groupby("category").head(3).index)
    some = cs.read_trials(three_files[:2], items, only=keys)
    left_out = some.account.to_frame("dropped").query("reason == 'item not chosen'")["n_rows"].sum()
    assert set(some.frame()["item"]) == set(keys)
    assert len(some) == 2 * len(keys) == len(whole) - left_out
    assert some.account.summary["n_items_total"] == len(keys)
    estimates = cs.accuracy(some, by="category").to_frame()
    assert set(estimates["n_items_total"]) == {3}
    assert not estimates["flag"].str.contains("half").any()
    right = frame[frame["model"] == frame["model"].iloc[0]].merge(items.frame[["gold", "category"]], on="item")
    right = right[right["item"].isin(keys)]
    expected = (right["prediction"] == right["gold"]).groupby(right["category"]).mean()
    mine = estimates[estimates["unit"] == frame["model"].iloc[0]].set_index("group")["estimate"]
    assert mine.to_dict() == pytest.approx(expected.to_dict())


def test_choosing_only_items_that_nobody_answered_is_an_error(tmp_path):
    items = cs.read_items()
    answered, other = map(str, items.frame.index[:2])
    table = tmp_path / "one.csv"
    table.write_text(f"model,item,label\nm,{answered},A\n", encoding="utf-8")
    assert len(cs.read_trials(table, items, only=[answered])) == 1
    with pytest.raises(DataError, match="None of the chosen items"):
        cs.read_trials(table, items, only=[other])
