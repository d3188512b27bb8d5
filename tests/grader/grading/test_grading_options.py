"""Tests of the options of a grading and their defaults."""

from __future__ import annotations

import os

import pytest

from normgrade.grading import grading_options


@pytest.mark.parametrize(("wanted", "cores", "longer"), [(0.5, 2, 1.0), (2.0, 2, 1.0), (3.0, 2, 1.5), (99.0, 2, 3.0)])
def test_crowding_is_between_one_and_three(wanted: float, cores: int, longer: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getloadavg", lambda: (wanted, 0.0, 0.0), raising=False)
    monkeypatch.setattr(grading_options, "available", lambda: cores)
    assert grading_options.crowding() == longer


def test_a_machine_that_tells_no_load_is_not_crowded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "getloadavg", raising=False)
    assert grading_options.crowding() == 1.0
