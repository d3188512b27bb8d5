"""Options of a grading: what holds where a user has chosen nothing."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from normgrade.suite.grading_options import Options, silent
from normgrade.worker.walls import AUTO, TIERS


def test_nothing_has_to_be_chosen() -> None:
    options = Options()
    assert (options.seed, options.timeout_s, options.allow_stub) == (0, None, False)
    assert (options.tier, options.required) == (AUTO, TIERS[0])  # the strongest walls there are, and any will do
    assert options.progress is silent and silent("grading", 1, 2) is None  # type: ignore[func-returns-value]


def test_options_hold_for_a_whole_run() -> None:
    with pytest.raises(FrozenInstanceError):
        Options().seed = 1  # type: ignore[misc]
