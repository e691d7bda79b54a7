"""The run loop: what is asked, what is stored, what stops it."""

import json

import pytest

from click_stats.adapters.backend import Backend
from click_stats.adapters.base import Response
from click_stats.errors import DataError, MissingDependencyError, UsageError
from click_stats.protocol import plan, read_protocol
from click_stats.running import run
from click_stats.running.condition import condition_name
from click_stats.running.loop import folder_of, make_adapter
from click_stats.running.manifest import refuse_secrets, without_user
from click_stats.running.session import merged, run_all
from click_stats.trials import read_trials


def stored(folder):
    return [json.loads(line) for line in (folder / "trials.jsonl").read_text(encoding="utf-8").splitlines()]


def keys(rows):
    return [(row["item"], row["wording"], row["rotation"], row["replicate"]) for row in rows]


def test_every_planned_trial_is_stored_once(paper, rainbow, backend, told, reply, tmp_path):
    seen = []
    adapter = told(reply())
    summary = run(backend, paper, rainbow, tmp_path, adapter=adapter, progress=seen.append)
    planned = [tuple(request.key) for group in paper.groups() for request in group]
    assert keys(stored(tmp_path / "told")) == planned
    assert summary.complete
    assert summary.total == summary.done == summary.asked == len(paper) == len(planned)
    assert summary.statuses == {"ok": len(paper)}
    assert [event.done for event in seen] == list(range(len(paper) + 1))
    assert seen[-1].out_of_option == 0
    assert adapter.closed == 0  # who makes an adapter closes it


def test_a_run_that_is_complete_asks_nothing(single, rainbow, backend, told, reply, tmp_path):
    run(backend, single, rainbow, tmp_path, adapter=told(reply()))
    again = told(reply())
    summary = run(backend, single, rainbow, tmp_path, adapter=again)
    assert again.asked == []
    assert (summary.asked, summary.done, summary.complete) == (0, len(single), True)
    assert "were not asked again" in summary.notes[0]


def test_failed_trials_are_asked_again_and_filtered_ones_are_not(single, rainbow, backend, told, tmp_path):
    def sometimes(request):
        number = int(request.item[-1])
        if number == 1:
            return Response(request, error="failed", note="http 500")
        return Response(request, error="filtered") if number == 2 else Response(request, text="A")

    first = told(sometimes)
    summary = run(backend, single, rainbow, tmp_path, adapter=first)
    failed = {key for key in first.asked if key.item.endswith("1")}
    assert failed
    assert summary.statuses["failed"] == len(failed)
    assert summary.done == len(single) - len(failed)
    assert any("same command asks them again" in note for note in summary.notes)
    again = told(lambda request: Response(request, text="B"))
    summary = run(backend, single, rainbow, tmp_path, adapter=again)
    assert set(again.asked) == failed
    assert summary.complete
    assert "failed" not in summary.statuses
    trials = read_trials(tmp_path, rainbow)
    frame = trials.frame()
    assert len(frame) == len(single)
    assert not (frame["status"] == "failed").any()
    dropped = trials.account.to_frame("dropped")
    assert dropped.loc[dropped["reason"] == "failed, asked again", "n_rows"].tolist() == [len(failed)]


def test_a_stop_keeps_what_was_handed_out(paper, rainbow, backend, told, reply, tmp_path):
    adapter = told(reply())
    summary = run(backend, paper, rainbow, tmp_path, adapter=adapter, stop=lambda: len(adapter.asked) >= 30)
    assert summary.interrupted
    assert not summary.complete
    assert 30 <= summary.done == len(stored(tmp_path / "told")) <= 35  # to the end of a group
    rest = told(reply())
    assert not run(backend, paper, rainbow, tmp_path, adapter=rest).interrupted
    assert keys(stored(tmp_path / "told")) == [tuple(request.key) for group in paper.groups() for request in group]
    assert not set(adapter.asked) & set(rest.asked)


def test_an_exception_keeps_what_came_before(single, rainbow, backend, told, tmp_path):
    def breaks(request):
        if len(adapter.asked) > 5:
            raise DataError("The server is gone.")
        return Response(request, text="A")

    adapter = told(breaks)
    with pytest.raises(DataError, match="server is gone"):
        run(backend, single, rainbow, tmp_path, adapter=adapter)
    assert len(stored(tmp_path / "told")) == 5


def test_limits_are_spread_and_nested(paper, rainbow, backend, told, reply, tmp_path):
    few, more = told(reply()), told(reply())
    summary = run(backend, paper, rainbow, tmp_path, adapter=few, limit=6)
    items = {key.item for key in few.asked}
    assert len(items) == 6
    assert len({item.split("/")[0] for item in items}) > 1
    assert summary.complete
    assert summary.total == len(few.asked) == sum(len(g) for g in paper.groups() if g[0].item in items)
    run(backend, paper, rainbow, tmp_path, adapter=more, limit=9)
    assert len({key.item for key in more.asked}) == 3
    assert not set(more.asked) & set(few.asked)
    summary = run(backend, paper, rainbow, tmp_path, adapter=told(reply()))
    assert summary.complete
    assert summary.total == len(paper)
    with pytest.raises(UsageError, match="at least 1"):
        run(backend, paper, rainbow, tmp_path, adapter=told(reply()), limit=0)


@pytest.mark.parametrize(
    ("breaks", "found"),
    [
        (lambda request: [Response(request, text="A"), Response(request, text="A")], "second one"),
        (lambda request: Response(request, scores=(0.0,)), "1 scores for"),
    ],
)
def test_an_adapter_that_breaks_its_contract(single, rainbow, backend, told, tmp_path, breaks, found):
    with pytest.raises(DataError, match="contract") as caught:
        run(backend, single, rainbow, tmp_path, adapter=told(breaks))
    assert found in caught.value.found


def test_an_adapter_that_leaves_requests_unanswered(single, rainbow, backend, told, tmp_path):
    lazy = told(lambda request: [] if request.item.endswith("2") else Response(request, text="A"))
    with pytest.raises(DataError, match="without answering"):
        run(backend, single, rainbow, tmp_path, adapter=lazy)
    summary = run(backend, single, rainbow, tmp_path, adapter=told(lambda request: Response(request, text="A")))
    assert summary.complete


def test_another_protocol_is_refused_and_named(paper, single, rainbow, backend, told, reply, tmp_path):
    run(backend, single, rainbow, tmp_path, adapter=told(reply()))
    adapter = told(reply())
    with pytest.raises(UsageError, match="another run") as caught:
        run(backend, paper, rainbow, tmp_path, adapter=adapter)
    assert "protocol: single there, paper now" in caught.value.found
    assert "rotations: 1 there, all now" in caught.value.found
    assert adapter.asked == []


def test_other_texts_are_refused_and_another_key_is_not(single, rainbow, backend, told, reply, tmp_path):
    import dataclasses

    run(backend, single, rainbow, tmp_path, adapter=told(reply()))
    frame = rainbow.frame.copy()
    item = frame.index[0]
    frame.loc[item, "gold"] = (frame.loc[item, "gold"] + 1) % frame.loc[item, "n_options"]
    corrected = dataclasses.replace(rainbow, frame=frame)
    again = plan(read_protocol("single"), corrected)
    assert run(backend, again, corrected, tmp_path, adapter=told(reply())).asked == 0

    frame = rainbow.frame.copy()
    frame.loc[item, ["question", "digest"]] = ["다른 물음", "0" * 16]
    other = dataclasses.replace(rainbow, frame=frame)
    with pytest.raises(UsageError, match="another run") as caught:
        run(backend, plan(read_protocol("single"), other), other, tmp_path, adapter=told(reply()))
    assert "items.digest" in caught.value.found
    warnings = read_trials(tmp_path, other).account.meta["warnings"]
    assert any("not quite those that were asked" in line for line in warnings)


def test_other_settings_are_refused_and_another_version_is_not(single, rainbow, backend, told, reply, tmp_path):
    run(backend, single, rainbow, tmp_path, adapter=told(reply()))
    newer = told(reply())
    newer.describe = lambda: {"method": "told", "versions": {"told": "2"}, "served": ["t1-0613"]}
    assert run(backend, single, rainbow, tmp_path, adapter=newer).complete
    other = told(reply())
    other.describe = lambda: {"method": "written"}
    with pytest.raises(UsageError) as caught:
        run(backend, single, rainbow, tmp_path, adapter=other)
    assert "adapter.method: told there, written now" in caught.value.found
    sent = backend.model_copy(update={"generation": {"effort": "high"}})
    with pytest.raises(UsageError) as caught:
        run(sent, single, rainbow, tmp_path, adapter=told(reply()))
    assert "backend.generation" in caught.value.found
    manifest = json.loads((tmp_path / "told" / "manifest.json").read_text(encoding="utf-8"))
    assert [session["versions"]["told"] for session in manifest["sessions"]] == ["1", "2"]
    assert manifest["sessions"][1]["adapter"]["served"] == ["t1-0613"]


def test_what_an_adapter_learns_while_it_runs_is_noted(single, rainbow, backend, told, reply, tmp_path):
    adapter = told(reply())
    adapter.describe = lambda: {"method": "packed" if adapter.asked else "auto"}
    run(backend, single, rainbow, tmp_path, adapter=adapter)
    manifest = json.loads((tmp_path / "told" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["adapter"]["method"] == "auto"
    assert manifest["sessions"][0]["observed"] == {"method": "packed"}


def test_conditions_have_folders_of_their_own(single, rainbow, backend, told, reply, tmp_path):
    run(backend, single, rainbow, tmp_path, adapter=told(reply("A")))
    run(backend, single, rainbow, tmp_path, adapter=told(reply("B")), condition="effort=high")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["told", "told--effort=high"]
    trials = read_trials(tmp_path, rainbow)
    assert list(trials.units.index) == ["told", "told (effort=high)"]
    sources = trials.account.to_frame("sources")
    assert sources["file"].tolist() == ["told/trials.jsonl", "told--effort=high/trials.jsonl"]
    assert folder_of("o", "m", "a/../b c").name == "m--a_.._b_c"


def test_condition_names():
    assert condition_name({}, (), simulated=False) == "default"
    assert condition_name({"effort": "high", "seed": 3}, ("5-shot",), simulated=False) == "effort=high, seed=3, 5-shot"
    assert condition_name({"ability": 1.0}, (), simulated=True) == "simulated"
    assert condition_name({"effort": "high"}, ("5-shot",), simulated=False, given="mine") == "mine"
    assert condition_name({}, ("choices-only",), simulated=True) == "simulated, choices-only"


def test_facts_of_a_run_stand_in_the_comparability_table(paper, single, rainbow, backend, told, reply, tmp_path):
    for name in ("a", "b"):
        run(backend.model_copy(update={"name": name}), paper, rainbow, tmp_path / "x", adapter=told(reply()))
    scores = told(lambda request: Response(request, scores=tuple(map(float, range(request.n_options)))), kind="score")
    run(backend.model_copy(update={"name": "c"}), single, rainbow, tmp_path / "x", adapter=scores)
    table = read_trials(tmp_path / "x", rainbow).account.to_frame("comparability").set_index("unit")
    assert table.loc["a", "prompt_digest"] == paper.digest
    assert table.loc["a", ["scoring", "order", "shots"]].tolist() == ["generated text, paper", "all", "0"]
    assert table.loc["c", ["scoring", "order", "decoding"]].tolist() == ["log-probability", "1", "none"]
    assert table.loc["a", "protocol"] == table.loc["b", "protocol"] not in {"not stated", table.loc["c", "protocol"]}
    assert len(table.loc["a", "date"]) == len("2026-01-01")


def test_readers_stop_at_the_last_newline_and_mend_nothing(single, rainbow, backend, told, reply, tmp_path):
    run(backend, single, rainbow, tmp_path, adapter=told(reply()))
    path = tmp_path / "told" / "trials.jsonl"
    whole = path.read_bytes()
    first = whole.splitlines(keepends=True)[0]
    for tail in (b'{"item":"Sea', first[:-1], first[:-9] + b"\xea"):
        path.write_bytes(whole + tail)
        trials = read_trials(tmp_path, rainbow)
        assert len(trials) == len(single)
        assert "last line cut off" in trials.account.to_frame("dropped")["reason"].tolist()
        assert path.read_bytes() == whole + tail
    path.write_bytes(first)
    warnings = read_trials(tmp_path / "told", rainbow).account.meta["warnings"]
    assert f"The run told is not complete: it holds 1 of {len(single)} trials." in warnings


def test_a_run_without_trials_is_passed_over(single, rainbow, backend, told, reply, tmp_path):
    run(backend, single, rainbow, tmp_path, adapter=told(reply()))
    with pytest.raises(DataError):
        run(backend.model_copy(update={"name": "none"}), single, rainbow, tmp_path, adapter=told(lambda request: []))
    trials = read_trials(tmp_path, rainbow)
    assert list(trials.units.index) == ["told"]
    assert any("none/trials.jsonl was not read" in line for line in trials.account.meta["warnings"])
    with pytest.raises(DataError, match="no trials yet"):
        read_trials(tmp_path / "none" / "trials.jsonl", rainbow)


def test_remarks_and_ties_are_handed_on(single, rainbow, backend, told, tmp_path):
    tied = told(
        lambda request: Response(request, scores=(0.0, 0.0) + (-1.0,) * (request.n_options - 2), note="prompt cut"),
        kind="score",
    )
    summary = run(backend, single, rainbow, tmp_path, adapter=tied)
    assert f"{len(single)} trials carry a remark: prompt cut" in summary.notes
    warnings = read_trials(tmp_path, rainbow).account.meta["warnings"]
    assert f"{len(single)} trials of the run told carry the remark: prompt cut." in warnings
    assert any(f"In {len(single)} of {len(single)} ranked trials" in line for line in warnings)


def test_texts_are_needed_by_those_that_need_them_only(backend, told, reply, tmp_path):
    from click_stats.items import read_items

    keys_only = read_items()
    protocol = read_protocol("single")
    silent = told(reply(), needs_text=False)
    assert run(backend, plan(protocol, keys_only, needs_text=False), keys_only, tmp_path, adapter=silent).complete
    with pytest.raises(DataError, match="needs the texts"):
        run(backend, plan(protocol, keys_only, needs_text=False), keys_only, tmp_path, adapter=told(reply()))


def test_only_simulated_adapters_are_handed_the_key(single, rainbow, backend, told, reply, tmp_path):
    class Curious(told):
        held = None

        def hold(self, items):
            self.held = items

    honest, drawn = Curious(reply()), Curious(reply(), simulated=True)
    run(backend, single, rainbow, tmp_path / "1", adapter=honest)
    run(backend, single, rainbow, tmp_path / "2", adapter=drawn)
    assert honest.held is None
    assert drawn.held is rainbow


def test_cost_is_counted_from_usage(single, rainbow, backend, told, reply, tmp_path):
    priced = Backend.model_validate({**backend.model_dump(), "prices": {"input": 2.0, "output": 10.0}})
    adapter = told(reply(input_tokens=100, output_tokens=10))
    summary = run(priced, single, rainbow, tmp_path, adapter=adapter)
    assert summary.cost == pytest.approx(len(single) * (100 * 2 + 10 * 10) / 1e6)
    assert run(backend, single, rainbow, tmp_path / "2", adapter=told(reply())).cost is None


def test_secrets_never_reach_the_manifest(single, rainbow, backend, told, reply, tmp_path):
    for settings in ({"api_key": "k"}, {"extra_headers": {"Authorization": "k"}}, {"a": {"b": {"client-secret": 1}}}):
        with pytest.raises(UsageError, match="looks like a secret") as caught:
            run(backend.model_copy(update={"generation": settings}), single, rainbow, tmp_path, adapter=told(reply()))
        assert "k\n" not in str(caught.value)
    refuse_secrets({"max_tokens": 5, "stop": ["."], "keyboard": {"x": 1}})
    assert without_user("https://me:pass@host:8000/v1") == "https://host:8000/v1"


def test_an_unknown_policy_is_refused_before_anything_is_asked(single, rainbow, backend, told, reply, tmp_path):
    adapter = told(reply())
    with pytest.raises(UsageError, match="policy"):
        run(backend, single, rainbow, tmp_path, adapter=adapter, policy="generous")
    assert adapter.asked == []
    assert list(tmp_path.iterdir()) == []


def test_adapters_that_are_not_there(backend, monkeypatch):
    with pytest.raises(UsageError, match="adapter that is not there"):
        make_adapter(backend)

    def broken(_):
        raise ImportError("No module named 'told_sdk'")

    monkeypatch.setattr("click_stats.adapters.backend.adapters", lambda: {"told": broken})
    with pytest.raises(MissingDependencyError) as caught:
        make_adapter(backend)
    assert "told_sdk" in caught.value.found


def all_of(backends, rainbow, out, **more):
    given = {
        "replicates": None,
        "settings": {},
        "options": {},
        "condition": None,
        "policy": "paper",
        "limit": None,
        "only": None,
        "progress": None,
        "stop": None,
        "failed": None,
    }
    return run_all(backends, read_protocol("single"), rainbow, out, **{**given, **more})


def test_one_backend_that_fails_does_not_stop_the_others(rainbow, told, reply, tmp_path, monkeypatch):
    made = []

    def make(backend):
        if backend.name == "b":
            raise UsageError("There is no key.")
        made.append(told(reply()))
        return made[-1]

    monkeypatch.setattr("click_stats.adapters.backend.adapters", lambda: {"told": make})
    backends = [Backend(name=name, adapter="told") for name in "abc"]
    failures = []
    summaries = all_of(backends, rainbow, tmp_path, failed=lambda name, error: failures.append((name, str(error))))
    assert [summary.backend for summary in summaries] == ["a", "c"]
    assert failures == [("b", "There is no key.")]
    assert [adapter.closed for adapter in made] == [1, 1]
    with pytest.raises(UsageError, match="no key"):
        all_of(backends, rainbow, tmp_path)


def test_settings_are_laid_over_those_of_the_backend(rainbow, told, reply, tmp_path, monkeypatch):
    seen = []

    def make(backend):
        seen.append(backend)
        return told(reply())

    monkeypatch.setattr("click_stats.adapters.backend.adapters", lambda: {"told": make})
    declared = Backend(name="m", adapter="told", generation={"a": 1, "body": {"x": 1}}, options={"method": "cache"})
    [summary] = all_of([declared], rainbow, tmp_path, settings={"body": {"y": 2}}, options={"method": "packed"})
    assert seen[0].generation == {"a": 1, "body": {"x": 1, "y": 2}}
    assert seen[0].options == {"method": "packed"}
    assert summary.condition == 'body={"y": 2}'
    assert merged({"a": {"b": 1}}, {"a": 2}) == {"a": 2}
    with pytest.raises(UsageError, match="named twice"):
        all_of([declared, declared], rainbow, tmp_path)
    with pytest.raises(UsageError, match="no backend"):
        all_of([], rainbow, tmp_path)


def test_every_warning_of_a_run_is_said_in_korean(paper, rainbow, backend, told, tmp_path):
    import dataclasses

    from click_stats.render.codes import text

    tied = told(
        lambda request: Response(request, scores=(0.0,) * request.n_options, note="prompt cut"),
        kind="score",
        simulated=True,
    )
    run(backend, paper, rainbow, tmp_path, adapter=tied, limit=5)
    frame = rainbow.frame.assign(digest="0" * 16)
    warnings = read_trials(tmp_path, dataclasses.replace(rainbow, frame=frame)).account.meta["warnings"]
    starts = ("The answers of told", "The run told is not", "In ", "The items given", "Wordings by", "Wordings 2 and 3")
    for start in starts:
        [line] = [line for line in warnings if line.startswith(start)]
        assert text(line, "ko") != line
    assert any("carry the remark: prompt cut" in line and text(line, "ko") != line for line in warnings)


def test_only_chosen_items_are_asked_and_the_others_later(paper, rainbow, backend, told, reply, tmp_path):
    keys = list(map(str, rainbow.frame.index[:3]))
    first, rest = told(reply()), told(reply())
    summary = run(backend, paper, rainbow, tmp_path, adapter=first, only=keys)
    assert {key.item for key in first.asked} == set(keys)
    assert summary.complete
    run(backend, paper, rainbow, tmp_path, adapter=rest)
    assert {key.item for key in rest.asked} == set(map(str, rainbow.frame.index)) - set(keys)
    with pytest.raises(UsageError, match="not in the item table"):
        run(backend, paper, rainbow, tmp_path, adapter=told(reply()), only=["History/none"])
