"""Time the local adapter against lm-evaluation-harness (HFLM) on the same model, prompts and options.

Random models of two sizes, or one of your own with --model; items of CLIcK with and without a passage, wording 1, all
rotations, options ranked as ` A: text`. The harness runs with the fastest of several batch sizes. All methods run one
after the other, several times; the fastest of each counts. Loading and the check at the start are not timed.

Usage: python benchmarks/hf_speed.py [ITEMS] [--models neox,llama] [--tokenizer PATH_OR_ID] [--items-each 6] [--write]
On a GPU: python benchmarks/hf_speed.py ITEMS --device cuda --dtype bfloat16 --model PATH_OR_ID
ITEMS is the dataset; default: CLICK_STATS_ITEMS.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec

import pages

VOCABULARY = 30_000
METHODS = ("reference", "cache", "packed")
BATCHES = {"cpu": (1, 8), "cuda": (8, 32, 128)}
REQUIRED = {"with a passage": 5.0, "without": 4.0}
"""Times faster than the harness; required of the NeoX, an aim for the Llama."""
TOLERANCE = 1e-4


def random_model(name: str, n_vocab: int):
    """A GPT-NeoX of about 20 M or a Llama of about 100 M parameters; the vocabulary's share varies with it."""
    import torch
    import transformers as hf

    torch.manual_seed(1)
    common = {"vocab_size": n_vocab, "max_position_embeddings": 4096, "bos_token_id": 0, "eos_token_id": 0}
    if name == "neox":
        config = hf.GPTNeoXConfig(
            hidden_size=256, intermediate_size=1024, num_hidden_layers=6, num_attention_heads=8, **common
        )
    else:
        config = hf.LlamaConfig(
            hidden_size=640, intermediate_size=1728, num_hidden_layers=12, num_attention_heads=10, **common
        )
    return hf.AutoModelForCausalLM.from_config(config, dtype=torch.float32)


def trained_tokenizer(items):
    """A byte-level BPE trained on the items' own texts: about as many characters a token as Korean models have."""
    import transformers
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    core = Tokenizer(models.BPE())
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = decoders.ByteLevel()
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    columns = items.frame[["passage", "question", "options"]].itertuples(index=False)
    lines = (text for passage, question, options in columns for text in (passage or "", question, *options))
    trainer = trainers.BpeTrainer(vocab_size=VOCABULARY, initial_alphabet=alphabet, special_tokens=["</s>"])
    core.train_from_iterator(lines, trainer)
    found = transformers.PreTrainedTokenizerFast(tokenizer_object=core, eos_token="</s>")
    return found, f"byte-level BPE trained on the items' texts ({len(found):,} tokens)"


def sample(items, each: int):
    """The groups of wording 1 of items with and without a passage, at even quantiles of their length."""
    from click_stats.protocol import plan, read_protocol

    passage = items.frame["has_passage"].astype(bool)
    chosen = {}
    for part, frame in (("with a passage", items.frame[passage]), ("without", items.frame[~passage])):
        ranked = frame.sort_values("n_chars", kind="stable").index
        chosen[part] = {str(ranked[int((at + 0.5) / each * len(ranked))]) for at in range(each)}
    found: dict[str, list] = {part: [] for part in chosen}
    for group in plan(read_protocol("paper"), items).groups():
        for part, keys in chosen.items():
            if group[0].wording == "1" and group[0].item in keys:
                found[part].append(group)
    return found


def ours(adapter, groups) -> list[float]:
    return [score for response in adapter.answer(groups) for score in response.scores]


def harness_requests(groups):
    from lm_eval.api.instance import Instance

    return [
        Instance("loglikelihood", {}, (request.prompt, f" {label}: {text}"), index)
        for index, (request, label, text) in enumerate(
            (request, label, text)
            for group in groups
            for request in group
            for label, text in zip(request.labels, request.shown, strict=True)
        )
    ]


def harness(lm, groups) -> list[float]:
    return [float(total) for total, _ in lm.loglikelihood(harness_requests(groups), disable_tqdm=True)]


def timed(call, device: str) -> tuple[float, list[float]]:
    """Seconds and scores. On a CPU the time of this process, which other work on the machine does not lengthen."""
    clock = time.process_time if device == "cpu" else time.perf_counter
    start = clock()
    found = call()
    return clock() - start, found


def measure(model, tokenizer, parts, given) -> list[str]:
    from click_stats.adapters.hf.adapter import Local
    from click_stats.adapters.hf.load import ready
    from click_stats.adapters.hf.settings import Settings

    model.eval().to(given.device)
    adapters = {}
    for method in METHODS:
        adapter = Local("timed", Settings(method=method), ready(model, tokenizer, given.device))
        if (used := adapter.describe()["method"]) == method:
            adapters[method] = adapter
        else:
            print(f"{method} is refused for this model; {used} takes its place.")
    lms = {}
    if find_spec("lm_eval"):
        from lm_eval.models.huggingface import HFLM

        lms = {
            size: HFLM(pretrained=model, tokenizer=tokenizer, batch_size=size, device=given.device)
            for size in BATCHES.get(given.device, (1, 8))
        }
    size = sum(weight.numel() for weight in model.parameters()) / 1e6
    name = f"{type(model).__name__.removesuffix('ForCausalLM')}, {size:,.0f} M"
    lines = []
    for part, groups in parts.items():
        calls = {method: partial(ours, adapter, groups) for method, adapter in adapters.items()}
        if lms:
            some = groups[:1]
            speed = {size: timed(partial(harness, lm, some), given.device)[0] for size, lm in lms.items()}
            best = min(speed, key=speed.__getitem__)
            calls["harness"] = partial(harness, lms[best], groups)
        times: dict[str, list[float]] = {method: [] for method in calls}
        scores = {}
        for _ in range(given.repeat):
            for method, call in calls.items():
                seconds, scores[method] = timed(call, given.device)
                times[method].append(seconds)
        peer = "harness" if lms else "reference"
        base = min(times[peer])
        for method in calls:
            off = max(abs(a - b) for a, b in zip(scores[method], scores[peer], strict=True))
            label = f"HFLM, batch {best}" if method == "harness" else f"`{method}`"
            lines.append(
                f"| {name} | {part} | {label} | {min(times[method]):.2f} | {base / min(times[method]):.1f} | {off:.0e} |"
            )
            print(lines[-1], flush=True)
            exact = str(model.dtype) == "torch.float32"
            if method == "packed" and lms and exact:
                faults = [f"scores differ by {off:.1e}"] if off > TOLERANCE else []
                faults += [f"{base / min(times[method]):.1f} times faster only"] * (
                    base / min(times[method]) < REQUIRED[part] and "NeoX" in name and given.device == "cpu"
                )
                if faults:
                    print(f"MISSED: {name}, {part}: {'; '.join(faults)}", file=sys.stderr)
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("items", nargs="?", default=os.environ.get("CLICK_STATS_ITEMS"))
    parser.add_argument("--models", default="neox,llama", help="random models to time")
    parser.add_argument("--model", help="a model of your own instead")
    parser.add_argument("--tokenizer", help="tokenizer of the random models; trained on the items when left out")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--items-each", type=int, default=6)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--write", action="store_true", help="write the table to docs/performance.md")
    given = parser.parse_args()
    if given.write and given.device != "cpu":
        parser.error("docs/performance.md holds the table of a CPU")
    if not given.items or not find_spec("torch") or not find_spec("transformers"):
        print("Not run: needs the dataset (ITEMS or CLICK_STATS_ITEMS) and the extra local.")
        return
    import torch
    import transformers
    from tokens import tokenizer_of

    from click_stats.items import read_items

    transformers.utils.logging.set_verbosity_error()
    torch.set_num_threads(given.threads)
    items = read_items(given.items)
    parts = sample(items, given.items_each)
    lines = [
        f"| model | items | method | {'CPU seconds' if given.device == 'cpu' else 'seconds'} | times faster than the peer | largest difference in log-probability |",
        "|---|---|---|---|---|---|",
    ]
    print("\n".join(lines))
    if given.model:
        tokenizer, named = tokenizer_of(given.model, None)
        models = [transformers.AutoModelForCausalLM.from_pretrained(given.model, dtype=given.dtype)]
    else:
        tokenizer, named = tokenizer_of(given.tokenizer, None) if given.tokenizer else trained_tokenizer(items)
        dtype = getattr(torch, given.dtype)
        models = (random_model(name, len(tokenizer)).to(dtype) for name in given.models.split(","))
    where = torch.cuda.get_device_name() if given.device == "cuda" else f"CPU, {given.threads} thread(s)"
    peer = (
        f"lm-evaluation-harness {version('lm_eval')} (HFLM, the fastest of batch sizes {BATCHES.get(given.device, (1, 8))})"
        if find_spec("lm_eval")
        else "`reference`: lm-evaluation-harness is not installed"
    )
    about = (
        f"`python benchmarks/hf_speed.py ITEMS{' --tokenizer …' if given.tokenizer else ''} --items-each {given.items_each} "
        f"--repeat {given.repeat} --write`: {given.items_each} items with and "
        f"{given.items_each} without a passage, wording 1, all rotations; random weights, {given.dtype}; tokenizer: {named}; {where}; "
        f"peer: {peer}. torch {torch.__version__}, transformers {transformers.__version__}, Python {platform.python_version()}. Required "
        f"of `packed` on the NeoX: {REQUIRED['with a passage']:g} times faster with a passage, {REQUIRED['without']:g} times without, log-probabilities within {TOLERANCE:g}; "
        "for the Llama an aim. Methods run one after the other, the fastest of the repetitions counts; CPU seconds are the process's own."
    )
    for model in models:
        lines += measure(model, tokenizer, parts, given)
        if given.write:  # after each model: the second takes long
            pages.write("performance.md", "hf", "\n".join([about, "", *lines]))
    print(about)


if __name__ == "__main__":
    main()
