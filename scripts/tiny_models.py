"""Make two tiny language models with random weights, to try out local runs: they know nothing of Korea or of anything.

python scripts/tiny_models.py DIR
click-stats run random-neox random-llama --content DIR --items PATH --condition "random weights" -o runs

The first is a GPT-NeoX, the family of Polyglot-Ko, the second a Llama; both read single bytes. Their accuracy is what
an ignorant model with habits gets: near one over the number of options, with positions it likes and log-probabilities
that mean nothing. The condition in the command marks every table. Needs the extra ``local``; the whole protocol takes
one core about ten minutes a model.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

SIZES = {
    "vocab_size": 320,
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "max_position_embeddings": 32_768,
    # Far from zero: at the usual .02 every option would be nearly as likely as any other.
    "initializer_range": 0.3,
}
BACKEND = """\
adapter = "transformers"
model = "{model}"
note = "Random weights: it knows nothing."
"""
ENDS = {"bos_token_id": 0, "eos_token_id": 1, "pad_token_id": None}


def tokenizer(*, opening: bool) -> Any:
    """Return a tokenizer of single bytes, with a sign put before every text or not."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors  # noqa: PLC0415 -- the extra
    from transformers import PreTrainedTokenizerFast  # noqa: PLC0415

    special = ["<s>", "</s>"]
    vocab = {word: at for at, word in enumerate([*special, *sorted(pre_tokenizers.ByteLevel.alphabet())])}
    core = Tokenizer(models.BPE(vocab=vocab, merges=[]))
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    core.decoder = decoders.ByteLevel()
    core.add_special_tokens(special)
    if opening:
        core.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 0)])
    return PreTrainedTokenizerFast(tokenizer_object=core, bos_token="<s>", eos_token="</s>")


def make(folder: Path, *, seed: int = 7) -> list[Path]:
    """Write both models with their tokenizers into folders of ``folder``."""
    import torch  # noqa: PLC0415
    from transformers import AutoModelForCausalLM, GPTNeoXConfig, LlamaConfig  # noqa: PLC0415

    made = []
    for name, config, opening in (
        ("random-neox", GPTNeoXConfig(**SIZES, **ENDS), False),
        ("random-llama", LlamaConfig(**SIZES, **ENDS, num_key_value_heads=1), True),
    ):
        torch.manual_seed(seed)
        model = AutoModelForCausalLM.from_config(config, dtype=torch.float32).eval()
        model.save_pretrained(folder / name)
        tokenizer(opening=opening).save_pretrained(folder / name)
        place = folder / "backends" / f"{name}.toml"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(BACKEND.format(model=folder.absolute() / name), encoding="utf-8")
        made.append(folder / name)
    return made


def main() -> None:
    """Read the command line and write the models."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the two folders are written")
    for made in make(parser.parse_args().folder):
        print(made)


if __name__ == "__main__":
    main()
