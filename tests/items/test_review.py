"""A review by people: the packet is blind, files come back as spreadsheets make them, and faults are told at once."""

import csv
import io
import tomllib

import pytest

from click_stats.errors import DataError, UsageError
from click_stats.items import review
from click_stats.items.errata import read_errata
from click_stats.items.review.codes import fault, read_code
from click_stats.items.review.judgement import Judgement, against_key, right_places


@pytest.fixture(scope="module")
def flags(invented):
    keys = list(map(str, invented.frame.index))
    return {key: ["wrong key suspected"] if place % 2 else ["no model right"] for place, key in enumerate(keys[:10])}


@pytest.fixture
def make(invented, flags):
    def _make(**changes):
        given = {"suspects": 6, "good": 5, "seed": 3, **changes}
        return review.draw(invented, list(map(str, invented.frame.index)), flags, **given)

    return _make


def fill(items, packet, reviewer, answer=None, code=None, remark=None):
    """The rows that a reviewer sends back: the key and ``fine``, unless told otherwise by item."""
    sheet = packet.sheets[reviewer]
    rows = []
    for row in sheet.rows:
        gold = right_places(items, row.item)[0]
        shown = items.labels(row.item)[row.options.index(gold)]
        rows.append(
            {
                "id": row.id,
                "answer": (answer or {}).get(row.item, shown),
                "code": (code or {}).get(row.item, "fine"),
                "remark": (remark or {}).get(row.item, ""),
            }
        )
    return rows


def write(path, rows, *, encoding="utf-8-sig", delimiter=","):
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    path.write_bytes(out.getvalue().encode(encoding))
    return path


@pytest.fixture
def files(invented, tmp_path):
    def _files(packet, *changes):
        given = [*changes, *[{}] * (len(packet.sheets) - len(changes))]
        return [write(tmp_path / f"{k}.csv", fill(invented, packet, k, **one)) for k, one in enumerate(given)]

    return _files


def test_suspects_and_good_items_are_mixed_and_told_apart_by_the_key_only(make, flags, invented):
    packet = make()
    assert [entry.stratum for entry in packet.entries].count("flagged") == 6
    assert [entry.stratum for entry in packet.entries].count("not flagged") == 5
    assert (packet.n_flagged, packet.n_not_flagged) == (10, 21)
    assert packet.n_by_flag == {"no model right": 5, "wrong key suspected": 5}
    for entry in packet.entries:
        assert (entry.stratum == "flagged") == (entry.item in flags)
    text = review.sheet_table(invented, packet.sheets[0], {})
    header, *rows = csv.reader(io.StringIO(text.removeprefix("\ufeff")))
    assert header[:7] == ["id", "answer", "code", "remark", "category", "passage", "question"]
    assert {row[1] + row[2] + row[3] for row in rows} == {""}
    assert "suspect" not in text
    for entry in packet.entries:
        assert entry.item not in text


def test_every_reviewer_sees_all_items_in_an_order_and_under_names_of_its_own(make):
    one, two = make().sheets
    assert {row.item for row in one.rows} == {row.item for row in two.rows}
    assert [row.item for row in one.rows] != [row.item for row in two.rows]
    assert not {row.id for row in one.rows} & {row.id for row in two.rows}
    assert len({row.id for row in one.rows}) == 11


def test_a_seed_makes_the_same_packet_and_another_seed_another(make):
    assert make() == make()
    assert {e.item for e in make().entries} != {e.item for e in make(seed=4).entries}
    assert make(suspects=99, good=0).n_flagged == len(make(suspects=99, good=0).entries)


def test_the_draw_is_random_within_each_kind(make, flags):
    drawn = [entry.item for seed in range(200) for entry in make(seed=seed, suspects=2, good=0).entries]
    counts = [drawn.count(item) for item in flags]
    assert sum(counts) == 400
    assert max(abs(n - 40) for n in counts) < 4 * (400 * 0.1 * 0.9) ** 0.5


@pytest.mark.parametrize(
    ("changes", "message"), [({"reviewers": 1}, "two reviewers"), ({"suspects": 0, "good": 0}, "no item to review")]
)
def test_a_packet_that_makes_no_sense_is_refused(make, changes, message):
    with pytest.raises(UsageError, match=message):
        make(**changes)


@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize(("encoding", "delimiter"), [("utf-8-sig", ","), ("cp949", ";"), ("utf-8", "\t")])
def test_what_came_back_is_read_as_places_in_the_source(make, invented, tmp_path, shuffle, encoding, delimiter):
    packet = make(shuffle=shuffle)
    paths = [
        write(tmp_path / f"{k}.csv", fill(invented, packet, k), encoding=encoding, delimiter=delimiter) for k in (0, 1)
    ]
    opinions = review.read_opinions(packet, invented, paths)
    assert len(opinions) == 22
    for one in opinions:
        assert one.answer == right_places(invented, one.item)
    judged = review.judge(packet, invented, opinions)
    assert {one.decided for one in judged} == {"agreed"}


def test_codes_are_read_in_both_languages():
    assert read_code(" 정답  없음 ") == "no correct option"
    assert read_code("Several Correct") == "several correct"
    assert read_code("perfect") is None
    assert len({one.code for one in review.codes()}) == 9
    assert "wrong key" not in [one.code for one in review.codes(blind=True)]


@pytest.mark.parametrize(
    ("code", "n", "wrong"),
    [("fine", 1, False), ("fine", 0, True), ("fine", 2, True), ("several correct", 1, True), ("several correct", 2, False),
     ("no correct option", 1, True), ("no correct option", 0, False), ("outdated", 0, False), ("wrong category", 2, True),
     ("unclear options", 3, False)],
)  # fmt: skip
def test_code_and_answer_must_go_together(code, n, wrong):
    assert bool(fault(code, n)) is wrong


def test_all_faults_stand_in_one_message(make, invented, tmp_path):
    packet = make()
    rows = fill(invented, packet, 0)
    rows[0]["code"], rows[1]["code"], rows[2]["answer"], rows[3]["answer"] = "bad", "wrong key", "Z", ""
    rows[4]["id"] = "nobody"
    path = write(tmp_path / "one.csv", rows)
    with pytest.raises(DataError) as caught:
        review.read_opinions(packet, invented, [path])
    told = str(caught.value)
    for part in ("no code 'bad'", "no code 'wrong key'", "no option 'Z'", "needs exactly one option", "unknown id 'nobody'",
                 "1 items are missing", "no file of reviewer-2"):  # fmt: skip
        assert part in told
    assert "Codes: fine" in told
    assert told.count("wrong key") == 1  # blind, it is no code


def test_files_of_one_reviewer_or_of_another_packet_are_refused(make, invented, files):
    packet = make()
    one, _ = files(packet)
    with pytest.raises(DataError, match="The review cannot be read: 2 faults"):
        review.read_opinions(packet, invented, [one, one])
    with pytest.raises(DataError) as caught:
        review.read_opinions(make(seed=8), invented, [one])
    assert "no row is of this packet" in str(caught.value)


@pytest.mark.parametrize("text", ["", "\n", "a,b\n1,2\n"])
def test_files_that_are_no_sheets_are_refused(make, invented, tmp_path, text):
    path = tmp_path / "x.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=r"is empty|is no filled sheet"):
        review.read_opinions(make(), invented, [path])


def test_agreement_with_the_key_settles_and_all_else_is_adjudicated(make, invented, files):
    packet = make()
    a, b, c, d = (entry.item for entry in packet.entries[:4])
    other = {key: next(x for x in invented.labels(key) if x != gold(invented, key)) for key in (a, b)}
    opinions = review.read_opinions(
        packet,
        invented,
        files(
            packet,
            {"answer": {**other, c: "A B", d: ""}, "code": {c: "several correct", d: "outdated"}},
            {"answer": {a: other[a], d: ""}, "code": {d: "outdated"}},
        ),
    )
    judged = {one.item: one for one in review.judge(packet, invented, opinions)}
    assert judged[a].decided == "pending"  # both hold another option than the key to be right
    assert judged[b].decided == judged[c].decided == "pending"  # they differ
    assert judged[d].decided == "pending"  # both answer nothing, and the key something
    assert {one.decided for item, one in judged.items() if item not in {a, b, c, d}} == {"agreed"}
    assert against_key(opinions[[o.item for o in opinions].index(a)], right_places(invented, a)) == "wrong key"
    header, *rows = csv.reader(
        io.StringIO(review.adjudication_table(packet, invented, opinions, list(judged.values())).removeprefix("\ufeff"))
    )
    assert {row[0] for row in rows} == {a, b, c, d}
    shown = dict(zip(header, rows[[row[0] for row in rows].index(a)], strict=True))
    assert shown["key"] == gold(invented, a)
    assert shown["reviewer-1 code"] == "wrong key"
    assert shown["final code"] == ""
    assert shown["question"]


def gold(items, key):
    return items.labels(key)[right_places(items, key)[0]]


def test_an_adjudication_is_read_and_checked_against_the_key(make, invented, tmp_path):
    packet = make()
    a, b, c = (entry.item for entry in packet.entries[:3])
    wrong = next(label for label in invented.labels(a) if label != gold(invented, a))
    rows = [
        {"item": a, "final answer": wrong, "final code": "정답 오류"},
        {"item": b, "final answer": gold(invented, b), "final code": "wrong key"},
        {"item": c, "final answer": "", "final code": ""},
    ]
    path = write(tmp_path / "adjudication.csv", rows)
    assert review.is_adjudication(path)
    with pytest.raises(DataError, match="The adjudication cannot be read: 1 fault"):
        review.read_adjudication(packet, invented, path)
    rows[1]["final code"] = "fine"
    found = review.read_adjudication(packet, invented, write(path, rows))
    assert found == {
        a: ("wrong key", (invented.labels(a).index(wrong),)),
        b: ("fine", right_places(invented, b)),
    }


def test_the_draft_of_errata_is_whole_but_for_what_a_person_must_add(make, invented, tmp_path):
    packet = make()
    items = [entry.item for entry in packet.entries]
    places = {key: right_places(invented, key)[0] for key in items}
    others = {key: [k for k in range(3) if k != places[key]] for key in items}
    judged = [
        Judgement(items[0], "wrong key", (others[items[0]][0],), "adjudicated"),
        Judgement(items[1], "several correct", tuple(sorted((places[items[1]], others[items[1]][0]))), "adjudicated"),
        Judgement(items[2], "several correct", tuple(others[items[2]]), "adjudicated"),
        Judgement(items[3], "no correct option", (), "adjudicated"),
        Judgement(items[4], "outdated", (), "adjudicated"),
        Judgement(items[5], "fine", (places[items[5]],), "agreed"),
    ]
    text = review.draft(packet, invented, judged)
    entries = tomllib.loads(text)["erratum"]
    assert [(entry["key"], entry["action"]) for entry in entries] == [
        (items[0], "rekey"),
        (items[1], "also-accept"),
        (items[2], "rekey"),
        (items[2], "also-accept"),
        (items[3], "drop"),
    ]
    path = tmp_path / "errata.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match="wrong form"):
        read_errata(path)
    done = text.replace('date = ""', "date = 2026-01-02").replace('= ""', '= "somebody"')
    path.write_text(done, encoding="utf-8")
    mended = invented.with_errata(read_errata(path))
    assert int(mended.frame.loc[items[0], "gold"]) == others[items[0]][0]
    assert items[3] not in mended.frame.index
    assert right_places(mended, items[1]) == judged[1].answer
    assert right_places(mended, items[2]) == judged[2].answer
    assert review.draft(packet, invented, judged[4:]) == ""


def test_a_packet_is_for_the_texts_it_was_made_from(make, invented, tmp_path):
    packet = make()
    packet.check(invented)
    other = packet.model_copy(
        update={"entries": (packet.entries[0].model_copy(update={"digest": "0" * 16}), *packet.entries[1:])}
    )
    with pytest.raises(DataError, match="have other texts"):
        other.check(invented)
    with pytest.raises(DataError, match="holds no key"):
        review.read_packet(tmp_path)
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "key.json").write_text("{}", encoding="utf-8")
    with pytest.raises(DataError, match="is damaged"):
        review.read_packet(tmp_path)
    (tmp_path / "private" / "key.json").write_text(packet.model_dump_json(), encoding="utf-8")
    assert review.read_packet(tmp_path) == packet


def test_texts_that_a_spreadsheet_would_compute_are_kept_from_it(make, invented, files):
    packet = make()
    item = packet.entries[0].item
    opinions = review.read_opinions(
        packet, invented, files(packet, {"answer": {item: ""}, "code": {item: "outdated"}, "remark": {item: "=1+1"}})
    )
    table = review.adjudication_table(packet, invented, opinions, review.judge(packet, invented, opinions))
    assert "'=1+1" in table
