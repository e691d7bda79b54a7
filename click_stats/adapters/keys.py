"""Keys and addresses of servers: keys come from the environment only, and appear in no text of ours."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from click_stats.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

HIDDEN = "[key]"
# Keys as services write them, also half masked ("sk-proj-****abcd"): a server may quote another one than ours.
KEY_LIKE = re.compile(r"\b(?:(?:sk|pk|key|hf|gsk|xai|nvapi)[-_]|AIza|eyJ)[A-Za-z0-9*._\-]{8,}")


class Secret:
    """A key that does not show when it is printed, logged or formatted."""

    def __init__(self, value: str, name: str = "") -> None:
        self._value = value
        self.name = name

    def __repr__(self) -> str:
        return f"Secret({self.name or 'none'})"

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("a key is not written to files")

    def reveal(self) -> str:
        """Return the key itself, for the client that sends it."""
        return self._value

    def redact(self, text: str) -> str:
        """Return the text without this key and without anything that looks like one."""
        if len(self._value) > 3:
            text = text.replace(self._value, HIDDEN)
        return KEY_LIKE.sub(HIDDEN, text)


def read_key(name: str, environment: Mapping[str, str] | None = None) -> Secret:
    """Return the key that stands in the environment variable ``name``.

    Raises
    ------
    UsageError
        It is not set, or holds what cannot be sent in a header. The value is not shown.
    """
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        raise UsageError(
            "key_env holds no name of an environment variable.",
            found="something else, which is not shown because it may be a key",
            do="Write the variable's name there, e.g. OPENAI_API_KEY, and set the variable to the key.",
        )
    value = (os.environ if environment is None else environment).get(name, "").strip()
    if not value:
        raise UsageError(
            "There is no key for the API.",
            found=f"the environment variable {name} is not set",
            do=f"Set it: export {name}=..., or name another variable with the option key_env.",
        )
    if not (value.isascii() and value.isprintable()) or " " in value:
        raise UsageError(
            f"The key in {name} cannot be one.",
            found="blanks, line breaks or letters outside ASCII (the value is not shown)",
            do=f"Set {name} to the key alone.",
        )
    return Secret(value, name)


def check_address(address: str) -> str:
    """Return the base URL without a slash at its end.

    Raises
    ------
    UsageError
        It is no http(s) URL, or carries a password or a query, which would be written to the manifest.
    """
    example = "Write it like http://localhost:8000/v1."
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise UsageError("The address is no URL.", found="a malformed host or port", do=example) from None
    if parts.username or parts.password or parts.query or "@" in parts.netloc:
        raise UsageError(
            "The address carries a user, a password or a query.",
            found=f"{parts.scheme}://...{parts.path}",
            do="Leave them out, and name the environment variable of the key with the option key_env.",
        )
    if parts.scheme not in {"http", "https"} or not host:
        raise UsageError("The address is no URL of a server.", found=repr(address), do=example)
    return address.rstrip("/")
