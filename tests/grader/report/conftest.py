"""The environment of all tests of reports."""

from __future__ import annotations

import pytest

from normgrade.report.render.dialects import NEEDED


@pytest.fixture(autouse=True)
def in_a_runner_of_classroom50(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the variables that the format classroom50 needs."""
    for name in (*NEEDED, "OWNER"):
        monkeypatch.setenv(name, "submit/2026-02-02T09-30-00Z")
