"""The words that answers come in, as data: cues, particles, negations, refusals, in Korean and English.

Texts are tidied before any of these is asked (see :mod:`~click_stats.answers.tidy`): runs of blanks are one
blank, empty lines are gone, full-width letters are plain. What is searched for begins with a word, and all
repetitions are bounded, so that searching is linear in the text.
"""

from __future__ import annotations

import re


def _any(words: str) -> str:
    return _one_of(*words.split())


def _one_of(*patterns: str) -> str:
    return "(?:" + "|".join(patterns) + ")"


# ---- around a label ----
OPENERS = r"""(?:[\s*_~`"'“‘「『(\[{<【〈《$#>•]|- |\\(?:text|textbf|mathrm|mathbf|boxed) ?\{|\\[(\[]){0,12}"""
CLOSERS = r"""[*_~`"'”’」』)\]}>】〉》$]{0,12}"""
FILLERS = (
    r"(?:(?:the|my|option|choice|letter|number|clearly|definitely|probably|likely|"
    r"선택지|보기|항목|번호|바로|아마도?|역시|당연히)(?![A-Za-z]) ?){0,3}"
)

# ---- what follows a label within its word ----
_PARTICLES = _any(
    "가 이 은 는 을 를 와 과 의 도 만 로 으로 에 에서 에게 부터 까지 보다 처럼 나 이나 랑 이랑 란 이란 뿐 밖에 말고 "
    "로서 로써 라도 이라도 조차 마저 하고 든 든지 중 중에 중에서 중에는 중에서는"
)
_STATED = (
    r"(?:입니다[가-힣]{0,3}|이다|다|임|이며|며|이고|고|이므로|이에요|이예요|예요|에요|이죠|죠|이요|요|"
    r"이라고|라고|이네요|네요|이었[가-힣]{0,4}|였[가-힣]{0,4})"
)
_LOOSE = (
    r"(?:입니[가-힣]{1,3}|인[가-힣]{0,3}|일[가-힣]{0,3}|임[가-힣]{1,3}|이?라[가-힣]{1,4}|이?지[가-힣]{1,3}|이기[가-힣]{0,3}|"
    r"이?니[가-힣]{0,3}|이겠[가-힣]{1,4}|이?거나|이?면)"
)
COPULA = rf"{_STATED}(?![가-힣])"
"""Says that something is the answer."""
PARTICLE = rf"(?:번|항)?(?:{_STATED}|{_LOOSE}|{_PARTICLES}{{0,2}})(?![가-힣])"
"""All that may be glued to a letter without making another word of it."""
NUMBER_PARTICLE = (
    rf"(?:{_STATED}|(?:번|항)(?:{_STATED}|{_LOOSE}|{_PARTICLES}{{0,2}})|가|이|은|는|을|를|와|과|로)?(?![가-힣])"
)
"""The same for a digit: ``3일`` and ``2만`` are no labels."""
COUNTERS = re.compile(" ?" + _any("년 월 일 개 명 세기 번째 차 회 위 종 가지 곳 살 원 점 대 시 분 호") + "(?![A-Za-z])")
PREDICATE = re.compile(rf"{CLOSERS}(?:번|항)? ?(?:{COPULA}|[.!。)](?![A-Za-z0-9])| (?:because|since)(?![A-Za-z])|\n|$)")
"""A label followed by this is what the sentence says."""
ORDINAL_ENDS = (
    rf"{CLOSERS}(?:번(?:{_STATED}|{_LOOSE}|{_PARTICLES}{{0,2}})(?![가-힣])| ?{COPULA}|[.,:;!?](?![0-9])|\n|$)"
)

GLUED_AFTER = re.compile(r"['’][A-Za-z]|[+#%°]|[-–/&._][A-Za-z0-9]|[^\W_가-힣]")
GLUED_BEFORE = re.compile(r"(?:[A-Za-z]['’]|[A-Za-z0-9][-–/&._]|[^\W_가-힣])\Z")
"""``A's``, ``A+``, ``B-29``, ``B.C.``, ``Q&A``: no labels. Hangul may stand on either side."""
GLUED_NUMBER_AFTER = re.compile(r"[.,:/~-][0-9]|[%+#°]|[^\W_가-힣]")
GLUED_NUMBER_BEFORE = re.compile(r"(?:[0-9][.,:/~-]|[^\W_가-힣]|제)\Z")
_AFTER_A = "because|since|is|was|as|and|or|but|for|which|would|seems|not|isn"
_AFTER_I = "because|since|is|and|or|but|as"
ARTICLE = {
    "A": re.compile(rf" (?!(?:{_AFTER_A})(?![a-z]))(?:[A-Za-z]{{2,}}|[a-z])"),
    "I": re.compile(rf" (?!(?:{_AFTER_I})(?![a-z]))(?:[A-Za-z]{{2,}}|[a-z])"),
}
"""A followed by another word is an article, I a pronoun."""

# ---- names that are withdrawn or left open ----
_DENIALS = _one_of(
    r"(?:가|이|은|는|도|만)? ?(?:정답|답|옳은 것|맞는 것)?(?:이|은|는|가|도)? ?아(?:니(?!면)|닙|닌|님|닐)[가-힣]{0,4}",
    r"(?:은|는)? ?(?:정답|답)이? ?될 수 없[가-힣]{0,3}",
    r"(?:를|을)? ?말고",
    r"(?:은|는|를|을|도)? ?제외[가-힣]{0,4}",
    r"(?:은|는)? ?오답[가-힣]{0,4}",
    r" (?:is not|isn't|was not|wasn't|cannot be|can't be)(?: (?:the|correct|right|answer)){0,3}",
)
NEGATED_AFTER = re.compile(rf"{CLOSERS}(?:번)?{_DENIALS}[ ,]{{0,2}}(?:but |rather )?")
"""``A가 아니라``, ``A는 정답이 아닙니다``, ``A is not``: the name before it is withdrawn."""
NEGATED_BEFORE = re.compile(
    r"(?:(?<![A-Za-z])(?:not|nor|neither|except|excluding|rather than|instead of|other than)|n't|n’t|"
    r"오답[은:]?|(?:wrong|incorrect) answer(?: is|:)?) ?(?:the )?(?:option |choice )?[*_\"'(\[]{0,3}\Z",
    re.IGNORECASE,
)
NOT = re.compile(r"not(?: the)?(?: option)? ", re.IGNORECASE)
OPEN_QUESTION = re.compile(rf"{CLOSERS}(?:번)? ?(?:일까|일지|인지|일 수|이?라면|이?라는 보장|[이가]? ?될 수도)")
"""``A일까``: a thought, not an answer."""
JOINS = re.compile(
    r" ?(?:,|/|·|&|\+|와|과|및|또는|혹은|아니면|이?나|이?거나|and|or|and/or) ?(?:and |or |또는 |및 )?(?![,/·&+])"
)
"""Between two names that are both given as the answer."""
AMONG = re.compile(r" ?중(?:에서는|에서|에는|에|의)?(?![가-힣]) ?")
"""After a list: what comes next is the one chosen."""
DELIMITER = re.compile(r"[*_]{0,3}[.):,] ?| ?[-–(=\[\"'「『]")
"""Between a label and its own option text."""
OFFERED = re.compile(rf"{CLOSERS}[.:)](?![A-Za-z0-9])")
ITEM_BEFORE = re.compile(
    r"\n(?:[-•*+]|[0-9]{1,2}[.)]|#{1,6})[ *_]{0,5}(?:option |choice |선택지 ?|보기 ?)?[*_(\[]{0,4}\Z", re.IGNORECASE
)
ITEM_AFTER = re.compile(rf"{CLOSERS}(?: ?선택지| option| choice)?{CLOSERS} ?[:–-]", re.IGNORECASE)
"""An entry of a list in which options are discussed: ``- **Option A**: ...``."""

# ---- cues before the answer ----
_GLOSS = r"(?: ?\( ?(?:answer|정답) ?\))?"
_WORD_KO = r"(?:정답|해답|(?:(?<=최종)|(?<![가-힣]))(?:답안|답변|대답|응답|답))"
_WORD_EN = (
    r"(?<![A-Za-z/])(?<!wrong )(?<!incorrect )"
    r"(?:answers?|(?:correct|right|best|final) (?:option|choice))(?![A-Za-z])"
)
_LINK = (
    r"(?:은|는|이)?(?: (?:is|was|would be|should be|must be|seems to be|appears to be)(?![A-Za-z]))?"
    r"(?: ?(?:[:=]|->|=>|→|⇒))?"
)
CUE = re.compile(
    rf"(?P<word>{_WORD_KO}|{_WORD_EN}|\\boxed(?= ?\{{)){_GLOSS}(?P<closed>[*_~`\"'”’」』)\]}}>】〉》]{{0,6}})"
    rf"(?P<link>{_LINK})",
    re.IGNORECASE,
)
"""A word whose purpose is to hand over the answer, and what links it to the answer."""
HEADING = re.compile(r"(?:\A|\n)[#*_>\[<(【\"' -]{0,8}(?:(?:the|my|final|correct|최종|제) ?){0,3}\Z", re.IGNORECASE)
"""What may stand before a cue word that is a line of its own."""
CONCLUSION = re.compile(
    r"(?:것은|것이|선택은|선택:|결론은|따라서,?|그러므로,?|결론적으로,?|결국,?|그래서,?|"
    r"(?<![A-Za-z])(?:therefore|thus|hence),?|"
    r"(?<![A-Za-z])I(?:'d|'ll| would| will)? (?:choose|select|pick|go with)(?![A-Za-z])) ?",
    re.IGNORECASE,
)
"""Weaker cues: they count where the name that follows is what the sentence says."""
SENTENCE = re.compile(r"[^\n]{0,120}?(?=[.!?。](?:[ \n]|$)|\n|$)")
"""The rest of a sentence, if it is short."""

# ---- cues after the answer ----
_IS_ANSWER_KO = (
    r"(?:가|이|은|는|을|를)? ?(?:바로 |가장 |최종 |저의 |제 ){0,2}(?:정답|답)"
    r"(?:입니다|이다|이에요|예요|이며|이고|이므로|임|으로|이라고|이라 |인 |일 것|이 (?:됩|된|되)|[.,!)\]]|\n|$)"
)
_IS_ANSWER_EN = (
    r" (?:is|was|would be|should be|must be|seems to be)"
    r"(?: (?:the|my|most|correct|right|best|final|appropriate|likely)){1,4} (?:answer|option|choice|one)"
)
_CHOSEN = r"(?:을|를|로|으로|이라고|라고) ?" + _one_of(
    "선택(?:합|하겠|했|한다|해)", "고르겠|고릅|골랐|고른다", "택(?:합|하겠|했|한다)", "답(?:합|하겠|한다)"
)
CUE_AFTER = re.compile(rf"{CLOSERS}(?:번)?{_one_of(_IS_ANSWER_KO, _CHOSEN, _IS_ANSWER_EN)}", re.IGNORECASE)

# ---- the whole response ----
REASONING = ("think", "thinking", "thought", "reasoning", "reflection")
"""Tags of reasoning blocks, in angle or square brackets."""
REASONING_TAG = re.compile(
    rf"[<\[](?P<close>/?)(?:{'|'.join(REASONING)})[>\]]|<\|channel\|>(?:analysis|commentary)<\|message\|>|"
    r"(?P<final><\|channel\|>final<\|message\|>)",
    re.IGNORECASE,
)
REFUSALS = re.compile(
    _one_of(
        r"(?:답변?|대답|응답|선택|도움|도와)(?:을|를|해)? ?(?:드릴|드리기|줄|할|제공할) ?(?:수 ?(?:가 ?)?없|어렵)",
        "도와드릴 수 ?없",
        "답변?(?:하|드리)기 ?(?:가 )?(?:어렵|곤란)",
        "(?:답변|대답|응답)을? ?거부",
        "I(?:'m| am) (?:sorry|unable|not able)",
        "I (?:cannot|can't|can’t|won't|will not|must decline)",
        "I apologi[sz]e",
        "unable to (?:answer|choose|assist|help|provide)",
        "as an AI",
    ),
    re.IGNORECASE,
)
