"""Finds declarations and templates: the packaged copy, a checkout's folder, or a user's own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from click_stats.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

Kind = Literal["analyses", "backends", "protocols", "reports"]


def roots(extra: Sequence[Path] = ()) -> list[Path]:
    """Return the folders searched, the user's own first.

    A checkout counts only when our ``pyproject.toml`` stands beside the package.
    """
    package = Path(__file__).parent
    packaged = package / "_content"
    checkout = package.parent
    found = [Path(folder) for folder in extra]
    missing = [str(folder) for folder in found if not folder.is_dir()]
    if missing:
        raise UsageError(
            "A folder for declarations of your own is not there.",
            found=", ".join(missing),
            do="Give a folder that holds analyses/, backends/, protocols/ or reports/.",
        )
    if packaged.is_dir():
        found.append(packaged)
    elif (checkout / "pyproject.toml").is_file():
        found.append(checkout)
    return found


def names(kind: Kind, extra: Sequence[Path] = ()) -> list[str]:
    """Return the names available for ``kind``, sorted."""
    found: set[str] = set()
    for root in roots(extra):
        folder = root / kind
        if kind == "reports":
            found |= {path.name for path in folder.glob("[!_]*") if path.is_dir()}
        else:
            found |= {path.stem for path in folder.glob("*.toml")}
    return sorted(found)


def find(kind: Kind, name: str, extra: Sequence[Path] = ()) -> Path:
    """Return the path of declaration ``name`` (a TOML file; for reports a folder).

    Raises
    ------
    UsageError
        No folder has it; the message lists the names there are.
    """
    for root in roots(extra):
        path = root / kind / (name if kind == "reports" else f"{name}.toml")
        if path.exists():
            return path
    raise UsageError(
        f"There is no {name!r} among the {kind}.",
        found=", ".join(names(kind, extra)) or "nothing",
        do="Use one of these names, or give a folder of your own with --content.",
    )


def paper(name: str) -> Path:
    """Return the path of a file with published numbers of the CLIcK paper, e.g. ``table5_accuracy.csv``.

    Raises
    ------
    UsageError
        There is no such file.
    """
    for root in roots():
        for folder in (root / "paper", root / "fixtures" / "paper"):  # packaged, or in a checkout
            if (folder / name).is_file():
                return folder / name
    raise UsageError(f"There is no file {name!r} among the published numbers.", do="See fixtures/paper/README.md.")
