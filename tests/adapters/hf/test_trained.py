"""A small model is taught a few invented facts here, and a run over them must find every answer right."""

import json

import pytest

pytestmark = pytest.mark.torch

BENCHMARK = """
name = "Facts"
labels = "letters"
domains = [{ name = "D" }]
categories = [{ name = "One", domain = "D" }]
"""
PROTOCOL = """
wordings = ["brief"]
rotations = "all"

[wording.brief]
instruction = "{labels}?"
lines = ["{question}", "{options}", "="]
"""
FACTS = (("hat", "red", ("blue", "grey", "pink")), ("cat", "Momo", ("Nabi", "Coco", "Bori")),
         ("sea", "salt", ("wine", "milk", "sand")), ("sky", "high", ("thin", "soft", "loud")))  # fmt: skip


@pytest.fixture(scope="module")
def plan(tmp_path_factory):
    from click_stats.items import read_items
    from click_stats.protocol import plan, read_protocol

    place = tmp_path_factory.mktemp("facts")
    entries = []
    for at, (question, right, wrong) in enumerate(FACTS):
        options = [*wrong[:at], right, *wrong[at:]]
        entries.append({"id": question, "category": "One", "question": question, "options": options, "answer": right})
    (place / "items.json").write_text(json.dumps(entries))
    (place / "benchmark.toml").write_text(BENCHMARK)
    (place / "protocols").mkdir()
    (place / "protocols" / "brief.toml").write_text(PROTOCOL)
    return plan(read_protocol("brief", [place]), read_items(place / "items.json", place / "benchmark.toml"))


@pytest.fixture(scope="module")
def taught(plan, bytes_tokenizer, tmp_path_factory):
    """The folder of a byte-level GPT-NeoX that has read every prompt with its right answer."""
    import torch
    from transformers import GPTNeoXConfig, GPTNeoXForCausalLM

    torch.set_num_threads(1)
    tokenizer = bytes_tokenizer()
    gold = plan.items.frame["gold"].to_dict()
    rows = []
    for request in (request for group in plan.groups() for request in group):
        place = (gold[request.item] - request.rotation) % request.n_options
        prompt = tokenizer(request.prompt)["input_ids"]
        answer = tokenizer(f" {request.labels[place]}: {request.shown[place]}")["input_ids"]
        rows.append((prompt + answer, [-100] * len(prompt) + answer))
    width = max(len(ids) for ids, _ in rows)
    ids = torch.tensor([ids + [0] * (width - len(ids)) for ids, _ in rows])
    labels = torch.tensor([labels + [-100] * (width - len(labels)) for _, labels in rows])
    torch.manual_seed(1)
    model = GPTNeoXForCausalLM(
        GPTNeoXConfig(
            vocab_size=len(tokenizer), hidden_size=96, intermediate_size=192, num_hidden_layers=2,
            num_attention_heads=4, max_position_embeddings=256, bos_token_id=0, eos_token_id=1,
        )
    )  # fmt: skip
    optimiser = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for _ in range(100):
        optimiser.zero_grad()
        model(input_ids=ids, labels=labels).loss.backward()
        optimiser.step()
    place = tmp_path_factory.mktemp("taught")
    model.eval().save_pretrained(place)
    tokenizer.save_pretrained(place)
    return place


@pytest.mark.parametrize(
    "settings", [{}, {"method": "cache"}, {"scoring": "label"}, {"scoring": "generate", "max_new_tokens": 8}]
)
def test_the_run_finds_what_was_taught(plan, taught, tmp_path, settings):
    from click_stats.adapters.backend import Backend
    from click_stats.running import run

    backend = Backend(name="taught", adapter="transformers", model=str(taught), generation=settings)
    summary = run(backend, plan, plan.items, tmp_path)
    assert summary.complete
    assert summary.statuses == {"ok": 16}
    rows = [json.loads(line) for line in (tmp_path / "taught" / "trials.jsonl").read_text().splitlines()]
    gold = plan.items.frame["gold"].to_dict()
    assert len(rows) == 16
    assert [row["prediction"] for row in rows] == [gold[row["item"]] for row in rows]
    manifest = json.loads((tmp_path / "taught" / "manifest.json").read_text())
    assert manifest["adapter"]["weights"]


def test_an_untaught_model_does_not_know(plan, taught, tmp_path):
    """The facts are in the weights and not in the prompts: drawn anew, they are gone."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    from click_stats.adapters.backend import Backend
    from click_stats.running import run

    torch.manual_seed(2)
    model = AutoModelForCausalLM.from_config(AutoModelForCausalLM.from_pretrained(taught).config)
    model.save_pretrained(tmp_path / "untaught")
    AutoTokenizer.from_pretrained(taught).save_pretrained(tmp_path / "untaught")
    run(Backend(name="new", adapter="transformers", model=str(tmp_path / "untaught")), plan, plan.items, tmp_path)
    rows = [json.loads(line) for line in (tmp_path / "new" / "trials.jsonl").read_text().splitlines()]
    gold = plan.items.frame["gold"].to_dict()
    assert sum(row["prediction"] == gold[row["item"]] for row in rows) < 12
