"""Runs a program so that it never outlives us: a time-out or Ctrl-C ends it and all it started."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import signal
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from click_stats.errors import MissingDependencyError, RenderError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07")
_TAIL = 12


@dataclass(frozen=True)
class Ended:
    """What a program left: exit code and texts without colour codes."""

    code: int
    stdout: str
    stderr: str

    def tail(self) -> str:
        """Return the last lines it wrote to standard error (standard output when that is empty)."""
        lines = [line.rstrip() for line in (self.stderr or self.stdout).splitlines() if line.strip()]
        return "\n".join(lines[-_TAIL:])


def run(argv: Sequence[str], *, cwd: Path, timeout: float, extra_env: Mapping[str, str] | None = None) -> Ended:
    """Run ``argv`` in ``cwd`` and wait at most ``timeout`` seconds.

    Raises
    ------
    MissingDependencyError
        The program is not there or cannot be started.
    RenderError
        It ran past the time-out; it has been ended.
    """
    name = os.path.basename(argv[0])  # noqa: PTH119 (a Windows path too, whatever the machine)
    try:
        child = subprocess.Popen(  # noqa: S603 (a list, no shell)
            list(argv),
            cwd=cwd,
            env={**os.environ, **extra_env} if extra_env else None,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            # A group of its own, so that the programs it starts (deno, typst) end with it.
            start_new_session=sys.platform != "win32",
        )
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise disk_full(cwd) from error
        raise MissingDependencyError(
            f"{name} could not be started.", found=f"{argv[0]}: {error.strerror}", do="Install it again."
        ) from error
    try:
        out, err = child.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        _end(child)
        raise RenderError(
            f"{name} did not finish in {timeout:g} seconds and was stopped.",
            found=" ".join(argv[:4]),
            do="Allow more time, or ask for fewer formats at once.",
        ) from None
    except BaseException:  # Ctrl-C among them: never leave the child running
        _end(child)
        raise
    return Ended(child.returncode, _text(out), _text(err))


def _text(raw: bytes) -> str:
    return _ANSI.sub("", raw.decode("utf-8", "replace")).replace("\r\n", "\n")


def _end(child: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(OSError):
        if sys.platform == "win32":
            subprocess.run(  # noqa: S603
                ["taskkill", "/F", "/T", "/PID", str(child.pid)],  # noqa: S607
                check=False,
                capture_output=True,
            )
        else:
            os.killpg(child.pid, signal.SIGKILL)
    child.kill()
    child.communicate()


def disk_full(where: Path) -> RenderError:
    """Return the error for a full disk."""
    return RenderError(
        "The disk is full: the report was not written.",
        found=str(where),
        do="Make room, or write to another folder; what was there before is untouched.",
    )


def said_disk_full(text: str) -> bool:
    """Whether a program's message says that the disk is full."""
    lowered = text.lower()
    return any(sign in lowered for sign in ("no space left", "resource exhausted", "disk full", "enospc"))
