"""Look at the installation."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from click_stats.doctor import Finding


def doctor() -> list[Finding]:
    """Return what is installed, and what each lack costs; see ``click-stats doctor``."""
    from click_stats.doctor import examine

    return examine()
