"""The facts of CLIcK, on the key table that comes with the package."""

import numpy as np
import pytest

from click_stats.counts import STATUSES, Counts
from click_stats.items import read_items
from click_stats.stats import partition

# The order of reports, and the items of each category; the sum is 1,995.
SIZES = {
    "History": 280,
    "Geography": 131,
    "Law": 219,
    "Politics": 84,
    "Society": 309,
    "Tradition": 222,
    "Economy": 59,
    "Popular": 41,
    "Textual": 285,
    "Functional": 133,
    "Grammar": 232,
}
SOURCES = {"CSAT": 256, "TOPIK": 237, "PSE": 203, "PSAT": 168, "KHB": 47, "Kedu": 334, "KIIP": 750}


def test_items_and_ids(click):
    assert len(click) == 1995
    assert click.frame["id"].nunique() == 1987
    assert click.frame.index.is_unique
    assert click.frame.index.name == "item"
    assert list(click.frame.index) == [f"{row.category}/{row.id}" for row in click.frame.itertuples()]


def test_eight_ids_stand_in_two_categories(click):
    counts = click.frame["id"].value_counts()
    twice = sorted(counts.index[counts > 1])
    assert twice == ["CSAT_korean_13_11", *(f"Kedu_16_{number}" for number in range(1, 8))]
    for id_ in twice:
        assert click.by_id(id_) == [f"Functional/{id_}", f"Grammar/{id_}"]
        assert click.frame.loc[click.by_id(id_), "digest"].nunique() == 2
    # The key tells seven of them apart; both copies of the eighth have the key B.
    same = [id_ for id_ in twice if click.frame.loc[click.by_id(id_), "gold"].nunique() == 1]
    assert same == ["CSAT_korean_13_11"]
    assert click.frame.loc["Grammar/CSAT_korean_13_11", "gold"] == 1


def test_sizes_of_categories_in_report_order(click):
    sizes = click.frame["category"].value_counts(sort=False)
    assert dict(sizes) == SIZES
    assert tuple(dict.fromkeys(click.frame["category"])) == click.definition.category_names == tuple(SIZES)


def test_sizes_of_sources(click):
    assert dict(click.frame["source"].value_counts(sort=False)) == SOURCES
    assert {source.name for source in click.definition.sources} == set(SOURCES)


def test_options_and_chance_levels(click):
    options = click.frame["n_options"]
    assert dict(options.value_counts()) == {4: 1739, 5: 256}
    assert set(click.frame.loc[options == 5, "source"]) == {"CSAT"}
    assert set(click.frame.loc[options == 4, "source"]) == set(SOURCES) - {"CSAT"}
    assert (1 / options).mean() == pytest.approx(485.95 / 1995, abs=1e-12)
    assert round((1 / options).mean() * 100, 2) == 24.36
    assert round((click.frame["gold"] == 0).mean(), 4) == 0.3003


def test_passages_and_clusters(click):
    frame = click.frame
    assert frame["has_passage"].sum() == 353
    sizes = frame["cluster"].value_counts()
    shared = sizes[sizes > 1]
    assert len(shared) == 80
    assert shared.sum() == 216
    assert all(name.startswith("p-") and len(name) == 18 for name in shared.index)
    alone = frame[~frame["cluster"].isin(shared.index)]
    assert (alone["cluster"] == alone.index).all()
    assert frame.loc[frame["cluster"].isin(shared.index), "has_passage"].all()
    across = frame.groupby("cluster")["category"].agg(lambda values: tuple(sorted(set(values))))
    assert sorted(set(across[across.map(len) > 1])) == [("Functional", "Grammar")]
    assert (across.map(len) > 1).sum() == 1


def test_types_hold_no_missing_value(click):
    kinds = {name: click.frame[name].dtype.kind for name in ("n_options", "gold", "n_chars", "has_passage", "negated")}
    assert kinds == {"n_options": "i", "gold": "i", "n_chars": "i", "has_passage": "b", "negated": "b"}
    assert not click.frame.isna().any().any()
    assert ((click.frame["gold"] >= 0) & (click.frame["gold"] < click.frame["n_options"])).all()
    assert click.frame["digest"].str.fullmatch("[0-9a-f]{16}").all()


def test_no_text_is_in_the_package(click):
    assert not click.has_text
    assert set(click.frame.columns).isdisjoint({"passage", "question", "options"})
    # Every column is a key, a count or a digest: nothing is written in Hangul.
    assert not any(char > "\x7f" for value in click.frame.astype(str).to_numpy().ravel() for char in value)


def test_known_oddities_are_said(click):
    assert click.warnings == (
        "The same option twice in one item: 1 item (Society/KIIP_society_84).",
        "The key changed between revisions of the dataset: 1 item (History/Kedu_history_23).",
    )


def test_labels_are_those_of_the_item(click):
    assert click.labels("History/Kedu_history_23") == ("A", "B", "C", "D")
    assert click.labels("Functional/CSAT_korean_13_11") == ("A", "B", "C", "D", "E")


def test_digest_is_stable_and_ignores_the_order_of_rows(click):
    from dataclasses import replace

    assert click.digest == "7232422911f559f8"
    assert replace(click, frame=click.frame.iloc[::-1]).digest == click.digest
    changed = click.frame.copy()
    changed.loc["History/Kedu_history_23", "gold"] = (changed.loc["History/Kedu_history_23", "gold"] + 1) % 4
    assert replace(click, frame=changed).digest != click.digest


def test_groups_result(click):
    result = click.groups_result()
    groups = result.to_frame("groups")
    assert result.name == "items"
    assert list(groups["by"]) == ["overall", "macro", *["domain"] * 2, *["category"] * 11]
    assert list(groups["group"])[4:] == list(SIZES)
    named = groups.set_index("group")
    assert named.loc["all items", ["n_items", "n_clusters"]].tolist() == [1995, 1859]
    assert named.loc["Culture", "n_items"] == 1345
    assert named.loc["Language", "n_items"] == 650
    assert named.loc["Popular", "label_ko"] == "대중문화"
    categories = groups[groups["by"] == "category"]
    assert named.loc["mean of 11 categories", "chance"] == pytest.approx(categories["chance"].mean())
    assert named.loc["Functional", "chance"] == pytest.approx((112 * 0.2 + 21 * 0.25) / 133)
    # One passage is shared by two categories: their clusters do not add up.
    assert categories["n_clusters"].sum() == 1859 + 1
    assert list(result.meta["warnings"]) == list(click.warnings)
    assert result.meta["digest"] == click.digest


def test_groups_are_those_of_the_analyses(click):
    frame = click.frame
    counts = Counts(
        units=frame.iloc[:0],
        items=frame,
        options=np.zeros((0, len(frame), 5), dtype=np.int64),
        statuses=np.zeros((0, len(frame), len(STATUSES)), dtype=np.int64),
        planned=np.zeros((0, len(frame)), dtype=np.int64),
        categories=click.definition.category_names,
        domains=click.definition.domain_names,
    )
    groups = partition.groups(counts, ["overall", "macro", "domain", "category"])
    table = click.groups_result().to_frame("groups")
    assert [(group.by, group.name) for group in groups] == list(zip(table["by"], table["group"], strict=True))
    assert [len(group.items) for group in groups] == list(table["n_items"])
    assert [len(set(partition.clusters(counts, group.items))) for group in groups] == list(table["n_clusters"])


def test_reading_twice_gives_the_same(click):
    again = read_items()
    assert again.frame.equals(click.frame)
    assert again.definition == click.definition
