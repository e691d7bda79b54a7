"""``click-stats backends``, and what every declaration must hold."""

import json
from collections import Counter
from pathlib import Path

import pytest

from click_stats import content
from click_stats.adapters.backend import read_backend
from click_stats.adapters.listing import NEEDS, list_backends
from click_stats.models import ModelTable, read_models

FIXTURES = Path(__file__).parents[2] / "fixtures"
NAMES = content.names("backends")
PAPER = {
    "polyglot-ko-1.3b": 1.3,
    "polyglot-ko-3.8b": 3.8,
    "polyglot-ko-5.8b": 5.8,
    "polyglot-ko-12.8b": 12.8,
    "kullm-5.8b": 5.8,
    "kullm-12.8b": 12.8,
    "koalpaca-5.8b": 5.8,
    "koalpaca-12.8b": 12.8,
    "llama-ko": None,  # sources disagree
    "llama-7b": 7,
    "llama-13b": 13,
    "gpt-3.5-turbo": None,  # undisclosed
    "claude-2": None,
}


@pytest.fixture
def declared():
    return {name: read_backend(content.find("backends", name)) for name in NAMES}


def test_the_papers_13_models_and_at_least_a_dozen_others(declared):
    assert {name: declared[name].model_facts().parameters for name in PAPER} == PAPER
    assert len(set(NAMES) - set(PAPER)) >= 12


def test_where_sources_disagree_the_declaration_says_so(declared):
    for name in ("llama-ko", "llama-13b"):
        assert "Sources disagree" in declared[name].note
    assert "disagree" not in declared["llama-7b"].note


def test_every_declaration_names_a_known_adapter_a_source_and_no_key(declared):
    for name, backend in declared.items():
        assert backend.adapter in NEEDS, name
        assert backend.name == name
        assert not {"api_key", "key"} & {*backend.options, *backend.generation}
        if backend.prices:
            assert backend.prices.source, name
            assert backend.model_facts().access == "api"
        if backend.facts:
            assert backend.facts["sources"], name
    assert Counter(backend.model for backend in declared.values() if backend.model).most_common(1)[0][1] == 1


def test_the_facts_make_a_model_table_without_a_name_twice(declared):
    facts = tuple(backend.model_facts() for backend in declared.values())
    table = ModelTable(facts)
    assert table.find("LLaMA-2-chat 13B") is table.find("llama-13b")


def test_facts_agree_with_those_of_the_real_results(declared):
    other = read_models(FIXTURES / "models.csv")
    shared = [model for model in other.models if model.model in declared]
    assert len(shared) >= 7
    for model in shared:
        own = declared[model.model].model_facts()
        for fact in ("label", "vendor", "family", "parameters", "release_date", "access", "tuned", "korean_corpus"):
            assert getattr(own, fact) == getattr(model, fact), (model.model, fact)


def test_what_is_missing_is_said_and_keys_are_looked_for_by_name_only():
    none = {entry.name: entry for entry in list_backends(environment={})}
    assert "key OPENAI_API_KEY" in none["gpt-4.1"].missing
    assert "set OPENAI_API_KEY" in none["gpt-4.1"].remedy
    assert not none["gpt-4.1"].ready
    secret = "sk-not-to-be-shown"
    some = {entry.name: entry for entry in list_backends(environment={"OPENAI_API_KEY": secret})}
    assert "key OPENAI_API_KEY" not in some["gpt-4.1"].missing
    assert secret not in json.dumps([entry.as_dict() for entry in some.values()])
    assert "model" in none["llama-ko"].missing
    assert "model" not in none["local-server"].missing


def test_ones_own_backend_and_its_key_variable(tmp_path):
    (tmp_path / "backends").mkdir()
    text = 'adapter = "openai"\nmodel = "m"\n[options]\nkey_env = "MY_KEY"\n[facts]\nlabel = "Mine"'
    (tmp_path / "backends" / "mine.toml").write_text(text, encoding="utf-8")
    (tmp_path / "backends" / "odd.toml").write_text('adapter = "nothing"\nmodel = "m"', encoding="utf-8")
    found = {entry.name: entry for entry in list_backends([tmp_path], environment={})}
    assert found["mine"].label == "Mine"
    assert "key MY_KEY" in found["mine"].missing
    assert found["odd"].missing == ("adapter nothing",)
    assert set(NAMES) < set(found)


def test_the_command_lists_a_line_each(click_stats):
    run = click_stats("backends")
    assert run.code == 0
    assert [line.split()[1] for line in run.out.splitlines()[1:] if not line.startswith("to do:")] == NAMES
    entries = json.loads(click_stats("backends", "--json").out)
    assert [entry["name"] for entry in entries] == NAMES
    one = click_stats("backends", "llama-13b")
    assert "note: llama-13b: Sources disagree" in one.out
    assert "gpt-4.1" not in one.out


def test_unknown_names_and_wrong_files(click_stats, tmp_path):
    run = click_stats("backends", "gpt-9")
    assert run.code == 2
    assert "gpt-4.1" in run.err
    (tmp_path / "backends").mkdir()
    (tmp_path / "backends" / "wrong.toml").write_text('adapter = "openai"\nmodell = "m"', encoding="utf-8")
    wrong = click_stats("backends", "--content", tmp_path)
    assert wrong.code == 2
    assert "modell" in wrong.err
