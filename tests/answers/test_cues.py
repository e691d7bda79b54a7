"""Every word of the tables of cues does what it is there for."""

import pytest

from click_stats.answers import extract

PALACES = ("경복궁", "창덕궁", "덕수궁", "창경궁")
OTHERS = "A는 먼저, C는 나중이다. "
"""Two other labels: without a cue no answer can be taken from the text."""


def read(text, **settings):
    return extract(text, PALACES, **settings)


@pytest.mark.parametrize(
    "cue",
    [
        *(
            "정답은 ",
            "정답: ",
            "정답이 ",
            "정답 = ",
            "정답 -> ",
            "정답 → ",
            "해답은 ",
            "답은 ",
            "답안: ",
            "답변: ",
            "대답: ",
            "응답: ",
        ),
        *("최종 답: ", "최종답: ", "최종 정답은 ", "정답은: ", "정답 (Answer): ", "정답(answer) : ", "Answer (정답): "),
        *(
            "Answer: ",
            "The answer is ",
            "the answer was ",
            "The answer would be ",
            "The answer should be ",
            "answers: ",
        ),
        *(
            "The answer must be ",
            "The answer seems to be ",
            "the answer appears to be ",
            "answer is: ",
            "Correct option: ",
        ),
        *(
            "The right choice is ",
            "Best option: ",
            "Final choice => ",
            "ANSWER ⇒ ",
            "The answer is option ",
            "Answer: the letter ",
        ),
        *(
            "정답은 선택지 ",
            "정답은 보기 ",
            "정답은 바로 ",
            "정답은 아마도 ",
            "The answer is probably ",
            "[정답] ",
            "<정답>",
            "【답】",
        ),
    ],
)
def test_words_before_the_answer(cue):
    for text in (f"{OTHERS}{cue}B", f"{cue}B. {OTHERS}", f"{OTHERS}\n{cue}(b)\n"):
        assert read(text)[:3] == (1, "ok", "cue")


@pytest.mark.parametrize(
    "phrase",
    [
        *(
            "B가 정답입니다",
            "B가 답이다",
            "B는 정답이에요",
            "B가 바로 정답이며",
            "B가 최종 정답이고",
            "B이 정답이므로",
            "B가 정답임",
        ),
        *(
            "B를 정답으로 본다",
            "B가 정답이라고 본다",
            "B가 정답일 것",
            "B가 정답이 됩니다",
            "(B)가 정답.",
            "B번이 답이다",
            "B가 가장 답이다",
        ),
        *(
            "B를 선택합니다",
            "B를 선택하겠습니다",
            "B을 선택했다",
            "B를 고르겠다",
            "B를 고릅니다",
            "B를 골랐다",
            "B를 고른다",
        ),
        *("B를 택한다", "B를 택하겠다", "B로 답하겠습니다", "B라고 답합니다", "B으로 답한다"),
        *(
            "B is the correct answer",
            "B is my final answer",
            "B would be the best choice",
            "B must be the right option",
        ),
        *("B seems to be the most likely answer", "B should be the most appropriate one", "B was the answer"),
    ],
)
def test_words_behind_the_answer(phrase):
    assert read(OTHERS + phrase)[:3] == (1, "ok", "cue")


@pytest.mark.parametrize(
    "phrase",
    [
        *(
            "옳지 않은 것은 B이다.",
            "맞는 것이 B입니다",
            "선택은 B",
            "선택: B",
            "결론은 B다.",
            "따라서 B이다",
            "따라서, B.",
            "그러므로 B입니다",
        ),
        *(
            "결론적으로 B이다.",
            "결국 B이다.",
            "그래서 B입니다.",
            "Therefore, B.",
            "Thus B",
            "Hence, B because it is older",
        ),
        *("I choose B.", "I'd select B", "I would pick B since it is old", "I'll go with B.", "I will choose (B)"),
    ],
)
def test_conclusions(phrase):
    assert read(OTHERS + phrase)[:3] == (1, "ok", "conclusion")


@pytest.mark.parametrize(
    "denial",
    [
        *(
            "A가 아니라 ",
            "A는 아니고 ",
            "A이 아닌 ",
            "A도 아님, ",
            "A는 정답이 아닙니다. ",
            "A는 답이 아닐 것이고 ",
            "A는 옳은 것이 아니다. ",
        ),
        *(
            "A는 답이 될 수 없다. ",
            "A 말고 ",
            "A를 말고 ",
            "A를 제외하면 ",
            "A는 제외된다. ",
            "A는 오답이다. ",
            "오답은 A, ",
        ),
        *("A is not the answer, ", "A isn't correct, ", "A cannot be the answer, ", "A can't be right, ", "A wasn't, "),
        *(
            "not A but ",
            "except A, ",
            "rather than A, ",
            "instead of A ",
            "other than option A, ",
            "It isn't A, ",
            "The wrong answer is A, ",
        ),
        *("neither A, ", "excluding (A), "),
    ],
)
def test_denials(denial):
    assert read(denial + "B")[0] == 1
    assert read(denial)[0] is None


@pytest.mark.parametrize(
    "join",
    [
        ", ",
        "/ ",
        " · ",
        " & ",
        " + ",
        "와 ",
        "과 ",
        " 및 ",
        " 또는 ",
        " 혹은 ",
        " 아니면 ",
        "나 ",
        "이나 ",
        " and ",
        " or ",
        ", and ",
    ],
)
def test_joins(join):
    assert read(f"정답: B{join}D")[:3] == (None, "out_of_option", "cue")
    assert read(f"B{join}D가 정답입니다.")[:3] == (None, "out_of_option", "cue")


@pytest.mark.parametrize("among", ["중 ", " 중에서 ", " 중에는 ", " 중에 ", " 중에서는 "])
def test_lists_to_choose_from(among):
    assert read(f"정답은 A, B, C, D{among}B이다")[:3] == (1, "ok", "cue")


@pytest.mark.parametrize(
    "thought", ["A일까?", "A일지", "A인지", "A일 수", "A라면", "A이라면", "A라는 보장", "A가 될 수도"]
)
def test_open_questions_are_no_answers(thought):
    assert read(f"답은 {thought} 모르겠다. C도 있다.")[0] is None
    assert read(f"답은 B이다. 답은 {thought} 모르겠다. C도 있다.")[0] == 1


@pytest.mark.parametrize(
    "refusal",
    [
        *(
            "죄송하지만 답변을 드릴 수 없습니다.",
            "답을 제공할 수 없습니다.",
            "도와드릴 수 없습니다.",
            "선택을 할 수 없습니다.",
            "답변드리기 어렵습니다.",
        ),
        *(
            "답하기가 곤란합니다.",
            "응답을 거부합니다.",
            "I'm sorry.",
            "I am unable to say.",
            "I cannot.",
            "I can’t help.",
            "I won't do that.",
        ),
        *("I must decline.", "I apologise.", "I apologize.", "We are unable to answer.", "As an AI, no."),
    ],
)
def test_refusals(refusal):
    assert read(refusal)[:2] == (None, "refused")
    assert read(f"{refusal} 정답: B")[:2] == (1, "ok")


@pytest.mark.parametrize("tag", ["think", "thinking", "thought", "reasoning", "reflection", "THINK"])
def test_tags_of_reasoning(tag):
    assert read(f"<{tag}>정답: A</{tag}>B")[0] == 1
    assert read(f"정답: A[/{tag}]B")[0] == 1


def test_more_names_than_options_are_read_to_an_end():
    assert read("정답: " + "A, " * 40)[0] == 0
    assert read("정답: " + "A, " * 40 + "B")[0] == 0
