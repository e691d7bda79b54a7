"""What is scored, token by token."""

import dataclasses

import pytest

from click_stats.adapters.hf.settings import Settings
from click_stats.adapters.hf.strings import Scored, normalised, question
from click_stats.adapters.hf.text import Texts
from click_stats.errors import DataError, UsageError

TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}<|user|>{{ message['content'] }}{{ eos_token }}{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
MERGED_LABEL = [("Ġ", "C"), (":", "ĠC")]  # ": C" becomes one token, ": A" stays three


def ends(found, tokenizer):
    return [tokenizer.convert_ids_to_tokens(list(string.ids[string.start :])) for string in found.strings]


def ask(request, tokenizer, max_length=None, **settings):
    form = Settings(**settings)
    return question(request, Texts(tokenizer, len(tokenizer), form.template), form, max_length)


@pytest.mark.torch
def test_the_space_belongs_to_the_option(group, bytes_tokenizer):
    tokenizer = bytes_tokenizer()
    request = group()[0]
    found = ask(request, tokenizer)
    for string, label, text in zip(found.strings, request.labels, request.shown, strict=True):
        assert tokenizer.decode(list(string.ids)) == f"{request.prompt} {label}: {text}"
        assert tokenizer.decode(list(string.ids[string.start :])) == f" {label}: {text}"
        assert string.text == f"{label}: {text}"
    assert found.n_tokens == len(tokenizer(request.prompt)["input_ids"])
    assert found.note == ""


@pytest.mark.torch
@pytest.mark.parametrize(("scoring", "expected"), [("label", " B"), ("text", " 경주"), ("option", " B: 경주")])
def test_scorings_differ_in_what_they_rank(group, bytes_tokenizer, scoring, expected):
    tokenizer = bytes_tokenizer()
    string = ask(group()[0], tokenizer, scoring=scoring).strings[1]
    assert tokenizer.decode(list(string.ids[string.start :])) == expected


@pytest.mark.torch
def test_s17_a_token_across_the_boundary_is_scored(group, bytes_tokenizer):
    tokenizer = bytes_tokenizer(merges=MERGED_LABEL)
    found = ask(group()[0], tokenizer, scoring="label")
    assert ends(found, tokenizer) == [[":", "Ġ", "A"], [":", "Ġ", "B"], [":ĠC"], [":", "Ġ", "D"]]
    assert found.note == "the tokenizer merges prompt and option: scored from 1 token(s) before the prompt's end"


@pytest.mark.torch
def test_s17_every_method_scores_the_merged_token(local, group, bytes_tokenizer):
    tokenizer = bytes_tokenizer(merges=MERGED_LABEL)
    found = {}
    for method in ("reference", "cache", "packed"):
        adapter = local("neox", tokenizer, scoring="label", method=method)
        assert adapter.describe()["method"] == method
        response = next(iter(adapter.answer([group()])))
        assert "merges" in response.note
        found[method] = response.scores
    assert found["cache"] == pytest.approx(found["reference"], abs=1e-4)
    assert found["packed"] == pytest.approx(found["reference"], abs=1e-4)


@pytest.mark.torch
def test_s18_one_rule_for_all_options_of_a_prompt(group, bytes_tokenizer):
    tokenizer = bytes_tokenizer(merges=[("Ġ", "A")])
    tokenizer.chat_template = TEMPLATE
    raw, chat = group()[0], group(chat_template=True)[0]
    assert ends(ask(raw, tokenizer, scoring="label"), tokenizer) == [["ĠA"], ["Ġ", "B"], ["Ġ", "C"], ["Ġ", "D"]]
    assert ends(ask(chat, tokenizer, scoring="label"), tokenizer) == [["A"], ["B"], ["C"], ["D"]]


@pytest.mark.torch
def test_s18_the_ids_scored_are_recorded(local, bytes_tokenizer):
    tokenizer = bytes_tokenizer(merges=[("Ġ", "A")])
    tokenizer.chat_template = TEMPLATE
    recorded = local("neox", tokenizer, scoring="label").describe()["ids_scored"]
    texts = {
        style: ["".join(tokenizer.convert_ids_to_tokens(each["ids"])) for each in options]
        for style, options in recorded.items()
    }
    assert texts == {"raw": ["ĠA", "ĠB", "ĠC", "ĠD"], "chat": ["A", "B", "C", "D"]}
    assert [len(each["ids"]) for each in recorded["raw"]] == [1, 2, 2, 2]


@pytest.mark.torch
def test_a_template_that_ends_in_a_word_is_followed_by_a_space(group, bytes_tokenizer):
    tokenizer = bytes_tokenizer()
    tokenizer.chat_template = "{{ messages[0]['content'] }}\nASSISTANT:"
    string = ask(group(chat_template=True)[0], tokenizer, scoring="label").strings[0]
    assert tokenizer.decode(list(string.ids)).endswith("\nASSISTANT: A")


@pytest.mark.torch
@pytest.mark.parametrize("chat_template", [True, False])
@pytest.mark.parametrize("opening", [True, False])
@pytest.mark.parametrize("written", ["", "<s>"])
def test_s19_there_is_one_beginning(group, bytes_tokenizer, chat_template, opening, written):
    tokenizer = bytes_tokenizer(opening=opening)
    tokenizer.chat_template = TEMPLATE
    request = group(chat_template=chat_template)[0]
    if not chat_template:
        request = dataclasses.replace(request, prompt=written + request.prompt)
    for string in ask(request, tokenizer).strings:
        assert string.ids.count(tokenizer.bos_token_id) == int(chat_template or opening or bool(written))
        assert tokenizer.bos_token_id not in string.ids[1:]


@pytest.mark.torch
def test_no_end_is_put_before_the_option(group, bytes_tokenizer):
    from tokenizers import processors

    tokenizer = bytes_tokenizer()
    tokenizer.backend_tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 1)]
    )
    for string in ask(group()[0], tokenizer).strings:
        assert string.ids[0] == tokenizer.bos_token_id
        assert tokenizer.eos_token_id not in string.ids


@pytest.mark.parametrize(
    ("how", "expected"),
    [("none", (-1.0, -4.0)), ("token", (-1.0, -1.0)), ("character", (-1.0, -4 / 6)), ("byte", (-1 / 3, -4 / 16))],
)
def test_s20_what_a_sum_is_divided_by(how, expected):
    short, long = Scored((5, 6), 1, "설"), Scored((5, 6, 7, 8, 9), 1, "정월 대보름")
    assert (normalised(-1.0, short, how), normalised(-4.0, long, how)) == pytest.approx(expected)


@pytest.mark.torch
def test_s20_the_normalisation_is_named_and_used(local, group, bytes_tokenizer):
    sums = next(iter(local("neox").answer([group()]))).scores
    adapter = local("neox", normalisation="character")
    assert adapter.describe()["normalisation"] == "character"
    response = next(iter(adapter.answer([group()])))
    lengths = [len(f"A: {text}") for text in response.request.shown]
    assert len(set(lengths)) > 1
    assert response.scores == pytest.approx([total / n for total, n in zip(sums, lengths, strict=True)], abs=1e-5)


LONG = "늘봄 마을에는 큰 나무가 있다. " * 141  # 2,400 characters and more


@pytest.mark.torch
@pytest.mark.parametrize("method", ["reference", "packed"])
def test_s21_a_long_prompt_is_an_error(local, group, method):
    adapter = local("neox", max_length=512, method=method)
    with pytest.raises(DataError, match=r"The prompt of Law/y_2 .wording 1. is too long") as caught:
        list(adapter.answer([group("Law/y_2", passage=LONG)]))
    assert "the model reads 512" in caught.value.found
    assert "overflow=cut" in caught.value.do


@pytest.mark.torch
@pytest.mark.parametrize("method", ["reference", "cache", "packed"])
def test_s21_a_cut_prompt_says_so_and_keeps_its_beginning_token(local, group, bytes_tokenizer, method):
    tokenizer = bytes_tokenizer(opening=True)
    asked = group("Law/y_2", passage=LONG, rotations=[0])
    found = ask(asked[0], tokenizer, 512, overflow="cut")
    read = max(len(string.ids) for string in found.strings) - 1
    assert read == 512
    assert {string.ids[0] for string in found.strings} == {tokenizer.bos_token_id}
    assert len({string.ids[: string.start] for string in found.strings}) == 1
    whole = len(tokenizer(asked[0].prompt)["input_ids"])
    removed = whole - found.n_tokens
    assert found.note == f"prompt cut at its beginning: {removed:,} of {whole - 1:,} tokens removed (max_length 512)"
    response = next(iter(local("neox", tokenizer, max_length=512, overflow="cut", method=method).answer([asked])))
    assert response.note == found.note
    reference = local("neox", tokenizer, max_length=512, overflow="cut", method="reference")
    assert response.scores == pytest.approx(next(iter(reference.answer([asked]))).scores, abs=1e-4)


@pytest.mark.torch
def test_s21_a_prompt_is_never_cut_to_nothing(group, bytes_tokenizer):
    with pytest.raises(DataError, match="too long"):
        ask(group()[0], bytes_tokenizer(), 8, overflow="cut")


@pytest.mark.torch
def test_a_prompt_of_exactly_the_length_fits(group, bytes_tokenizer):
    request, tokenizer = group()[0], bytes_tokenizer()
    longest = ask(request, tokenizer).longest
    assert ask(request, tokenizer, longest).note == ""
    with pytest.raises(DataError, match="too long"):
        ask(request, tokenizer, longest - 1)


@pytest.mark.torch
@pytest.mark.parametrize("method", ["reference", "packed"])
def test_s22_no_padding_token_is_needed(local, group, bytes_tokenizer, method):
    tokenizer = bytes_tokenizer()
    assert tokenizer.pad_token is None
    size = len(tokenizer)
    groups = [group("Law/y_1"), group("Law/y_2", passage="나무가 있다.")]
    one = [r.scores for r in local("neox", tokenizer, method=method, batch_size=1).answer(groups)]
    many = [r.scores for r in local("neox", tokenizer, method=method, batch_size=3).answer(groups)]
    for single, batched in zip(one, many, strict=True):
        assert batched == pytest.approx(single, abs=1e-4)
    assert (tokenizer.pad_token, len(tokenizer)) == (None, size)


@pytest.mark.torch
@pytest.mark.parametrize("scoring", ["option", "generate"])
def test_s23_only_what_the_model_takes_is_sent(local, group, tiny, bytes_tokenizer, monkeypatch, scoring):
    tokenizer = bytes_tokenizer(model_input_names=["input_ids", "attention_mask", "token_type_ids"])
    assert "token_type_ids" in tokenizer("가")
    model = tiny("neox")
    forward, seen = model.forward, set()

    def strict(
        input_ids=None, attention_mask=None, position_ids=None, cache=None, use_cache=None, logits_to_keep=0, **more
    ):
        seen.update(more)
        return forward(
            input_ids=input_ids, attention_mask=attention_mask, position_ids=position_ids, cache=cache,
            use_cache=use_cache, logits_to_keep=logits_to_keep,
        )  # fmt: skip

    monkeypatch.setattr(model, "forward", strict)
    adapter = local(model, tokenizer, scoring=scoring, max_new_tokens=3)
    assert len(list(adapter.answer([group()]))) == 4
    assert not seen & {"token_type_ids"}


@pytest.mark.torch
def test_a_system_prompt_goes_before_a_raw_prompt_and_into_a_template(group, bytes_tokenizer):
    tokenizer = bytes_tokenizer()
    tokenizer.chat_template = TEMPLATE
    texts = Texts(tokenizer, len(tokenizer))
    raw = group(system="짧게 답하시오.")[0]
    assert texts.render(raw).text == f"짧게 답하시오.\n\n{raw.prompt}"
    chat = group(system="짧게 답하시오.", chat_template=True)[0]
    assert texts.render(chat).text == f"<s><|user|>짧게 답하시오.</s><|user|>{chat.prompt}</s><|assistant|>"
    tokenizer.chat_template = (
        "{% if messages[0]['role'] == 'system' %}{{ raise_exception('no system') }}{% endif %}" + TEMPLATE
    )
    found = texts.render(chat)
    assert found.text == f"<s><|user|>짧게 답하시오.\n\n{chat.prompt}</s><|assistant|>"
    assert found.note == "the system prompt stands in the user's turn: no system"


@pytest.mark.torch
def test_template_settings_reach_the_template(group, bytes_tokenizer):
    tokenizer = bytes_tokenizer()
    tokenizer.chat_template = "{{ messages[0]['content'] }}{% if not enable_thinking %}<think></think>{% endif %}"
    texts = Texts(tokenizer, len(tokenizer), {"enable_thinking": False})
    assert texts.render(group(chat_template=True)[0]).text.endswith("<think></think>")


@pytest.mark.torch
def test_bad_requests_are_told_apart(group, bytes_tokenizer):
    tokenizer = bytes_tokenizer()
    request = group()[0]
    with pytest.raises(UsageError, match="needs prompts"):
        ask(dataclasses.replace(request, prompt=None), tokenizer)
    with pytest.raises(UsageError, match="tokenizer has none"):
        ask(dataclasses.replace(request, chat_template=True), tokenizer)
    with pytest.raises(DataError, match="does not belong to the model"):
        question(request, Texts(tokenizer, 50), Settings(), None)
    with pytest.raises(DataError, match="No token stands before"):
        ask(dataclasses.replace(request, prompt=":"), bytes_tokenizer(merges=MERGED_LABEL), scoring="label")
    with pytest.raises(DataError, match="has no text to be scored"):
        ask(dataclasses.replace(request, shown=("", "나", "다", "라")), tokenizer, scoring="text")
