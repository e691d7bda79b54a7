"""Protocols as files: what comes with the package, a user's own, and messages that name the key."""

import re
from pathlib import Path

import pytest

from click_stats.errors import UsageError
from click_stats.protocol import Protocol, plan, protocol_names, read_protocol
from click_stats.protocol.wording import Wording

OWN = """
title = "Mine"
wordings = ["1", "polite"]
rotations = [0, 2]
replicates = 2
system = "조교"

[few_shot]
n = 3
seed = 7

[wording.polite]
instruction = "{labels} 중에서 골라 {label_word} 하나로 알려 주세요."
lines = ["질문: {question}", "{options}", "답:"]
"""


def test_the_packaged_protocols():
    assert protocol_names() == ["paper", "three-rotations", "single", "choices-only", "question-only"]
    found = {name: read_protocol(name) for name in protocol_names()}
    assert found["paper"].wordings == ("1", "2", "3")
    assert found["paper"].rotations == "all"
    assert found["three-rotations"].rotations_of(5) == (0, 1, 2)
    assert found["three-rotations"].rotations_of(2) == (0, 1)
    assert found["single"].rotations_of(5) == (0,)
    assert [found[name].conditions() for name in found] == [(), (), (), ("choices-only",), ("question-only",)]


def test_a_protocol_of_the_users_own_comes_from_a_folder_or_a_path(tmp_path):
    folder = tmp_path / "protocols"
    folder.mkdir()
    (folder / "mine.toml").write_text(OWN, encoding="utf-8")
    (folder / "single.toml").write_text("rotations = 2", encoding="utf-8")
    found = read_protocol("mine", [tmp_path])
    assert found == read_protocol(str(folder / "mine.toml"))
    assert found.name == "mine"
    assert found.few_shot.n == 3
    assert found.texts()["polite"].origin == "user"
    assert found.conditions()[0] == "3-shot"
    assert found.conditions()[1].startswith("system prompt ")
    assert read_protocol("single", [tmp_path]).rotations == 2  # one's own comes first
    assert protocol_names([tmp_path])[-1] == "mine"


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("rotation = 3", "rotation"),
        ("[few_shot]\nn = 3\nshots = 2", "few_shot.shots"),
        ("[few_shot]\nn = 0", "few_shot.n"),
        ("rotations = []", "rotations"),
        ("rotations = [0, 0]", "rotations: one stands twice"),
        ("rotations = [-1]", "rotations"),
        ("rotations = 0", "rotations"),
        ("wordings = []", "wordings"),
        ('wordings = ["1", "1"]', "wordings: one stands twice"),
        ('wordings = ["4"]', "no '4'; known: 1, 1-bilingual, 2, 3"),
        ("replicates = 0", "replicates"),
        ('shown = "nothing"', "shown"),
        ("[few_shot]\nn = 2\n[chain_of_thought]", "few_shot and chain_of_thought"),
        ('shown = "choices"\n[chain_of_thought]', "chain_of_thought"),
        ('[chain_of_thought]\ncue = "풀이: "', "chain_of_thought: Value error, cue"),
        ('[wording.1]\ninstruction = "{labels}"\nlines = ["{question}", "{options}", "답:"]', "'1'"),
        ('[wording.foreign]\ninstruction = "{labels}"\nlines = ["{question}", "{options}", "답:"]', "'foreign'"),
        ('[wording.x]\norigin = "paper"\ninstruction = "{labels}"\nlines = ["{question}", "{options}", "답:"]', "wording.x.origin"),
        ('[wording.x]\ninstruction = "고르시오"\nlines = ["{question}", "{options}", "답:"]', "instruction must hold {labels}"),
        ('[wording.x]\ninstruction = "{labels}"\nlines = ["{question}", "답:"]', "lines must hold {options} once"),
        ('[wording.x]\ninstruction = "{labels}"\nlines = ["{question}", "{options}"]', "answer cue"),
        ('[wording.x]\ninstruction = "{labels}"\nlines = ["{question}", "{options}", "답: "]', "answer cue"),
        ('[wording.x]\ninstruction = "{labels} {x}"\nlines = ["{question}", "{options}", "답:"]', "unknown {x}"),
        ('[wording.x]\ninstruction = "{labels}"\noption = "{text}"\nlines = ["{question}", "{options}", "답:"]', "option must hold {label}"),
        ('wordings = ["x"]\n[context]\nfile = "f.csv"\n[wording.x]\ninstruction = "{labels}"\nlines = ["{question}", "{options}", "답:"]', "line with {context}"),
    ],
)  # fmt: skip
def test_a_wrong_form_names_the_key(declare, text, named):
    with pytest.raises(UsageError) as caught:
        read_protocol(declare(text))
    assert named in caught.value.found
    assert "few_shot" in caught.value.do


def test_files_that_are_no_toml_and_names_that_do_not_exist(declare, tmp_path):
    with pytest.raises(UsageError, match="not valid TOML"):
        read_protocol(declare("rotations = "))
    with pytest.raises(UsageError, match="no protocol 'papper'") as caught:
        read_protocol("papper")
    assert "paper, three-rotations" in caught.value.found
    with pytest.raises(UsageError, match="no protocol"):
        read_protocol(str(tmp_path / "none.toml"))


def test_rotations_that_no_item_of_a_size_has():
    with pytest.raises(UsageError, match="4 options"):
        Protocol(name="own", rotations=(4,)).rotations_of(4)
    assert Protocol(name="own", rotations=(0, 4)).rotations_of(4) == (0,)


def test_conditions_name_what_differs_on_purpose():
    protocol = Protocol(name="own", chain_of_thought={}, system="a", chat_template=True)
    other = Protocol(name="own", chain_of_thought={}, system="b", chat_template=True)
    assert protocol.conditions()[0] == "chain of thought"
    assert protocol.conditions()[-1] == "chat template"
    assert protocol.conditions() != other.conditions()  # two system prompts are two conditions


def test_reasoning_needs_a_model_that_writes():
    protocol = Protocol(name="own", chain_of_thought={})
    protocol.require_kind("generate")
    read_protocol("paper").require_kind("score")
    with pytest.raises(UsageError, match="asks for reasoning"):
        protocol.require_kind("score")


def test_the_example_of_the_guide_is_a_protocol(declare, invented):
    guide = Path(__file__).parents[2] / "docs" / "guide" / "protocol.md"
    (example,) = re.findall(r"```toml\n(.*?)```", guide.read_text(encoding="utf-8"), re.DOTALL)
    protocol = read_protocol(declare(example))
    assert protocol.conditions()[0] == "5-shot"
    assert protocol.texts()["polite"].origin == "user"
    asked = [request for group in plan(protocol, invented).groups() for request in group]
    assert {request.rotation for request in asked} == {0, 2}
    assert any("하나로 알려 주세요." in request.prompt for request in asked)


def test_wordings_are_frozen():
    wording = Wording(instruction="{labels}", lines=("{question}", "{options}", "답:"))
    assert wording.cue == "답:"
    with pytest.raises(ValueError, match="frozen"):
        wording.note = "other"
