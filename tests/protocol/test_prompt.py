"""The text that is sent: the paper's template to the letter, every option shown, the labels of the instruction."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from click_stats.items import labels
from click_stats.protocol import Protocol, plan, read_protocol
from click_stats.protocol.prompt import Question, order, prompt
from click_stats.protocol.wording import packaged

ALONE = {"letters": r"(?<![A-Za-z])[A-Z](?![A-Za-z])", "digits": r"\d+"}


def prompts(items, protocol):
    found = plan(protocol, items)
    return {(r.item, r.wording, r.rotation): r.prompt for group in found.groups() for r in group}


def test_the_papers_template_without_a_passage(read, entries):
    found = prompts(read(entries(1)), read_protocol("single"))
    assert found == {
        ("One/q1", "1", 0): "주어진 질문을 천천히 읽고, 적절한 정답을 A, B, C, D 중에 골라 알파벳 하나로 답하시오.\n"
        "질문: 1번 질문은?\n"
        "보기:\n"
        "A: 보기 1-0, B: 보기 1-1, C: 보기 1-2, D: 보기 1-3\n"
        "정답:"
    }


def test_the_papers_template_with_a_passage_and_five_options_rotated(read, entries):
    protocol = Protocol(name="own", rotations=(2,))
    found = prompts(read(entries(1, passage="첫 줄\n둘째 줄", n=5)), protocol)
    assert found == {
        (
            "One/q1",
            "1",
            2,
        ): "주어진 맥락을 천천히 읽고, 질문에 대한 적절한 정답을 A, B, C, D, E 중에 골라 알파벳 하나로 답하시오.\n"
        "맥락: 첫 줄\n둘째 줄\n"
        "질문: 1번 질문은?\n"
        "보기:\n"
        "A: 보기 1-2, B: 보기 1-3, C: 보기 1-4, D: 보기 1-0, E: 보기 1-1\n"
        "정답:"
    }


def test_the_bilingual_wording_has_the_brackets_and_nothing_else_differs(read, entries):
    items = read(entries(1, passage="글"))
    plain = prompts(items, Protocol(name="own", rotations=1))[("One/q1", "1", 0)]
    bilingual = prompts(items, Protocol(name="own", wordings=("1-bilingual",), rotations=1))
    text = bilingual[("One/q1", "1-bilingual", 0)]
    for label in ("맥락 (Context):", "질문 (Question):", "보기 (Options):", "정답 (Answer):"):
        assert text.count(label) == 1
    assert re.sub(r" \([A-Z][a-z]+\)", "", text) == plain


def test_whose_the_wordings_are():
    origins = {name: wording.origin for name, wording in packaged().items()}
    assert origins == {"1": "paper", "1-bilingual": "paper", "2": "click-stats", "3": "click-stats"}
    texts = [wording.instruction for wording in packaged().values()]
    assert len(set(texts)) == 3  # the bilingual one differs in its lines only


@pytest.mark.parametrize("label_set", ["letters", "digits"])
@pytest.mark.parametrize("n", range(2, 27))
@pytest.mark.parametrize("shown", ["all", "question", "choices"])
def test_the_instruction_names_exactly_the_labels_shown(n, label_set, shown):
    own = labels(n, label_set)
    question = Question("글", "질문", tuple(f"가나다{'라' * k}" for k in range(n)), own, 0)
    for wording in packaged().values():
        text = prompt(wording, Protocol(name="own", shown=shown), question, 1)
        instruction, body = text.split("\n", 1)
        assert tuple(re.findall(ALONE[label_set], instruction)) == own
        assert ("알파벳" in instruction) == (label_set == "letters")
        assert ("번호" in instruction) == (label_set == "digits")
        line = body.splitlines()[-2]
        assert line == ", ".join(f"{label}: {question.options[o]}" for label, o in zip(own, order(n, 1), strict=True))
        assert ("글" in body) == (shown == "all")
        assert ("질문:" in body or "질문 (" in body) == (shown != "choices")
        assert text == text.rstrip()


@given(st.integers(2, 26))
def test_over_the_rotations_each_option_stands_once_at_each_position(n):
    rows = [order(n, rotation) for rotation in range(n)]
    assert rows[0] == tuple(range(n))
    for position in range(n):
        assert sorted(row[position] for row in rows) == list(range(n))
    for row in rows:
        assert sorted(row) == list(range(n))


TEXT = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1).filter(str.strip)


@given(TEXT, st.lists(TEXT, min_size=2, max_size=6), st.sampled_from(sorted(packaged())))
def test_texts_are_inserted_as_they_stand(question, options, name):
    """Braces, backslashes and names of placeholders in a text mean nothing."""
    asked = Question("{options}", question, tuple(options), labels(len(options)), 0)
    text = prompt(packaged()[name], Protocol(name="own"), asked, 0)
    line = ", ".join(f"{label}: {option}" for label, option in zip(asked.labels, options, strict=True))
    assert f"{question}\n" in text
    assert f"\n{line}\n" in text
    assert text.count("{options}") >= 1


def test_texts_are_sent_in_nfc_without_whitespace_at_their_ends(read, entries):
    decomposed = unicodedata.normalize("NFD", "한글")
    item = entries(1, passage=f"\n {decomposed} 글 \n")
    text = prompts(read(item), read_protocol("single"))[("One/q1", "1", 0)]
    assert "맥락: 한글 글\n질문:" in text


def test_chain_of_thought_stands_in_place_of_the_wordings_instruction(read, entries):
    items = read(entries(1, passage="글"), entries(2))
    protocol = Protocol(name="own", rotations=1, chain_of_thought={})
    with_passage, without = prompts(items, protocol).values()
    assert with_passage.startswith("주어진 맥락과 질문을 천천히 읽고, 단계별로 생각한 뒤 A, B, C, D 중에서")
    assert without.startswith("주어진 질문을 천천히 읽고, 단계별로")
    assert "하나로 답하시오" not in without
    assert "마지막 줄에는 '정답: ' 다음에 알파벳 하나만" in without
    assert without.endswith("\n풀이:")


def test_system_prompt_and_chat_template_reach_the_requests(read, entries):
    protocol = Protocol(name="own", rotations=1, system="조교", chat_template=True)
    (request,) = next(plan(protocol, read(entries(1))).groups())
    assert (request.system, request.chat_template) == ("조교", True)
    assert "조교" not in request.prompt
