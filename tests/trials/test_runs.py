import pytest

from click_stats.errors import DataError
from click_stats.trials import read_trials
from click_stats.trials.runs import FACTS, PROTOCOL, protocol_digest

HEADER = "id,trial,answer,pred\n"
ROW = "p1,letter,source,0,greedy,r1"


def files(write):
    return [write(f"{name}.csv", HEADER + "a1,0,A,A\na2,0,B,B\n") for name in ("m-240513", "n", "o")]


def test_facts_stand_in_the_comparability_table(write, tiny):
    head = "file,prompt_digest,scoring,order,shots,decoding,item_revision\n"
    runs = write("runs/facts.csv", head + f"m-240513.csv,{ROW}\nn.csv,{ROW}\no.csv,p1,letter,,,,\n")
    trials = read_trials(files(write), tiny, runs=runs)
    table = trials.account.to_frame("comparability").set_index("unit")
    assert table.loc["m", "date"] == "2024-05-13"
    assert table.loc["n", "date"] == "not stated"
    assert table.loc["m", list(PROTOCOL)].tolist() == ROW.split(",")
    assert table.loc["o", "shots"] == "not stated"
    assert table["n_items"].tolist() == [2, 2, 2]
    protocols = trials.counts().units["protocol"]
    assert protocols["m"] == protocols["n"] != ""
    assert protocols["o"] == ""
    assert table.loc["o", "protocol"] == "not stated"
    assert table.loc["m", "protocol"] == protocols["m"]


def test_facts_may_be_given_by_unit_and_win(write, tiny):
    runs = write("runs/facts.csv", "unit,file,date,shots\nm,,2025-01-01,5\n,n.csv,,0\nzz,,,1\n")
    trials = read_trials(files(write), tiny, runs=runs)
    table = trials.account.to_frame("comparability").set_index("unit")
    assert table.loc["m", ["date", "shots"]].tolist() == ["2025-01-01", "5"]
    assert table.loc["n", "shots"] == "0"
    assert any("zz" in line for line in trials.account.meta["warnings"])


def test_nothing_is_known_without_facts(write, tiny):
    table = read_trials(files(write), tiny).account.to_frame("comparability")
    assert (table.loc[table["unit"] == "o", [*FACTS, "protocol"]] == "not stated").all(axis=None)


def test_every_fact_of_the_protocol_counts():
    facts = dict(zip(PROTOCOL, ROW.split(","), strict=True))
    digests = {protocol_digest(facts)} | {protocol_digest({**facts, name: "other"}) for name in PROTOCOL}
    assert len(digests) == len(PROTOCOL) + 1
    assert all(protocol_digest({**facts, name: ""}) == "" for name in PROTOCOL)
    assert protocol_digest({**facts, "date": "2024-05-13"}) == protocol_digest(facts)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("file,colour\nm.csv,red\n", "colour"),
        ("date,shots\n2024-01-01,1\n", "date, shots"),
        ("file,shots\nm.csv,1\nm.csv,2\n", "line 3: m.csv"),
        ("file,shots\n,1\n", "line 2"),
    ],
)
def test_wrong_facts_are_refused(write, tiny, text, found):
    with pytest.raises(DataError) as caught:
        read_trials(files(write), tiny, runs=write("runs/facts.csv", text))
    assert found in caught.value.found


def test_a_missing_file_of_facts(write, tiny, tmp_path):
    with pytest.raises(DataError, match="no file"):
        read_trials(files(write), tiny, runs=tmp_path / "none.csv")


def test_shards_with_different_facts_are_no_one_run(write, tiny):
    shards = [
        write("one.csv", "model,item,label\nm,One/a1,A\n"),
        write("two.csv", "model,item,label\nm,One/a2,A\n"),
    ]
    runs = write("runs/facts.csv", "file,shots\none.csv,0\ntwo.csv,5\n")
    with pytest.raises(DataError, match="different facts") as caught:
        read_trials(shards, tiny, runs=runs)
    assert "shots: 0 (one.csv), 5 (two.csv)" in caught.value.found
