"""Situations: what is derived from the typical uses of a suite, and that each is played where it makes sense."""

from __future__ import annotations

from dataclasses import replace

import pytest

from normgrade.course.course import Course, carried
from normgrade.course.package import PACKAGE
from normgrade.language.docstring import first_paragraph_in
from normgrade.language.errors import CourseError
from normgrade.suite.collection import collect, derived
from normgrade.suite.situations import PREFIX, SITUATIONS

EXERCISES = list(Course(carried()))


def test_every_situation_makes_a_claim_and_gives_a_hint_in_both_languages() -> None:
    for situation in SITUATIONS.values():
        docstring = situation.play.__doc__
        assert all(first_paragraph_in(docstring, language) for language in ("en", "zh")), situation.name
        assert situation.hints.keys() == {"en", "zh"} and all(situation.hints.values())


def test_an_exercise_plays_what_it_does_not_leave_out() -> None:
    suites = collect(EXERCISES)
    for exercise in EXERCISES:
        played = [name.removeprefix(PREFIX) for name in suites[exercise.slug].names if name.startswith(PREFIX)]
        assert played == [name for name, each in SITUATIONS.items() if not exercise.leaves_out(*each.called)]
        assert all(exercise.left_out.values())


def test_without_typical_uses_there_is_no_situation(tiny: Course) -> None:
    assert not [name for name in collect([tiny.exercise("rms")])["rms"].names if name.startswith(PREFIX)]


def test_a_situation_that_does_not_exist_cannot_be_left_out(tiny: Course) -> None:
    exercise = replace(tiny.exercise("rms"), left_out={"at_night": "it is dark"})
    with pytest.raises(CourseError, match='rms: there is no situation "at_night"; there is as_built, without_gradients, '):
        derived(exercise, None)


def test_the_module_holds_nothing_of_one_exercise() -> None:
    source = (PACKAGE / "suite" / "situations.py").read_text(encoding="utf-8")
    assert [exercise.slug for exercise in EXERCISES if exercise.slug in source] == []
