"""Writing files and folders so that they appear whole or not at all."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from click_stats.errors import DataError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

MARK = "results.json"
"""A folder that holds this file, written by us, may be replaced by --force."""
BEGINNING = b'{\n "study": '
"""How our file begins: others call their files so too."""


@contextmanager
def whole_folder(out: str | Path, *, force: bool = False) -> Iterator[Path]:
    """Give a temporary folder that becomes ``out`` when the block ends without an error.

    Parameters
    ----------
    out
        The folder to write. If it exists and holds files, ``force`` is needed, and then what we wrote there
        before is replaced; files of other origin stay.

    Raises
    ------
    UsageError
        ``out`` holds files and ``force`` is not given, or is a file.
    DataError
        The folder cannot be written: no permission, no space.
    """
    out = Path(out)
    check_folder(out, force=force)
    place = out.resolve() if out.is_symlink() else out
    with writing(out):
        place.parent.mkdir(parents=True, exist_ok=True)
        building = Path(tempfile.mkdtemp(prefix=f".{place.name}-", dir=place.parent)).resolve()
    try:
        with writing(out):
            yield building
            building.chmod(0o777 & ~_umask())
            _move(building, place)
    finally:
        shutil.rmtree(building, ignore_errors=True)


def check_folder(out: Path, *, force: bool = False) -> None:
    """Raise UsageError when ``out`` may not become a folder of ours: so that nobody waits for results to hear it.

    Parameters
    ----------
    out, force
        As in :func:`whole_folder`.
    """
    if out.is_file():
        raise UsageError(f"The output {out} is a file.", do="Give a folder with -o.")
    with writing(out):
        there = sorted(path.name for path in out.iterdir()) if out.is_dir() else []
    if there and not force:
        raise UsageError(
            f"The output folder {out} is not empty.",
            found=", ".join(there[:5]),
            do="Give another folder with -o, or --force to replace what stands there.",
        )


@contextmanager
def whole_file(path: str | Path, *, force: bool = False) -> Iterator[Path]:
    """Give a temporary path, with the same ending, that becomes ``path`` when the block ends without an error.

    Raises
    ------
    UsageError
        ``path`` exists and ``force`` is not given.
    DataError
        The file cannot be written.
    """
    path = Path(path)
    if path.exists() and not force:
        raise UsageError(f"The output {path} exists.", do="Give another name with -o, or --force to replace it.")
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.stem}-", suffix=path.suffix, dir=path.parent)
        os.close(handle)
    building = Path(name)
    building.unlink()  # writers that refuse an existing file can be used
    try:
        with writing(path):
            yield building
            building.replace(path)
    finally:
        building.unlink(missing_ok=True)


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn an error of the file system into a sentence that names ``path``."""
    try:
        yield
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            do = "Free some space, or give a folder on another disk with -o."
        elif error.errno in {errno.EACCES, errno.EPERM, errno.EROFS}:
            do = "Give a folder you may write to with -o."
        else:
            do = "Check the path."
        raise DataError(f"Cannot write {path}.", found=error.strerror or str(error), do=do) from error


def _move(building: Path, out: Path) -> None:
    if not out.exists() or (not any(out.iterdir()) and not out.samefile(Path.cwd())):  # nobody's ground is taken away
        if out.exists():
            out.rmdir()
        building.rename(out)
        return
    if _ours(out / MARK):  # subfolders of the earlier run must not mix with those of this one
        for folder in building.iterdir():
            if folder.is_dir() and (out / folder.name).is_dir():
                shutil.rmtree(out / folder.name)
    for path in sorted(building.iterdir()):
        target = out / path.name
        if path.is_dir() and target.is_dir():
            shutil.copytree(path, target, dirs_exist_ok=True)
        else:
            os.replace(path, target)  # noqa: PTH105 -- replaces in one step on every system


def _ours(mark: Path) -> bool:
    if not mark.is_file():
        return False
    with mark.open("rb") as file:
        return file.read(len(BEGINNING)) == BEGINNING


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
