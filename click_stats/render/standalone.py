"""Html files that stand alone: data inside the page, and a policy that lets nothing else in."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any

_HTML_SIGNS = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}
"""Signs that could end the data's element, or a line of JavaScript, written as JSON may write them."""


def policy(style: str, script: str) -> str:
    """Return a content security policy that allows this style sheet and this script, by their digests, and no more."""
    return "; ".join(
        [
            "default-src 'none'",
            f"script-src '{_digest(script)}'",
            f"style-src '{_digest(style)}'",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )


def in_html(data: Any) -> str:
    """Return data as JSON that may stand inside a script element: no sign of it can end the element."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.translate(_HTML_SIGNS)


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
