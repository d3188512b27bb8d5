"""The markers of hidden suites, and their registration with pytest."""

from __future__ import annotations

import pytest

MARKERS = (
    "kind(name): what a check of a hidden suite is about",
    "points(number): what it is worth",
    "courtesy: it is asked as well: it costs its points where it fails, and does not decide whether a submission passes",
    "hint(text, **others): what to tell a learner whose submission fails it, in English and in other languages",
)


def register(config: pytest.Config) -> None:
    """Register the markers of hidden suites with pytest."""
    for marker in MARKERS:
        config.addinivalue_line("markers", marker)
