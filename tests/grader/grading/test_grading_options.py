"""Tests of the options of a grading and their defaults."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from normgrade.grading.grading_options import Options, silent
from normgrade.worker.walls import AUTO, TIERS


def test_every_option_has_a_default() -> None:
    options = Options()
    assert (options.seed, options.timeout_s, options.allow_stub) == (0, None, False)
    assert (options.tier, options.required) == (AUTO, TIERS[0])  # the strongest walls available; any tier is accepted
    assert options.progress is silent and silent("grading", 1, 2) is None  # type: ignore[func-returns-value]


def test_options_are_immutable() -> None:
    with pytest.raises(FrozenInstanceError):
        Options().seed = 1  # type: ignore[misc]
