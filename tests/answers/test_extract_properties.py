"""What holds of extraction whatever the response: decoration does not matter, and nothing comes from nothing."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from click_stats.answers import POLICIES, extract

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
WRAPPERS = (
    *("**{}**", "*{}*", "__{}__", "`{}`", "**{}.**"),
    *('"{}"', "'{}'", "“{}”", "‘{}’", "「{}」", "『{}』"),
    *("({})", "[{}]", "<{}>", "【{}】", "${}$", "{{{}}}", "({}", "{})", "({})."),
    *(
        "{}입니다.",
        "{}이다",
        "{}가",
        "{}는",
        "{}를",
        "{}요",
        "{}번",
        "{}예요",
        "{}라고 생각합니다.",
        "{}인 것 같다",
        "{}로",
    ),
    *("정답: {}", "정답은 {}입니다", "Answer: {}", "The answer is {}.", "{}가 정답이다", "보기 {}"),
    *("{}.", "{},", "{}:", "{}!"),
)
BLANKS = st.text(alphabet=" \t\n\u3000", max_size=3)
TEXTS = st.lists(
    st.text(alphabet=st.characters(min_codepoint=0xAC00, max_codepoint=0xD7A3), min_size=2, max_size=6).map(
        "궁{}터".format
    ),
    min_size=2,
    max_size=26,
    unique=True,
)


@given(st.data(), st.integers(2, 26), st.sampled_from(WRAPPERS), st.sampled_from(POLICIES), BLANKS, BLANKS)
def test_a_decorated_letter_is_that_letter(data, n_options, wrapper, policy, before, after):
    position = data.draw(st.integers(0, n_options - 1))
    text = before + wrapper.format(LETTERS[position]) + after
    assert extract(text, None, labels=LETTERS[:n_options], policy=policy).option == position


@given(st.data(), st.integers(2, 26), st.sampled_from(WRAPPERS[:24]), st.sampled_from(POLICIES))
def test_a_decorated_digit_is_that_digit(data, n_options, wrapper, policy):
    labels = [str(n + 1) for n in range(n_options)]
    position = data.draw(st.integers(0, n_options - 1))
    assert extract(wrapper.format(labels[position]), None, labels=labels, policy=policy).option == position


@given(st.data(), TEXTS, st.sampled_from(["{}", '"{}"', "'{}'", "“{}”", "「{}」", "{}.", '"{}."']), BLANKS, BLANKS)
def test_a_quoted_option_text_is_that_option(data, options, wrapper, before, after):
    position = data.draw(st.integers(0, len(options) - 1))
    found = extract(before + wrapper.format(options[position]) + after, options)
    assert (found.option, found.rule) == (position, "whole_text")


FOREIGN = st.lists(
    st.one_of(
        st.characters(min_codepoint=0xAC00, max_codepoint=0xD7A3),
        st.sampled_from("efghijklmnoprstuvwxyzEFGHIJKLMNOPQRSTUVWXYZ0123456789①②③가나다라 \n.,:;!?()[]*'\"-/"),
        st.sampled_from(["정답: ", "정답은 ", "답: ", "것은 ", " 입니다", "Er ist ", "③번", "not ", "아니라", "중 "]),
    ),
    max_size=60,
).map("".join)


@given(FOREIGN)
def test_paper_takes_no_option_from_a_text_without_label_and_option_text(text):
    found = extract(text, ["쀍궁", "쀍탑", "쀍문", "쀍집"], policy="paper")
    assert found.option is None
    assert found.status != "ok"


MIXED = st.lists(
    st.one_of(
        st.sampled_from([*LETTERS, *"abcd0123456789①②⑳", *"가나다라마하", "경복궁", "창덕궁", "B 마을"]),
        st.sampled_from(
            ["정답", "답", "은 ", ": ", "Answer", " is ", "not ", "가 아니라 ", "와 ", ", ", " 중 ", "\n", " "]
        ),
        st.sampled_from(
            ["<think>", "</think>", r"\boxed{", "}", "(", ")", "**", '"', "번", "입니다", ".", "일까", "것은 "]
        ),
        st.characters(),
    ),
    max_size=25,
).map("".join)


@given(MIXED, st.integers(2, 26), st.sampled_from(POLICIES), st.booleans(), st.booleans())
def test_the_result_never_leaves_the_label_set(text, n_options, policy, digits, texts):
    labels = [str(n + 1) for n in range(n_options)] if digits else list(LETTERS[:n_options])
    options = ["경복궁", "창덕궁", "B 마을", *(f"글 {n}" for n in range(n_options))][:n_options] if texts else None
    found = extract(text, options, labels=labels, policy=policy)
    assert found.option is None or 0 <= found.option < n_options
    assert (found.option is not None) == (found.status == "ok")
    assert extract(text, options, labels=labels, policy=policy) == found


@given(MIXED)
def test_lenient_differs_from_paper_only_where_exam_marks_stand(text):
    options = ["경복궁", "창덕궁", "덕수궁", "창경궁"]
    paper, lenient = extract(text, options), extract(text, options, policy="lenient")
    if not set(text) & set("0123456789①②⑳가나다라마하") and text.isascii():
        assert paper == lenient
    if paper.option is not None:
        assert lenient.option == paper.option or "whole_ordinal" in lenient.rule or lenient.rule == "cue"


PATTERNS = (
    *(
        "A",
        "A ",
        "A, ",
        "A와 ",
        "A\n",
        "A: ",
        "(a) ",
        "'A'",
        "A가 정답 ",
        "A가 아니라 ",
        "not A ",
        "A is the most correct ",
    ),
    *(
        "정답: ",
        "정답: A, ",
        "정답**",
        "정답 A, A와 ",
        "정답은 가나 A ",
        "Answer is ",
        "### ANSWER\n",
        "것은 ",
        r"\boxed{",
    ),
    *(
        "*",
        "(",
        ")",
        ").",
        "[( ",
        ".",
        "\n",
        " ",
        "\"'",
        "“",
        "「『",
        "<think>",
        "</think>",
        "<think></think>",
        '{"answer":',
    ),
    *(
        "가",
        "A이라라라라라라라라라라라라라라라라",
        "\u0316\u0301",
        "a" + "\u0316" * 20 + "\u0301" * 20,
        "1",
        "1.",
        "①",
        "Ａ",
        "é",
    ),
    *("경복궁 ", "경복궁, ", "답변을 드릴 수 ", "the option ", "I choose ", "경복궁 (A", "중 A 중 "),
)
SIZE = 100_000
SECONDS = 20
"""Far above what linear time needs (under a second), far below what quadratic time would take."""


@pytest.mark.parametrize("pattern", PATTERNS)
def test_time_is_linear_in_adversarial_text(pattern):
    text = (pattern * (SIZE // len(pattern) + 1))[:SIZE]
    begin = time.process_time()
    extract(text, ["경복궁", "경복궁 서쪽", "덕수궁", "창경궁"], policy="lenient")
    assert time.process_time() - begin < SECONDS
