"""The adapter as a whole: it conforms, says what it did, writes greedily, and fails with one clear message."""

import json
import shutil

import pytest
from conformance import Conformance

from click_stats.adapters.backend import Backend, find_backend
from click_stats.adapters.hf import load
from click_stats.adapters.hf.adapter import make
from click_stats.errors import DataError, MissingDependencyError, UsageError


@pytest.fixture(scope="module")
def folder(tmp_path_factory, tiny, bytes_tokenizer):
    """The folder of a saved model."""
    place = tmp_path_factory.mktemp("model")
    tiny("neox").save_pretrained(place)
    bytes_tokenizer(opening=True).save_pretrained(place)
    return place


@pytest.fixture
def copied(folder, tmp_path):
    return shutil.copytree(folder, tmp_path / "copied")


def local_backend(folder, **options):
    return Backend(name="tiny", adapter="transformers", model=str(folder), options=options)


@pytest.mark.torch
class TestScores(Conformance):
    @pytest.fixture
    def adapter(self, folder):
        return make(local_backend(folder))


@pytest.mark.torch
class TestReference(Conformance):
    @pytest.fixture
    def adapter(self, folder):
        return make(local_backend(folder, method="reference", scoring="label", batch_size=3))


@pytest.mark.torch
class TestWrites(Conformance):
    @pytest.fixture
    def adapter(self, folder):
        return make(local_backend(folder, scoring="generate", max_new_tokens=4, batch_size=4))


@pytest.mark.torch
def test_it_is_found_by_name_and_reads_a_folder(folder, group):
    backend = find_backend(f"transformers:{folder}")
    assert (backend.adapter, backend.model) == ("transformers", str(folder))
    adapter = make(backend)
    assert adapter.capabilities.kind == "score"
    assert adapter.capabilities.needs_text
    responses = list(adapter.answer([group()]))
    assert [response.request for response in responses] == list(group())
    described = dict(adapter.describe())
    assert described["architecture"] == "GPTNeoXForCausalLM"
    assert described["dtype"] == "float32"
    assert described["device"] == "cpu"
    assert described["method"] == "packed"
    assert described["scoring"] == "option"
    assert described["normalisation"] == "none"
    assert described["max_length"] == 2048
    assert json.loads(json.dumps(described)) == described


@pytest.mark.torch
def test_settings_of_the_call_win(folder):
    backend = Backend(
        name="tiny",
        adapter="transformers",
        model=str(folder),
        options={"scoring": "label"},
        generation={"scoring": "text"},
    )
    assert make(backend).describe()["scoring"] == "text"


@pytest.mark.torch
def test_other_weights_have_another_name(folder, tiny, bytes_tokenizer, tmp_path):
    def weights(place):
        return make(local_backend(place, method="reference")).describe()["weights"]

    copy = shutil.copytree(folder, tmp_path / "elsewhere")
    assert weights(copy) == weights(folder)
    model = tiny("neox")
    model.get_output_embeddings().weight.data.mul_(1.5)
    model.save_pretrained(tmp_path / "other")
    bytes_tokenizer().save_pretrained(tmp_path / "other")
    assert weights(tmp_path / "other") != weights(folder)


@pytest.mark.torch
def test_replicates_of_a_prompt_are_scored_once(local, group, monkeypatch):
    from click_stats.adapters.hf import check

    counted = []
    score = check.score
    adapter = local("neox", method="reference")
    monkeypatch.setattr(
        check,
        "score",
        lambda method, loaded, strings, *rest: counted.append(len(strings)) or score(method, loaded, strings, *rest),
    )
    responses = list(adapter.answer([group(replicates=3)]))
    assert len(responses) == 12
    assert counted == [16]
    by_rotation = {}
    for response in responses:
        by_rotation.setdefault(response.request.rotation, set()).add(response.scores)
    assert [len(scores) for scores in by_rotation.values()] == [1, 1, 1, 1]


@pytest.mark.torch
def test_half_precision_is_recorded_and_close(folder, group):
    adapter = make(local_backend(folder, dtype="bfloat16", method="reference"))
    assert adapter.describe()["dtype"] == "bfloat16"
    half = next(iter(adapter.answer([group()]))).scores
    full = next(iter(make(local_backend(folder)).answer([group()]))).scores
    assert half == pytest.approx(full, rel=0.05)
    assert half != full


@pytest.mark.torch
@pytest.mark.parametrize("batch_size", [1, 3])
def test_texts_are_the_most_probable_ones(local, group, tiny, bytes_tokenizer, batch_size):
    """Token by token by hand, and by the adapter, also when the model's own settings would sample."""
    import torch

    tokenizer, model = bytes_tokenizer(end="</s>"), tiny("neox")
    model.generation_config.update(do_sample=True, temperature=0.3, top_k=3, repetition_penalty=2.0)
    model.generation_config.eos_token_id = None
    groups = [group(n=4)[:2], group("Law/y_2", n=5, passage="나무가 있다.")[:2]]
    adapter = local(model, tokenizer, scoring="generate", max_new_tokens=6, batch_size=batch_size)
    responses = list(adapter.answer(groups))
    assert adapter.capabilities.kind == "generate"
    for response in responses:
        ids = tokenizer(response.request.prompt)["input_ids"]
        n = len(ids)
        for _ in range(6):
            with torch.inference_mode():
                ids.append(int(model(input_ids=torch.tensor([ids])).logits[0, -1].argmax()))
            if ids[-1] == tokenizer.eos_token_id:
                break
        ended = ids[-1] == tokenizer.eos_token_id
        own = ids[n : len(ids) - ended]
        assert response.text == tokenizer.decode(own, skip_special_tokens=True)
        assert response.finish_reason == ("stop" if ended else "length")
        assert (response.input_tokens, response.output_tokens) == (n, len(own))
        assert response.scores is None


@pytest.mark.torch
def test_a_text_ends_at_the_end_token(local, group, tiny, bytes_tokenizer):
    """The model is made to answer with its end token at once."""
    model, tokenizer = tiny("neox"), bytes_tokenizer()
    head = model.get_output_embeddings().weight.data
    model.base_model.final_layer_norm.weight.data.zero_()
    model.base_model.final_layer_norm.bias.data.fill_(1.0)
    head.zero_()
    head[tokenizer.eos_token_id] = 1.0
    response = next(iter(local(model, tokenizer, scoring="generate").answer([group()])))
    assert (response.text, response.finish_reason, response.output_tokens) == ("", "stop", 0)


@pytest.mark.torch
def test_a_prompt_that_leaves_no_room_for_an_answer(local, group):
    with pytest.raises(DataError, match="too long"):
        list(local("neox", scoring="generate", max_length=100, max_new_tokens=50).answer([group()]))
    cut = local("neox", scoring="generate", max_length=100, max_new_tokens=50, overflow="cut")
    for response in cut.answer([group()]):
        assert response.input_tokens == 50
        assert "tokens removed (max_length 100)" in response.note


@pytest.mark.torch
@pytest.mark.parametrize(
    ("missing", "message"),
    [
        (("tokenizer.json", "tokenizer_config.json"), "a model without its tokenizer"),
        (("config.json",), "holds no model"),
        (("model.safetensors",), "holds no weights"),
    ],
)
def test_a_folder_that_lacks_something(copied, missing, message):
    for name in missing:
        (copied / name).unlink()
    for name in ("special_tokens_map.json", "chat_template.jinja"):
        (copied / name).unlink(missing_ok=True)
    with pytest.raises(DataError, match=message):
        make(local_backend(copied)).describe()


@pytest.mark.torch
def test_places_that_are_no_folder(tmp_path):
    with pytest.raises(DataError, match="There is no folder"):
        make(local_backend(tmp_path / "nowhere")).describe()
    (tmp_path / "file.bin").write_bytes(b"")
    with pytest.raises(DataError, match="is a file"):
        make(local_backend(tmp_path / "file.bin")).describe()
    with pytest.raises(UsageError, match="names no model"):
        make(Backend(name="none", adapter="transformers")).describe()


@pytest.mark.torch
def test_a_model_of_another_kind(copied):
    config = json.loads((copied / "config.json").read_text())
    (copied / "config.json").write_text(json.dumps({"model_type": "nobody-knows", "vocab_size": config["vocab_size"]}))
    with pytest.raises(DataError, match="cannot be loaded") as caught:
        make(local_backend(copied)).describe()
    assert "nobody-knows" in caught.value.found


@pytest.mark.torch
def test_weights_that_do_not_fit_the_architecture(copied):
    config = json.loads((copied / "config.json").read_text())
    (copied / "config.json").write_text(json.dumps({**config, "num_hidden_layers": 3}))
    with pytest.raises(DataError, match="is not complete") as caught:
        make(local_backend(copied)).describe()
    assert "layers.2" in caught.value.found


@pytest.mark.torch
@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("DefaultCPUAllocator: not enough memory: you tried")])
def test_memory_that_runs_out(local, group, tiny, monkeypatch, error):
    model = tiny("neox")
    adapter = local(model, batch_size=4)
    adapter.describe()

    def full(*_, **__):
        raise error

    monkeypatch.setattr(model, "forward", full)
    with pytest.raises(DataError, match="memory does not suffice") as caught:
        list(adapter.answer([group()]))
    assert "batch_size below 4, method=cache" in caught.value.do


@pytest.mark.torch
def test_other_faults_are_not_taken_for_a_lack_of_memory(local, group, tiny, monkeypatch):
    model = tiny("neox")
    adapter = local(model)
    adapter.describe()

    def broken(*_, **__):
        raise RuntimeError("shapes do not fit")

    monkeypatch.setattr(model, "forward", broken)
    with pytest.raises(RuntimeError, match="shapes do not fit"):
        list(adapter.answer([group()]))


@pytest.mark.torch
def test_a_device_that_is_not_there(folder):
    import torch

    if torch.cuda.device_count() > 98:
        pytest.fail("nobody has so many")
    with pytest.raises(UsageError, match="The device cuda:98 is not there"):
        make(local_backend(folder, device="cuda:98")).describe()


@pytest.mark.torch
def test_nothing_is_written_on_the_terminal(folder, group, capfd):
    adapter = make(local_backend(folder))
    list(adapter.answer([group()]))
    adapter.close()
    assert capfd.readouterr() == ("", "")


def test_without_the_extra_the_message_names_it(monkeypatch):
    def missing(name):
        raise ModuleNotFoundError(f"No module named {name!r}")

    monkeypatch.setattr(load, "import_module", missing)
    with pytest.raises(MissingDependencyError, match="need the package torch") as caught:
        make(Backend(name="tiny", adapter="transformers", model="x"))
    assert caught.value.do == "Install it: pip install 'click-stats[local]'"


def test_unknown_settings_are_named_with_those_there_are():
    with pytest.raises(UsageError, match="wrong form") as caught:
        make(Backend(name="tiny", adapter="transformers", model="x", options={"methud": "cache"}))
    assert "methud" in caught.value.found
    assert "method" in caught.value.do
