"""Tiny random models and tokenizers, made here: nothing is fetched."""

import os
from importlib.util import find_spec

import pytest

from click_stats.adapters.hf.settings import Settings
from click_stats.protocol.request import Request

REASON = "needs torch and transformers: pip install 'click-stats[local]'"


def pytest_collection_modifyitems(items):
    """Skip what needs torch when it is not there, or fail when it was promised."""
    if find_spec("torch") and find_spec("transformers"):
        return
    for item in items:
        if item.get_closest_marker("torch"):
            if os.environ.get("CLICK_STATS_REQUIRE_TORCH") == "1":
                pytest.exit(f"{item.nodeid} {REASON}", returncode=1)
            item.add_marker(pytest.mark.skip(reason=REASON))


@pytest.fixture(autouse=True)
def one_thread():
    """Keep to one thread: these models are too small for more."""
    if find_spec("torch"):
        import torch

        torch.set_num_threads(1)


@pytest.fixture(scope="session")
def bytes_tokenizer():
    """Make a tokenizer of single bytes; some may be merged, and an opening put before every text."""

    def make(*, merges=(), opening=False, end="</s>", **more):
        from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors
        from transformers import PreTrainedTokenizerFast

        special = ["<s>", "</s>", "<|user|>", "<|assistant|>"]
        vocab = {word: at for at, word in enumerate([*special, *sorted(pre_tokenizers.ByteLevel.alphabet())])}
        for pair in merges:
            vocab.setdefault("".join(pair), len(vocab))
        core = Tokenizer(models.BPE(vocab=vocab, merges=list(merges)))
        core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=not merges)
        core.decoder = decoders.ByteLevel()
        core.add_special_tokens(special)
        if opening:
            core.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 0)])
        return PreTrainedTokenizerFast(
            tokenizer_object=core, bos_token="<s>", eos_token=end, extra_special_tokens=special[2:], **more
        )

    return make


SIZES = {
    "vocab_size": 400,
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "max_position_embeddings": 2048,
    # Far from zero, so that a method that reads something else is far off.
    "initializer_range": 0.3,
}
SMALL = {"num_key_value_heads": 2, "head_dim": 8}


def _config(name):
    import transformers as hf

    plain = {"bos_token_id": 0, "eos_token_id": 1, "pad_token_id": None}
    mixed = ["sliding_attention", "full_attention"]
    return {
        "neox": lambda: hf.GPTNeoXConfig(**SIZES, **plain),
        "llama": lambda: hf.LlamaConfig(**SIZES, **plain, num_key_value_heads=2),
        "qwen2": lambda: hf.Qwen2Config(**SIZES, **plain, num_key_value_heads=2),
        "qwen3": lambda: hf.Qwen3Config(**SIZES, **plain, **SMALL),
        "gemma2": lambda: hf.Gemma2Config(**SIZES, **plain, **SMALL, sliding_window=24),
        "gemma2-wide": lambda: hf.Gemma2Config(**SIZES, **plain, **SMALL, sliding_window=512),
        "gemma3": lambda: hf.Gemma3TextConfig(**SIZES, **plain, **SMALL, sliding_window=24, layer_types=mixed),
        "mistral": lambda: hf.MistralConfig(**SIZES, **plain, **SMALL, sliding_window=24),
        "exaone4": lambda: hf.Exaone4Config(**SIZES, **plain, num_key_value_heads=2, sliding_window=24),
        "gpt2": lambda: hf.GPT2Config(
            vocab_size=400, n_embd=32, n_layer=2, n_head=4, n_positions=2048, initializer_range=0.3, **plain
        ),
        "bloom": lambda: hf.BloomConfig(
            vocab_size=400, hidden_size=32, n_layer=2, n_head=4, initializer_range=0.3, **plain
        ),
        "mpt": lambda: hf.MptConfig(vocab_size=400, d_model=32, n_heads=4, n_layers=2, initializer_range=0.3),
        "falcon-alibi": lambda: hf.FalconConfig(
            vocab_size=400, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, alibi=True,
            initializer_range=0.3, **plain,
        ),
        "mamba": lambda: hf.MambaConfig(
            vocab_size=400, hidden_size=32, state_size=4, num_hidden_layers=2, initializer_range=0.3, **plain
        ),
        "qwen3-next": lambda: hf.Qwen3NextConfig(
            **SIZES, **plain, **SMALL, layer_types=["linear_attention", "full_attention"], linear_num_value_heads=2,
            linear_num_key_heads=2, linear_key_head_dim=8, linear_value_head_dim=8, num_experts=0,
        ),
    }[name]()  # fmt: skip


@pytest.fixture(scope="session")
def tiny():
    """Make a small random model of a family."""

    def make(name, **changes):
        import torch
        from transformers import AutoModelForCausalLM

        config = _config(name)
        config.update(changes)
        torch.manual_seed(7)
        return AutoModelForCausalLM.from_config(config, dtype=torch.float32).eval()

    return make


@pytest.fixture
def local(tiny, bytes_tokenizer):
    """Make the adapter over a tiny model."""

    def make(model="neox", tokenizer=None, **settings):
        from click_stats.adapters.hf.adapter import Local
        from click_stats.adapters.hf.load import ready

        form = Settings(**settings)
        model = tiny(model) if isinstance(model, str) else model
        loaded = ready(model, tokenizer or bytes_tokenizer(), "cpu", form.max_length)
        return Local("tiny", form, loaded)

    return make


OPTIONS = ("서울", "경주", "부여의 옛 이름", "개성", "평양")


@pytest.fixture(scope="session")
def group():
    """Make the requests of one item and wording, as a plan would."""

    def make(item="History/x_1", n=4, rotations=None, replicates=1, passage="", question="고려의 서울은?", **more):
        options, labels = OPTIONS[:n], tuple("ABCDE"[:n])
        found = []
        for rotation in range(n) if rotations is None else rotations:
            shown = options[rotation:] + options[:rotation]
            lines = ", ".join(f"{label}: {text}" for label, text in zip(labels, shown, strict=True))
            head = f"맥락: {passage}\n" if passage else ""
            prompt = f"하나로 답하시오.\n{head}질문: {question}\n보기:\n{lines}\n정답:"
            found += [Request(item, "1", rotation, i, n, labels, prompt, shown, **more) for i in range(replicates)]
        return tuple(found)

    return make
