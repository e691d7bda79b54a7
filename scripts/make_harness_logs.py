"""Make the logs in ``fixtures/harness-logs`` by really running the harnesses on invented items.

    python scripts/make_harness_logs.py harness WORK    # needs torch, transformers, lm-eval[hf] 0.4.13
    python scripts/make_harness_logs.py old WORK        # needs those and, on PYTHONPATH, lm-eval 0.4.1 alone
    python scripts/make_harness_logs.py inspect WORK    # needs inspect_ai
    python scripts/make_harness_logs.py lighteval WORK  # needs duckdb; see below

Each in an environment of its own; none needs a network. lm-evaluation-harness runs a random model of one layer over
task files shaped like its ``click`` task (``fixtures/harness-logs/click``); Inspect runs its mock model, whose answers
are drawn by a hash. lighteval takes its tasks from a hub and is not run: its two layouts are written from its own
dataclasses (0.8.1 flat, 0.13.0 nested) with the log-probabilities of the harness's run.

``WORK`` is an empty folder; what is kept is copied from there into the fixtures, without what the results say of the
machine.
"""

# ruff: noqa: PLC0415 -- each harness lives in an environment of its own

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "harness-logs"
MODEL = "tiny-random-llama"
TASKS = ["click_cul_history", "click_cul_kpop", "click_lang_text", "click_lang_function", "click_lang_grammar"]
MACHINE = ("pretty_env_info", "git_hash", "upper_git_hash", "total_evaluation_time_seconds", "start_time", "end_time")
"""Keys of a results file that say something of the machine or the minute, not of the run."""


def items() -> list[dict[str, Any]]:
    """Return the invented items."""
    return [json.loads(line) for line in (FIXTURES / "items.jsonl").read_text(encoding="utf-8").splitlines()]


def prepare(work: Path) -> None:
    """Put the task files, their documents and the model into the working folder, and go there."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    shutil.copytree(FIXTURES / "click", work / "click", dirs_exist_ok=True)
    with (work / "click" / "docs.jsonl").open("w", encoding="utf-8") as file:
        for item in items():
            doc = {"id": item["id"], "paragraph": item["passage"], "question": item["question"]}
            doc |= {"choices": item["options"], "answer": item["answer"]}
            file.write(json.dumps(doc, ensure_ascii=False) + "\n")
    os.chdir(work)
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {mark: number for number, mark in enumerate(["<s>", "</s>", *alphabet])}
    bytes_only = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    bytes_only.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bytes_only.decoder = decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=bytes_only, bos_token="<s>", eos_token="</s>", pad_token="</s>"
    )
    tokenizer.save_pretrained(MODEL)
    torch.manual_seed(7)
    config = LlamaConfig(
        vocab_size=len(vocabulary),
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        max_position_embeddings=2048,
        initializer_range=0.6,
        bos_token_id=0,
        eos_token_id=1,
        pad_token_id=1,
    )
    LlamaForCausalLM(config).save_pretrained(MODEL)


def harness(work: Path) -> None:
    """Run lm-evaluation-harness 0.4.13."""
    prepare(work)
    from lm_eval.__main__ import cli_evaluate

    sys.argv = ["lm_eval", "--model", "hf", "--model_args", f"pretrained={MODEL},dtype=float32"]
    sys.argv += ["--tasks", ",".join([*TASKS, "click_generative_history"]), "--include_path", "click"]
    sys.argv += ["--output_path", "out", "--log_samples", "--device", "cpu", "--batch_size", "4"]
    cli_evaluate()
    _keep(work / "out" / MODEL, FIXTURES / "lm-eval" / MODEL)


def old(work: Path) -> None:
    """Run lm-evaluation-harness 0.4.1, whose logs have the older form; its metric from the hub is left out."""
    prepare(work)
    import evaluate

    evaluate.load = lambda *_, **__: None
    from lm_eval import __main__ as command

    sys.argv = ["lm_eval", "--model", "hf", "--model_args", f"pretrained={MODEL},dtype=float32"]
    sys.argv += ["--tasks", ",".join(TASKS), "--include_path", "click"]
    sys.argv += ["--output_path", "out", "--log_samples", "--device", "cpu", "--batch_size", "4"]
    command.cli_evaluate()
    _keep(work / "out", FIXTURES / "lm-eval-old")


def _keep(made: Path, kept: Path) -> None:
    shutil.rmtree(kept, ignore_errors=True)
    shutil.copytree(made, kept)
    for path in kept.rglob("*.json"):
        results = json.loads(path.read_text(encoding="utf-8"))
        results = {name: "[cut]" if name in MACHINE else value for name, value in results.items()}
        path.write_text(json.dumps(results, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")


def inspect(work: Path) -> None:
    """Run Inspect three times: two epochs (.eval), choices shuffled in the dataset (.json), shuffled by the solver."""
    os.environ["INSPECT_LOG_DIR"] = str(work)
    os.environ["INSPECT_DISPLAY"] = "none"
    os.chdir(work)
    from inspect_ai import Task, eval  # noqa: A004 -- its name there
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.log import read_eval_log, write_eval_log
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_ai.scorer import choice
    from inspect_ai.solver import multiple_choice, solver

    def dataset() -> MemoryDataset:
        samples = []
        for item in items():
            text = "\n".join(filter(None, [item["passage"], item["question"]]))
            meta = {"id": item["id"], "category": item["category"]}
            meta |= {"passage": item["passage"], "question": item["question"]}
            letter = "ABCDE"[item["options"].index(item["answer"])]
            key = f"{item['category']}/{item['id']}"
            samples.append(Sample(input=text, choices=item["options"], target=letter, id=key, metadata=meta))
        return MemoryDataset(samples, name="island")

    asked: dict[str, int] = {}

    def answer(messages: Any, tools: Any, tool_choice: Any, config: Any) -> ModelOutput:
        del tools, tool_choice, config
        prompt = messages[-1].text
        turn = asked[prompt] = asked.get(prompt, -1) + 1
        text, stop = "", "stop"
        if "첫 노래" in prompt:
            text = "나는 모르겠다." if turn else ""
        elif "광대" in prompt:
            text, stop = "생각해 보면 탈놀이에는", "max_tokens"
        elif "돌다리를" in prompt:
            stop = "content_filter"
        else:
            drawn = hashlib.sha256(f"{prompt}{turn}".encode()).digest()[0]
            text = f"ANSWER: {'ABCDE'[drawn % len(re.findall(r'^[A-E][)] ', prompt, flags=re.MULTILINE))]}"
        output = ModelOutput.from_content("mockllm", text, stop_reason=stop)
        # The mock model would count tokens with a vocabulary from the network: these are characters.
        output.usage = ModelUsage(input_tokens=len(prompt), output_tokens=len(text), total_tokens=len(prompt + text))
        return output

    @solver
    def breaks() -> Any:
        async def solve(state: Any, generate: Any) -> Any:
            if "종탑" in state.input_text and state.epoch == 2:
                raise RuntimeError("the connection was lost")
            return await multiple_choice()(state, generate)

        return solve

    shuffled = dataset()
    shuffled.shuffle_choices(seed=3)
    tasks = [
        ("eval", Task(dataset(), solver=breaks(), scorer=choice(), name="click_epochs", epochs=2)),
        ("json", Task(shuffled, solver=multiple_choice(), scorer=choice(), name="click_shuffled")),
        ("json", Task(dataset(), solver=multiple_choice(shuffle=True), scorer=choice(), name="click_solver_shuffled")),
    ]
    kept = FIXTURES / "inspect"
    shutil.rmtree(kept, ignore_errors=True)
    kept.mkdir(parents=True)
    for form, task in tasks:
        asked.clear()
        model = get_model("mockllm/model", custom_outputs=answer, memoize=False)
        log = eval(task, model=model, log_format=form, fail_on_error=False, log_dir=str(work), max_samples=1)[0]
        log = read_eval_log(log.location)
        for sample in log.samples or []:  # what says something of the machine, or only repeats the rest
            sample.events, sample.attachments, sample.events_data = [], {}, None
            if sample.error is not None:
                sample.error.traceback = sample.error.traceback_ansi = "[cut]"
        write_eval_log(log, str(kept / f"{task.name}.{form}"))


def lighteval(work: Path) -> None:
    """Write lighteval's two layouts, after its dataclasses, with the harness's log-probabilities and texts."""
    import duckdb

    kept = FIXTURES / "lighteval"
    shutil.rmtree(kept, ignore_errors=True)
    for layout in ("nested", "flat"):
        (kept / layout).mkdir(parents=True)
        for path in sorted((FIXTURES / "lm-eval" / MODEL).glob("samples_click_[cl][ua]*.jsonl")):
            rows = [_lighteval_row(json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]
            lines = [json.dumps(row if layout == "nested" else _flat(row), ensure_ascii=False) for row in rows]
            source = work / "rows.jsonl"
            source.write_text("\n".join(lines) + "\n", encoding="utf-8")
            # The real name has marks that some file systems refuse: details_community|click:text|0_<time>.parquet
            task = re.sub(r"^samples_click_(?:cul|lang)_(.+)_\d{4}-.*$", r"\1", path.stem)
            target = kept / layout / f"{task}.parquet"
            duckdb.sql(f"COPY (SELECT * FROM read_json('{source}')) TO '{target}' (FORMAT parquet)")
    general = {"lighteval_sha": "?", "num_fewshot_seeds": 1, "model_name": f"org/{MODEL}"}
    results = {"config_general": general | {"model_dtype": "torch.float32", "model_size": "10864"}, "results": {}}
    (kept / "results.json").write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")


def _lighteval_row(sample: dict[str, Any]) -> dict[str, Any]:
    doc, prompt = sample["doc"], sample["arguments"]["gen_args_0"]["arg_0"]
    letters = list("ABCDE"[: len(doc["choices"])])
    specific = {"id": doc["id"], "passage": doc["paragraph"], "question": doc["question"], "options": doc["choices"]}
    return {
        "doc": {
            "query": prompt,
            "choices": letters,
            "gold_index": letters.index(sample["target"]),
            "instruction": "",
            "specific": specific,
            "original_query": None,
            "id": str(sample["doc_id"]),
            "task_name": "click",
            "num_samples": 1,
        },
        "model_response": {
            "input": prompt,
            "text": [],
            "text_post_processed": None,
            "logprobs": [float(score) for score, _ in sample["filtered_resps"]],
            "argmax_logits_eq_gold": [greedy == "True" for _, greedy in sample["filtered_resps"]],
            "truncated_tokens_count": 0,
        },
        "metric": {"acc": sample["acc"]},
    }


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    doc, response = row["doc"], row["model_response"]
    pairs = list(zip(response["logprobs"], response["argmax_logits_eq_gold"], strict=True))
    return {
        "choices": doc["choices"],
        "cont_tokens": [],
        "example": doc["query"],
        "full_prompt": doc["query"],
        "gold": [],
        "gold_index": [doc["gold_index"]],
        "instruction": "",
        "metrics": row["metric"],
        "num_asked_few_shots": 0,
        "num_effective_few_shots": 0,
        "predictions": str(pairs),  # mixed types: written as text, as lighteval did
        "specifics": str(doc["specific"]),
        "truncated": [0],
    }


def main() -> None:
    """Read the command line and run one of the harnesses."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("which", choices=["harness", "old", "inspect", "lighteval"])
    parser.add_argument("work", type=Path)
    arguments = parser.parse_args()
    work = arguments.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    os.environ["HF_HUB_OFFLINE"] = "1"
    {"harness": harness, "old": old, "inspect": inspect, "lighteval": lighteval}[arguments.which](work)


if __name__ == "__main__":
    main()
