"""The errors click-stats raises on purpose: what was wrong, what was found, what to do."""

from __future__ import annotations

EXIT_DATA = 1
EXIT_USAGE = 2
EXIT_DEPENDENCY = 3
EXIT_INTERRUPTED = 130


class ClickStatsError(Exception):
    """Base of all errors meant for a person.

    Parameters
    ----------
    what
        One sentence: what was wrong.
    found
        What was found instead (a value, a list, a file name); may be empty.
    do
        What the reader can do about it; may be empty.
    """

    exit_code = EXIT_DATA

    def __init__(self, what: str, *, found: str = "", do: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.found = found
        self.do = do

    def __str__(self) -> str:
        lines = [self.what]
        if self.found:
            lines.append(f"  found: {self.found}")
        if self.do:
            lines.append(f"  to do: {self.do}")
        return "\n".join(lines)


class DataError(ClickStatsError):
    """The data are wrong: unreadable, inconsistent or of another dataset version."""


class RenderError(ClickStatsError):
    """A report could not be rendered, or its output is not what was asked for."""


class UsageError(ClickStatsError):
    """The call is wrong: an unknown name, an impossible combination of arguments."""

    exit_code = EXIT_USAGE


class MissingDependencyError(ClickStatsError):
    """Something optional that the call needs is not installed."""

    exit_code = EXIT_DEPENDENCY
