"""Studies: read from TOML, checked against the signatures before anything is computed, run, written."""

import json

import pytest

import click_stats as cs
from click_stats import content
from click_stats.errors import UsageError
from click_stats.study import Study, read_study
from click_stats.study.registry import ANALYSES
from click_stats.study.run import needed, refuse_mixed_protocols, run_study
from click_stats.study.study import check, signature

FAST = {"draws": 1000}


@pytest.fixture(scope="module")
def trials(three_files):
    return cs.read_trials(three_files)


@pytest.mark.parametrize("name", content.names("analyses"))
def test_every_shipped_study_loads(name):
    study = read_study(name)
    assert study.name == name
    assert content.find("reports", name).is_dir()


def write(tmp_path, text, name="mine"):
    folder = tmp_path / "analyses"
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.toml").write_text(text, encoding="utf-8")
    return [tmp_path]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("name = ", "not valid TOML"),
        ('name = "mine"\ncolour = 1\n[analyses]\n', "colour"),
        ('name = "mine"\n[analyses.accuracies]\n', "unknown analysis 'accuracies'"),
        ('name = "mine"\n[analyses.accuracy]\nintervall = "t"\n', "intervall"),
        ('name = "mine"\n[analyses.accuracy]\nlevel = "high"\n', "level"),
        ('name = "mine"\nseed = -1\n[analyses.accuracy]\n', "seed"),
        ("seed = 1\n[analyses.accuracy]\n", "name"),
    ],
)
def test_a_wrong_study_is_refused_before_anything_is_computed(tmp_path, text, says):
    with pytest.raises(UsageError) as caught:
        read_study("mine", write(tmp_path, text))
    assert says in str(caught.value)


def test_an_unknown_study_names_those_there_are():
    with pytest.raises(UsageError, match="no study and no analysis 'item_analisys'") as caught:
        read_study("item_analisys")
    assert "audit" in str(caught.value.found)
    assert "short_forms" in str(caught.value.found)
    assert "Did you mean item_analysis?" in str(caught.value.do)


def test_a_users_study_comes_before_the_packaged_one(tmp_path, trials):
    extra = write(tmp_path, 'name = "audit"\n[analyses.accuracy]\nby = "source"\n', "audit")
    results = cs.analyze("audit", trials, content=extra)
    assert list(results.results) == ["account", "items", "models", "extraction", "accuracy"]
    assert set(results["accuracy"].to_frame()["by"]) == {"source"}


def test_parameters_reach_every_analysis_that_has_them():
    study = read_study("audit").with_parameters(level=0.9, margin=0.03, seed=7, reference=None)
    assert study.seed == 7
    for name, values in study.analyses.items():
        assert ("level" in values) == ("level" in signature(ANALYSES[name])), name
        assert values.get("reference") is None
    assert study.analyses["compare"]["margin"] == study.analyses["power"]["margin"] == 0.03


def test_text_from_the_command_line_becomes_numbers():
    assert read_study("audit").with_parameters(draws="2000").analyses["compare"]["draws"] == 2000


def test_a_parameter_that_no_analysis_has_is_refused():
    with pytest.raises(UsageError, match="has a parameter 'strategy'") as caught:
        read_study("short_forms").with_parameters(strategy="random")
    assert "strategies" in str(caught.value.found)


def test_results_hold_everything_to_make_them_again(trials):
    results = cs.analyze("audit", trials, **FAST)
    meta = results.meta
    assert meta["seed"] == read_study("audit").seed
    assert set(meta["libraries"]) == {"numpy", "scipy", "pandas", "statsmodels", "duckdb"}
    assert meta["item_digest"] == trials.items.digest
    assert meta["parameters"]["compare"]["draws"] == 1000
    text = results.to_json()
    json.loads(text, parse_constant=pytest.fail)
    assert cs.analyze("audit", trials, **FAST).to_json() == text


def test_every_undefined_number_has_a_reason(trials):
    """The rule of all results: a row with a missing estimate or interval says why."""
    results = cs.analyze("audit", trials, **FAST)
    for name, table, columns in (
        ("accuracy", "estimates", ["estimate", "std_error", "conf_low", "conf_high"]),
        ("compare", "estimates", ["estimate", "conf_low", "p_value", "p_adjusted"]),
        ("compare", "reference", ["estimate", "conf_low", "p_value", "p_adjusted"]),
        ("power", "estimates", ["detectable"]),
        ("power", "needed", ["n_needed"]),
        ("ranks", "estimates", ["estimate", "rank", "rank_low"]),
    ):
        frame = results[name].to_frame(table)
        undefined = frame[columns].isna().any(axis=1)
        assert (frame.loc[undefined, "reason"].fillna("") != "").all(), (name, table)


def test_mixed_protocols_are_refused_when_asked(trials):
    counts = trials.counts()
    refuse_mixed_protocols(counts)  # nothing is stated: nothing contradicts
    counts.units["protocol"] = ["aaaa", "bbbb", ""]
    with pytest.raises(UsageError, match="different protocols") as caught:
        refuse_mixed_protocols(counts)
    assert "gpt-4o" in str(caught.value)


def test_only_the_models_that_are_compared_must_share_a_protocol(three_files, tmp_path):
    runs, models = tmp_path / "runs.csv", tmp_path / "models.csv"
    stated = "prompt_digest,scoring,order,shots,decoding,item_revision"
    rows = [f"{path.name},{'b' if k == 2 else 'a'},generate,fixed,0,greedy,r1" for k, path in enumerate(three_files)]
    runs.write_text("\n".join([f"file,{stated}", *rows]))
    trials = cs.read_trials(three_files, runs=runs)
    study = read_study("audit").with_parameters(draws=200)
    with pytest.raises(UsageError, match="different protocols"):
        run_study(study, trials, same_protocol=True)
    names = list(map(str, trials.units["model"]))
    models.write_text("\n".join(["model,include", *(f"{name},{'no' if 'nova' in name else 'yes'}" for name in names)]))
    found = run_study(study, trials, cs.read_models(models), same_protocol=True)
    assert found["compare"].to_frame()["same_protocol"].eq("yes").all()
    models.write_text("\n".join(["model,include", *(f"{name},no" for name in names)]))
    with pytest.raises(UsageError, match="leaves out every model"):
        run_study(study, trials, cs.read_models(models))


def test_a_study_value_cannot_be_changed():
    study = check(Study(name="s", analyses={"accuracy": {}}))
    with pytest.raises(ValueError, match="frozen"):
        study.name = "t"


def test_the_name_of_an_analysis_is_a_study_of_it_alone():
    assert list(read_study("ranks").analyses) == ["ranks"]


def test_further_analyses_run_after_those_of_the_study():
    study = read_study("audit")
    assert list(study.also(["position", "accuracy"]).analyses) == [*study.analyses, "position"]
    with pytest.raises(UsageError, match="unknown analysis 'positions'"):
        study.also(["positions"])


def test_what_analyses_need_is_asked_of_the_trials():
    assert needed({"accuracy": {}}) == {}
    assert needed({"accuracy": {"target": "fixed"}, "calibration": {}}) == dict.fromkeys(
        ("cells", "responses", "scores"), True
    )
