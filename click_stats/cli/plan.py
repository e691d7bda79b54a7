"""``click-stats plan``: what a protocol asks, how much it is, and every prompt as a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from click_stats import api
from click_stats.cli import options as o
from click_stats.cli.progress import note
from click_stats.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from click_stats.adapters.backend import Backend

HELP = """What a protocol asks; nothing is sent.

Counts trials, prompts, and tokens and cost where they are known.

Example: click-stats plan paper gpt-4.1 --items PATH --prompts prompts.jsonl
"""
DEFAULT = "paper"


def command(
    names: Annotated[
        list[str] | None,
        typer.Argument(help="Protocol (unless --protocol is given), then backends.", show_default=False),
    ] = None,
    *,
    protocol: o.Protocol = None,
    replicates: o.Replicates = None,
    prompts: Annotated[
        Path | None,
        typer.Option("--prompts", help="Write every prompt into this file, as JSON lines.", show_default=False),
    ] = None,
    chars_per_token: Annotated[
        float | None,
        typer.Option(
            "--chars-per-token",
            help="Characters a token, for a rough estimate where no tokenizer is at hand.",
            show_default=False,
        ),
    ] = None,
    output_tokens: Annotated[
        int | None,
        typer.Option("--output-tokens", help="Tokens of an answer, assumed for the cost.", show_default=False),
    ] = None,
    items: o.Items = None,
    benchmark: o.Benchmark = None,
    content: o.Content = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file of --prompts.")] = False,
    quiet: o.Quiet = False,
    as_json: o.Json = False,
) -> None:
    """Parse, call :func:`click_stats.api.plan`, and print its facts."""
    words = list(names or ())
    if protocol is None:
        is_protocol = bool(words) and (words[0] in api.protocols(content or ()) or words[0].endswith(".toml"))
        protocol = words.pop(0) if is_protocol else DEFAULT
    backends = [_backend(name, content or ()) for name in words]
    table = api.read_items(items, definition=benchmark)
    if prompts is not None:
        table.require_text()
    plan = api.plan(protocol, table, replicates=replicates, content=content or ())
    estimates = [
        api.estimate(plan, backend, chars_per_token=chars_per_token, output_tokens=output_tokens).as_dict()
        for backend in backends
    ]
    facts = plan.facts()
    facts["n_chars"] = plan.n_chars if plan.needs_text else None
    if prompts is not None:
        written = plan.write_prompts(prompts, force=force)
        note(f"{written:,} prompts written to {prompts}", quiet=quiet)
    if as_json:
        typer.echo(json.dumps({**facts, "backends": estimates}, ensure_ascii=False))
        return
    typer.echo("\n".join(_lines(facts, estimates)))


def _backend(name: str, content: Sequence[Path]) -> Backend:
    try:
        return api.find_backend(name, content=content)
    except UsageError as error:
        # The name may have been meant as a protocol's.
        protocols = ", ".join(api.protocols(content))
        raise UsageError(error.what, found=f"protocols: {protocols}; {error.found}", do=error.do) from error


def _lines(facts: Mapping[str, Any], estimates: Sequence[Mapping[str, Any]]) -> list[str]:
    wordings = ", ".join(f"{entry['name']} ({entry['origin']})" for entry in facts["wordings"])
    rotations = facts["rotations"]
    if isinstance(rotations, list):
        rotations = ", ".join(map(str, rotations))
    elif rotations != "all":
        rotations = "0, the source's order" if rotations == 1 else f"the first {rotations}"
    characters = facts["n_chars"]
    rows = {
        "protocol": f"{facts['protocol']}: {facts['title']}".rstrip(": "),
        "wordings": wordings,
        "rotations": str(rotations),
        "replicates": f"{facts['replicates']:,}",
        "condition": ", ".join(facts["conditions"]),
        "items": f"{facts['n_items']:,} of {facts['benchmark']}",
        "trials": f"{facts['n_trials']:,} (requests to a model that writes its answer)",
        "prompts": f"{facts['n_prompts']:,} different",
        "groups": f"{facts['n_groups']:,} (an item in one wording, all its rotations)",
        "sequences": f"{facts['n_sequences']:,} (a prompt with one option, for a model that scores options)",
        "characters": "not counted: the items have no texts" if characters is None else f"{characters:,}",
        "digest": facts["plan_digest"],
    }
    width = max(map(len, rows))
    lines = [f"{name:<{width}}  {value}" for name, value in rows.items() if value]
    for entry in estimates:
        tokens = "unknown" if entry["input_tokens"] is None else f"{entry['input_tokens']:,}"
        cost = "unknown" if entry["cost"] is None else f"{entry['cost']:,.2f} US dollars"
        if entry["rough"]:
            tokens, cost = f"about {tokens}", f"about {cost}" if entry["cost"] is not None else cost
        lines += ["", entry["backend"], f"  input tokens  {tokens}", f"  cost          {cost}", f"  ({entry['how']})"]
    return [*lines, *(f"note: {remark}" for remark in facts["remarks"])]
