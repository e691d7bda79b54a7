"""What a failed request means: one failure, a content filter, a setting to leave out, or the end of the run.

Works on the errors of both SDKs, which have one form: ``status_code``, ``body``, ``response``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from click_stats.errors import ClickStatsError, DataError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from click_stats.adapters.keys import Secret

LONGEST_WAIT = 120.0
"""Seconds that we wait when the server asks us to; the run ends when it asks for more."""
WAIT_STATUSES = {429, 503, 529}
"""Statuses with which a server asks for patience."""
FILTER_CODES = {"content_filter", "content_policy_violation", "invalid_prompt", "responsibleaipolicyviolation"}
FILTER_PHRASES = (
    "content filter",
    "content management policy",
    "filtering policy",
    "usage policies",
    "usage policy",
    "flagged_input",
)
NO_MONEY_CODES = {"insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "insufficient_balance"}
NO_MONEY_PHRASES = ("credit balance", "insufficient balance", "exceeded your current quota")
RESUME = "The same command goes on where this one stopped."


@dataclass(frozen=True)
class Place:
    """Where requests go, as messages name it."""

    service: str
    address: str
    model: str
    secret: Secret

    def say(self, text: Any, longest: int = 300) -> str:
        """Return a text from outside on one line, without keys and not too long."""
        line = self.secret.redact(" ".join(str(text).split()))
        return line if len(line) <= longest else line[: longest - 1] + "…"


def parts(error: Exception) -> tuple[int, str, str]:
    """Return status, code and message of an SDK's status error, whatever form the server gave it."""
    body = getattr(error, "body", None)
    inner = body.get("error", body) if isinstance(body, dict) else body
    if isinstance(inner, dict):
        # The more telling of the two: Anthropic has a type only, Azure an inner code.
        within = inner["innererror"] if isinstance(inner.get("innererror"), dict) else {}
        code = " ".join(str(value) for value in (inner.get("code"), inner.get("type"), within.get("code")) if value)
        message = str(inner.get("message") or inner.get("detail") or inner)
        if isinstance(inner.get("metadata"), dict):
            message = f"{message} {' '.join(inner['metadata'])}"
    else:
        code, message = "", "" if inner is None else str(inner)
    return int(getattr(error, "status_code", 0) or 0), code, message


def is_filter(error: Exception) -> bool:
    """Return whether a content filter refused the request (not a rate limit, and not to be tried again)."""
    status, code, message = parts(error)
    if status not in {400, 403, 422, 451}:
        return False
    # A 403 is about the account, unless it says which input was flagged.
    phrases = FILTER_PHRASES if status != 403 else ("flagged_input",)
    text = message.casefold()
    return bool(FILTER_CODES & set(code.casefold().split())) or any(phrase in text for phrase in phrases)


def rejected_setting(error: Exception, droppable: Iterable[str]) -> str | None:
    """Return which of the settings that we sent unasked the server rejects, if it is that."""
    status, _, message = parts(error)
    if status not in {400, 422}:
        return None
    named = f"{getattr(error, 'param', '') or ''} {message}"
    return next((name for name in droppable if name in named), None)


def fatal(error: Exception, place: Place, *, accepted: bool, models: Iterable[str] = ()) -> ClickStatsError | None:
    """Return the error that ends the run, or None when only this request has failed.

    Parameters
    ----------
    error
        A status error of an SDK.
    place
        Where the request went.
    accepted
        Whether the server has accepted any request of this run: if so, a rejected one is about its own text.
    models
        Models that the server offers, when known.
    """
    status, code, message = parts(error)
    found = place.say(f"HTTP {status}: {message}" if message else f"HTTP {status}")
    codes = set(code.casefold().split())
    where = f"{place.service} at {place.address}"
    if status == 402 or codes & NO_MONEY_CODES or any(phrase in message.casefold() for phrase in NO_MONEY_PHRASES):
        return DataError(f"{where} says that the account has no credit left.", found=found, do=f"Fill it up. {RESUME}")
    if status in {401, 403}:
        name = place.secret.name
        key = f"Check the key in {name}" if name else "Name the environment variable that holds a key: key_env"
        return UsageError(f"{where} does not let us in.", found=found, do=f"{key}, and what it may do.")
    if status == 404:
        offered = ", ".join(list(models)[:20])
        return UsageError(
            f"{where} has no model {place.model!r}, or the address is wrong.",
            found=f"{found}; models there: {offered}" if offered else found,
            do="Check the model's id and the address (for most servers it ends in /v1).",
        )
    if status in {405, 501}:
        return UsageError(f"{where} does not know this request.", found=found, do="Check the address.")
    if status in {400, 422} and not accepted:
        return UsageError(
            f"{where} rejects the first request.", found=found, do="Check the model and the settings in [generation]."
        )
    wait = retry_after(error.response.headers) if status in WAIT_STATUSES and hasattr(error, "response") else None
    if wait is not None and wait > LONGEST_WAIT:
        return DataError(f"{where} asks us to wait {wait:,.0f} seconds.", found=found, do=f"Wait. {RESUME}")
    return None


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds of a Retry-After header, None without one."""
    for name, divisor in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) / divisor
        except ValueError:
            continue
        if math.isfinite(seconds) and seconds > 0:
            return seconds
    try:
        date = parsedate_to_datetime(headers.get("retry-after", ""))
        seconds = (date - datetime.now(date.tzinfo)).total_seconds()
    except (ValueError, OverflowError):
        return None
    return seconds if seconds > 0 else None


def is_hopeless(text: str, seconds: float | None) -> bool:
    """Return whether trying again is of no use: the wait is too long, or the account is empty."""
    said = text.casefold()
    return (seconds is not None and seconds > LONGEST_WAIT) or any(
        words in said for words in (*NO_MONEY_CODES, *NO_MONEY_PHRASES)
    )


def no_server(place: Place, cause: Any) -> ClickStatsError:
    """Return the error for an address where nobody answers."""
    return UsageError(
        f"No server answers at {place.address}.",
        found=place.say(cause),
        do="Check the address and that the server is running.",
    )


def no_api(place: Place, text: str) -> ClickStatsError:
    """Return the error for an address where something else than the API answers."""
    kind = "a web page" if is_page(text) else "something that is not JSON"
    return UsageError(
        f"{place.address} answers with {kind}, not as the API of {place.service}.",
        found=place.say(text, 120) or "an empty answer",
        do="Check the address (for most servers it ends in /v1).",
    )


def is_page(text: str) -> bool:
    """Return whether a text is HTML."""
    return text.lstrip()[:200].casefold().startswith(("<!doctype html", "<html", "<head", "<body"))
