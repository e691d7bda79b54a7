"""Every prompt of the full dataset: the labels of the instruction, the right text, each option once at each position."""

import re
from collections import Counter

import pytest

from click_stats.protocol import Protocol, plan, read_protocol
from click_stats.protocol.prompt import clean

pytestmark = pytest.mark.dataset
LETTER = re.compile(r"(?<![A-Za-z])[A-Z](?![A-Za-z])")


@pytest.mark.parametrize("name", ["paper", "bilingual", "choices-only"])
def test_every_prompt(dataset, name):
    bilingual = Protocol(name="bilingual", wordings=("1-bilingual",))
    found = plan(bilingual if name == "bilingual" else read_protocol(name), dataset)
    gold = dict(dataset.frame["gold"].items())
    texts = {item: tuple(map(clean, options)) for item, options in dataset.frame["options"].items()}
    counted, hidden = 0, 0
    for group in found.groups():
        own = texts[group[0].item]
        places = Counter()
        for request in group:
            counted += 1
            instruction, body = request.prompt.split("\n", 1)
            assert tuple(LETTER.findall(instruction)) == request.labels
            assert len(request.labels) == len(own)
            position = request.shown.index(own[gold[request.item]])
            assert f"{request.labels[position]}: {own[gold[request.item]]}" in body
            line = ", ".join(f"{label}: {text}" for label, text in zip(request.labels, request.shown, strict=True))
            assert line in body
            assert not request.prompt[-1].isspace()
            originals = [(p + request.rotation) % len(own) for p in range(len(own))]
            assert tuple(own[original] for original in originals) == request.shown
            places.update(enumerate(originals))
            hidden += "E" not in request.labels and len(own) == 5
        assert len(places) == len(own) ** 2
        assert set(places.values()) == {1}
    assert counted == len(found) == (24_708 if name == "paper" else 8_236)
    assert hidden == 0


def test_items_with_a_passage_get_the_other_template(dataset):
    found = plan(read_protocol("single"), dataset)
    has_passage = dict(dataset.frame["has_passage"].items())
    for (request,) in found.groups():
        assert request.prompt.startswith("주어진 맥락을" if has_passage[request.item] else "주어진 질문을")
        assert ("\n맥락: " in request.prompt) >= has_passage[request.item]


def test_examples_never_leak(dataset):
    protocol = Protocol(name="own", rotations=1, few_shot={"n": 5})
    found = plan(protocol, dataset)
    frame = dataset.frame
    for item in frame.index:
        drawn = [name for name, _ in found.examples(item)]
        assert len(set(drawn)) == 5
        assert item not in drawn
        assert set(frame.loc[drawn, "category"]) == {frame.loc[item, "category"]}
        assert frame.loc[item, "cluster"] not in set(frame.loc[drawn, "cluster"])
        assert frame.loc[item, "digest"] not in set(frame.loc[drawn, "digest"])
