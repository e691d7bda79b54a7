"""Writing that survives the end of the process and, once synced, of the power."""

from __future__ import annotations

import errno
import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from click_stats.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def write_whole(path: Path, data: bytes) -> None:
    """Replace a file by one that holds ``data``: at any moment there is the old one or the new one, whole.

    Raises
    ------
    DataError
        The disk is full or the folder cannot be written.
    """
    building = path.with_name(f"{path.name}.new")
    with writing(path):
        try:
            handle = os.open(building, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
            try:
                write_all(handle, data)
                os.fsync(handle)
            finally:
                os.close(handle)
            building.replace(path)
        except BaseException:
            building.unlink(missing_ok=True)
            raise
        sync_folder(path.parent)


def write_all(handle: int, data: bytes) -> None:
    """Write all of ``data``: the system may take a part only, e.g. when the disk is nearly full."""
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def sync_folder(folder: Path) -> None:
    """Make the names in a folder survive a loss of power."""
    if sys.platform == "win32":  # a folder cannot be opened there
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn an error of the disk into a sentence that says how to go on."""
    try:
        yield
    except OSError as error:
        again = "then run the same command again: it goes on where this one stopped."
        raise DataError(
            f"Cannot write {path}: what was written before stays.",
            found=error.strerror or str(error),
            do=f"Free some space, {again}" if error.errno in _FULL else f"Check the disk and the folder, {again}",
        ) from error
