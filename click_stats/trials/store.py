"""The trials of one run on disk: a folder with a manifest and an append-only file, which nothing can tear apart.

``trials.jsonl`` holds one JSON object a line, in the order of arrival. A line counts once its newline is there; what
follows the last newline is no trial, whatever it looks like. From that everything follows: a process killed at any
byte leaves whole lines and at most one fragment; readers stop at the last newline; the next writer moves the fragment
aside before it appends. Why it is so is told in ``docs/design/store.md``.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from click_stats.errors import DataError, UsageError
from click_stats.trials import lock
from click_stats.trials.durable import sync_folder, write_all, writing
from click_stats.trials.manifest import FORMAT, SHOWN, TRIALS, VERSION, differences, read_manifest, write_manifest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

LOCK = ".lock"
FAILED = "failed"
"""The one status that is asked again: no answer reached us, and the next try may bring one."""
CHUNK = 1 << 20
_NAME = rb'"([^"\\\\]*)"'
_HEAD = re.compile(
    rb'\{"item":%s,"wording":%s,"rotation":(\d+),"replicate":(\d+),"model":"[^"\\\\]*","condition":"[^"\\\\]*","status":%s[,}]'
    % (_NAME, _NAME, _NAME)
)
"""What rows begin with. A name with a quotation mark or a backslash is left to the parser."""


class Store:
    """The writer of a run folder; there is one at a time. Open it with :meth:`open`.

    Attributes
    ----------
    folder
        The run folder.
    manifest
        As it is written there.
    done
        Keys of the trials that need not be asked: all that are stored, but those that failed. Plain tuples, which are
        equal to a :class:`~click_stats.protocol.request.Key` and, a million of them, cheaper.
    statuses
        Number of trials by status, each trial counted once with its latest row.
    fragment
        Where a torn last line was put, or None.
    """

    def __init__(self, folder: Path, manifest: dict[str, Any], held: int) -> None:
        self.folder = folder
        self.manifest = manifest
        self.done: set[tuple[str, str, int, int]] = set()
        self.statuses: Counter[str] = Counter()
        self.fragment: Path | None = None
        self._failed: set[tuple[str, str, int, int]] = set()
        self._lock = held
        self._handle = -1
        self._size = 0

    @classmethod
    def open(cls, folder: str | Path, manifest: Mapping[str, Any], *, session: Mapping[str, Any] | None = None) -> Self:
        """Take the folder for writing, made if need be: lock it, compare manifests, mend the tail, read the keys.

        Parameters
        ----------
        folder
            ``OUT/<backend>/``.
        manifest
            What is asked; see :data:`click_stats.trials.manifest.IDENTITY` for what must not differ from a manifest
            that is there already.
        session
            What to note of this session (versions); the time is added.

        Raises
        ------
        UsageError
            The folder holds another run, or another process is writing it.
        DataError
            The folder cannot be written or is damaged.
        """
        folder = Path(folder)
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
        store = cls(folder, {}, lock.take(folder / LOCK))
        try:
            store._open(manifest, session or {})
        except BaseException:
            store.close()
            raise
        return store

    def _open(self, manifest: Mapping[str, Any], session: Mapping[str, Any]) -> None:
        path = self.folder / TRIALS
        there = read_manifest(self.folder)
        if not there and path.exists() and path.stat().st_size:
            raise DataError(
                f"The folder {self.folder.name} holds trials but no manifest.",
                found=str(path),
                do="Get the manifest again, or start the run in another folder with -o.",
            )
        self._refuse_another(there, manifest)
        now = datetime.now(UTC).isoformat(timespec="seconds")
        sessions = [*there.get("sessions", []), {"started": now, **session}]
        self.manifest = {"format": FORMAT, "version": VERSION, **there, **manifest, "sessions": sessions}
        write_manifest(self.folder, self.manifest)
        with writing(path):
            self._handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o644)
            self._size = whole_size(path)
            self._quarantine(path)
            sync_folder(self.folder)
        self._read_keys(path)

    def _refuse_another(self, there: Mapping[str, Any], manifest: Mapping[str, Any]) -> None:
        differing = differences(there, manifest) if there else []
        if differing:
            more = f"; and {len(differing) - SHOWN} more" if len(differing) > SHOWN else ""
            raise UsageError(
                f"The folder {self.folder} holds another run.",
                found="; ".join(differing[:SHOWN]) + more,
                do="Ask as that run did to go on with it, or give another folder with -o.",
            )

    def _quarantine(self, path: Path) -> None:
        """Move what follows the last newline to a file beside, first copying, then cutting."""
        length = path.stat().st_size
        if length == self._size:
            return
        with path.open("rb") as file:
            file.seek(self._size)
            fragment = file.read()
        aside = path.with_name(f"{TRIALS}.torn-{self._size}")
        handle = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
        try:
            write_all(handle, fragment)
            os.fsync(handle)
        finally:
            os.close(handle)
        os.ftruncate(self._handle, self._size)
        os.fsync(self._handle)
        self.fragment = aside

    def _read_keys(self, path: Path) -> None:
        """Note what is stored. Rows that we wrote begin with their key, so that most need not be parsed as a whole."""
        names: dict[bytes, str] = {}

        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                found = _HEAD.match(line)
                if found is not None and line.endswith(b"}\n"):
                    item, wording, rotation, replicate, status = found.groups()
                    key = (names.get(item) or _keep(names, item), names.get(wording) or _keep(names, wording))
                    self._count((*key, int(rotation), int(replicate)), names.get(status) or _keep(names, status))
                else:
                    self._count(*_parsed(path, number, line))

    def _count(self, key: tuple[str, str, int, int], status: str) -> None:
        if self._failed and key in self._failed:
            self._failed.discard(key)
            self.statuses[FAILED] -= 1
        self.statuses[status] += 1
        if status == FAILED:
            self._failed.add(key)
        else:
            self.done.add(key)

    def write(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Append rows as whole lines: they are safe when this process is killed, and after :meth:`sync` for good.

        Raises
        ------
        DataError
            The disk is full; the file still ends with a whole line, and none of these rows is in it.
        """
        rows = list(rows)
        data = b"".join(map(line_of, rows))
        with writing(self.folder / TRIALS):
            try:
                write_all(self._handle, data)
            except BaseException:  # an interrupt too must not leave half a line before the next
                os.ftruncate(self._handle, self._size)
                raise
        self._size += len(data)
        for row in rows:
            self._count(_key(row), row["status"])

    def sync(self) -> None:
        """Make what was written survive a loss of power."""
        with writing(self.folder / TRIALS):
            os.fsync(self._handle)

    def append(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Write a batch of rows and sync it; see :meth:`write`."""
        self.write(rows)
        self.sync()

    def end_session(self, **facts: Any) -> None:
        """Note in the manifest how this session went; one that was killed has no such note."""
        self.manifest["sessions"][-1] |= facts
        write_manifest(self.folder, self.manifest)

    def close(self) -> None:
        """Give the folder free. Closing twice is no error."""
        for handle in (self._handle, self._lock):
            if handle >= 0:
                os.close(handle)
        self._handle = self._lock = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def _key(row: Mapping[str, Any]) -> tuple[str, str, int, int]:
    return row["item"], row["wording"], row["rotation"], row["replicate"]


def _keep(names: dict[bytes, str], raw: bytes) -> str:
    """Decode a name, and remember it: each is in memory once, however many rows have it."""
    return names.setdefault(raw, raw.decode())


def _parsed(path: Path, number: int, line: bytes) -> tuple[tuple[str, str, int, int], str]:
    """Return key and status of a line whose head is not as we write it.

    Raises
    ------
    DataError
        It is no trial.
    """
    try:
        row = json.loads(line)
        return _key(row), row["status"]
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(
            f"A line of {path} is no trial.",
            found=f"line {number}: {line[:60].decode('utf-8', 'replace').strip()}",
            do="Remove that line: its trial is then asked again.",
        ) from error


def line_of(row: Mapping[str, Any]) -> bytes:
    """Return a row as one line of UTF-8 with its newline; a score that is not finite becomes null."""
    scores = row.get("scores")
    if scores is not None and not all(map(math.isfinite, scores)):
        row = {**row, "scores": [score if math.isfinite(score) else None for score in scores]}
    text = json.dumps(row, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode("utf-8", "replace") + b"\n"  # half a surrogate pair cannot be written


def whole_size(path: Path) -> int:
    """Return the length in bytes of the whole lines of a file: up to and with its last newline."""
    with path.open("rb") as file:
        end = file.seek(0, os.SEEK_END)
        while end:
            start = max(0, end - CHUNK)
            file.seek(start)
            place = file.read(end - start).rfind(b"\n")
            if place >= 0:
                return start + place + 1
            end = start
    return 0
