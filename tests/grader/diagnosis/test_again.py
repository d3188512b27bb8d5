"""Tests of the stand-in for a submission that cannot be played again."""

from __future__ import annotations

from normgrade.compare.played import Result
from normgrade.diagnosis.again import Never
from normgrade.worker.wire.observation import Request


def test_submission_that_is_gone_gives_no_answers() -> None:
    results: list[Result] = []
    assert Never().answers([Request("step", {})]) == [None] and Never().first_wrong_step(results, "") is None
    assert Never().traced(results, lambda key: [], lambda members: "", []) == []
