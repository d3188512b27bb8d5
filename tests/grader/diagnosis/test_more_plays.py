"""Tests of the stand-in for a submission that cannot be played again."""

from __future__ import annotations

from normgrade.compare.played import Result
from normgrade.diagnosis.more_plays import NoMorePlays
from normgrade.worker.wire.observation import Request


def test_submission_that_is_gone_gives_no_answers() -> None:
    results: list[Result] = []
    assert NoMorePlays().answers([Request("step", {})]) == [None] and NoMorePlays().first_wrong_step(results, "") is None
    assert [*NoMorePlays().recordings([Request("step", {})])] == []
    assert NoMorePlays().traced(results, lambda key: [], lambda members: "", []) == []
