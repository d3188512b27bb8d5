"""Errors: the suggestion for an unknown name, and the exit codes."""

from __future__ import annotations

import pytest

from normgrade.language.errors import CourseError, GraderError, UsageError, did_you_mean, either, listed


@pytest.mark.parametrize(
    ("name", "question"),
    [("lyer_norm", ' Did you mean "layer_norm"?'), ("rms", ' Did you mean "rms"?'), ("xyz", ""), ("", "")],
)
def test_the_nearest_known_name_is_suggested(name: str, question: str) -> None:
    assert did_you_mean(name, ["layer_norm", "rms"]) == question


def test_nothing_is_suggested_without_known_names() -> None:
    assert did_you_mean("rms", ()) == ""


def test_a_choice_names_all() -> None:
    assert either(["en", "zh"]) == "en or zh" and either(["en"]) == "en"


def test_words_are_listed_with_and() -> None:
    assert [listed("2"), listed("23"), listed("235")] == ["2", "2 and 3", "2, 3 and 5"]


def test_a_wrong_course_is_wrong_usage() -> None:
    with pytest.raises(UsageError):
        raise CourseError("this course is broken.")


@pytest.mark.parametrize("error", [UsageError, CourseError, GraderError])
def test_ipython_shows_one_line_instead_of_a_traceback(error: type[UsageError]) -> None:
    assert error("No such thing.")._render_traceback_() == [f"{error.__name__}: No such thing."]
