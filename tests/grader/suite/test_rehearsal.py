"""A rehearsal: every test of a suite runs on the reference's own answers, without any submission."""

from __future__ import annotations

from pathlib import Path

import pytest

from normgrade.compare.differences import differences
from normgrade.course.course import Course
from normgrade.course.files import read_text
from normgrade.oracle.cache import Cache
from normgrade.oracle.expectation import Oracle
from normgrade.oracle.kept import request_key
from normgrade.suite.collection import collect
from normgrade.suite.rehearsal import rehearsed
from normgrade.suite.run import Run
from normgrade.worker.observation import Observation, Playable


class Refusing:
    """A submission that has nothing right."""

    def play(self, request: Playable, size_limit_bytes: int) -> Observation:
        return Observation({})


@pytest.mark.parametrize("slug", ["rms", "centring"])
def test_every_test_comes_to_its_end_and_agrees_with_itself(slug: str, tiny: Course, expectations: Path) -> None:
    exercise = tiny.exercise(slug)
    suite, oracle = (
        collect([exercise])[slug],
        Oracle(Cache(expectations, bytes(32)), read_text(exercise.probes) if exercise.probes else None),
    )
    plays = dict(rehearsed(suite, oracle, exercise, read_text(exercise.reference), 0))
    assert [*plays] == [*suite.names] and all(plays.values())
    assert not any(differences(play.observation, play.expectation) for each in plays.values() for play in each)
    for play in (play for each in plays.values() for play in each):
        assert (play.observation.error is None) == (play.refusal is None)


def test_the_plays_are_those_that_a_submission_meets(tiny: Course, expectations: Path) -> None:
    exercise = tiny.exercise("centring")
    suite, oracle = collect([exercise])["centring"], Oracle(Cache(expectations, bytes(32)), None)
    reference = read_text(exercise.reference)
    plays = dict(rehearsed(suite, oracle, exercise, reference, 7))
    results = Run(Refusing(), oracle, exercise, reference, 7).results(suite)
    for result in results:
        for met, rehearsal in zip(result.plays, plays[result.check.name], strict=False):
            assert request_key(met.expectation.request) == request_key(rehearsal.expectation.request)
