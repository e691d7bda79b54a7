"""Fetches a dataset from the Hugging Face hub; needs the extra ``hub``."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

from click_stats.errors import DataError, MissingDependencyError

ID = re.compile(r"\w[\w.-]*/\w[\w.-]*(@[\w./-]+)?")
PATTERNS = ["*.parquet", "*.json", "*.jsonl", "*.csv"]
DESCRIPTIONS = ("dataset_infos.json", "dataset_info.json")
"""Files of a dataset's page that hold no items."""


def is_id(path: str) -> bool:
    """Whether a text that is no path on this machine may be an id on the hub: ``owner/name`` or ``...@revision``."""
    return ID.fullmatch(path) is not None


def fetch(name: str) -> Path:
    """Download a dataset's tables and return their folder.

    Raises
    ------
    MissingDependencyError
        ``huggingface_hub`` is not installed.
    DataError
        The dataset cannot be fetched.
    """
    try:
        hub = import_module("huggingface_hub")
    except ImportError as error:
        raise MissingDependencyError(
            f"{name} is no path here; fetching it from the Hugging Face hub needs huggingface_hub.",
            do="pip install 'click-stats[hub]', or hand over a folder or file.",
        ) from error
    repository, _, revision = name.partition("@")
    try:
        folder = hub.snapshot_download(
            repository,
            repo_type="dataset",
            revision=revision or None,
            allow_patterns=PATTERNS,
            ignore_patterns=list(DESCRIPTIONS),
        )
    except Exception as error:  # its errors have no common base: no network, no such dataset, no access
        raise DataError(
            f"The dataset {name} cannot be fetched from the Hugging Face hub.",
            found=f"{type(error).__name__}: {str(error).strip().splitlines()[0] if str(error).strip() else ''}",
            do="Check the id and the connection, or hand over a folder or file.",
        ) from error
    return Path(folder)
