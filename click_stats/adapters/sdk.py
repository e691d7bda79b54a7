"""The services' own packages: loaded when an adapter is made, and what their errors hide."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import ValidationError

from click_stats.adapters.limits import Limits
from click_stats.errors import MissingDependencyError, UsageError

if TYPE_CHECKING:
    from click_stats.adapters.backend import Backend

L = TypeVar("L", bound=Limits)


def load(name: str) -> Any:
    """Return an SDK's module.

    Raises
    ------
    MissingDependencyError
        It is not installed.
    """
    try:
        return import_module(name)
    except ImportError as error:
        raise MissingDependencyError(
            f"The package {name} is missing.",
            found=f"{type(error).__name__}: {error}",
            do="Install it: pip install 'click-stats[api]'",
        ) from error


def read_options(form: type[L], backend: Backend) -> L:
    """Return the backend's options in the adapter's form.

    Raises
    ------
    UsageError
        An option is unknown or its value is wrong. Values are not shown: one might be a key.
    """
    try:
        return form.model_validate(backend.options)
    except ValidationError as error:
        wrong = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors())
        known = ", ".join(form.model_fields)
        raise UsageError(
            f"The options of the backend {backend.name} have a wrong form.", found=wrong, do=f"Known options: {known}."
        ) from None


def cause(error: Exception) -> str:
    """Return the innermost reason of a connection error; the SDKs say "Connection error." only."""
    inner: BaseException = error
    while (next_one := inner.__cause__ or inner.__context__) is not None:
        inner = next_one
    return f"{type(inner).__name__}: {inner}" if str(inner) else type(inner).__name__
