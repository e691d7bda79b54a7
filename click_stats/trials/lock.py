"""A lock that the operating system gives back when its holder dies, however it dies."""

from __future__ import annotations

import errno
import os
import socket
import sys
from typing import TYPE_CHECKING

from click_stats.errors import DataError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from click_stats.errors import ClickStatsError

_BUSY = {errno.EACCES, errno.EAGAIN, errno.EDEADLK}
_FAR = 1 << 30
# Windows locks bytes against reading too, so the byte locked there lies beyond the holder's name.


def take(path: Path) -> int:
    """Take the lock kept in ``path`` and return its open file descriptor; closing that gives the lock back.

    Raises
    ------
    UsageError
        Another process holds it; the message names that process.
    DataError
        The file system knows no locks, or the file cannot be written.
    """
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise _no_lock(path, error) from error
    try:
        _lock(handle)
        os.ftruncate(handle, 0)
        os.write(handle, f"process {os.getpid()} on {socket.gethostname()}".encode())
    except OSError as error:
        holder = os.read(handle, 200).decode("utf-8", "replace") if error.errno in _BUSY else ""
        os.close(handle)
        raise (_held(path, holder) if error.errno in _BUSY else _no_lock(path, error)) from error
    return handle


def _lock(handle: int) -> None:
    if sys.platform == "win32":
        import msvcrt  # noqa: PLC0415 -- exists on Windows only

        os.lseek(handle, _FAR, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        os.lseek(handle, 0, os.SEEK_SET)
    else:
        import fcntl  # noqa: PLC0415 -- does not exist on Windows

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _held(path: Path, holder: str) -> ClickStatsError:
    return UsageError(
        f"Another process is writing the run {path.parent.name}.",
        found=holder or "a lock on the folder",
        do="Wait until it ends, or stop it; then run the same command again: it goes on where that one stopped.",
    )


def _no_lock(path: Path, error: OSError) -> ClickStatsError:
    return DataError(
        f"The folder {path.parent} cannot be locked against a second writer.",
        found=error.strerror or str(error),
        do="Give a folder that you may write to, on a local disk, with -o.",
    )
