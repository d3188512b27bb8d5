"""Tests of error messages for beginners: the exception with the probable intention, the place in their line, the usual cause."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from textwrap import indent
from typing import Any

import pytest

from normgrade.compare.played import Result
from normgrade.course.course import Course
from normgrade.course.exercise import Exercise, Limits
from normgrade.grading.grader import Grader
from normgrade.grading.grading_options import Options
from normgrade.grading.opening import open_grader
from normgrade.language import ENGLISH, LANGUAGES, speak
from normgrade.remarks.crash import told
from normgrade.report.report import Outcome, Raised

FOLDER = Path(__file__).parents[1] / "fixtures" / "beginners"
FIRST = "        mean = x.mean(self.dims, keepdim=True)\n"  # the first line of the layer norm's `forward`


def read_drafts() -> dict[str, dict[str, Any]]:
    """Return the drafts by name, with all their keys."""
    drafts = tomllib.loads((FOLDER / "drafts.toml").read_text(encoding="utf-8"))
    for draft in drafts.values():
        if "first" in draft:
            draft |= {"old": FIRST, "new": indent(draft["first"] + "\n", " " * 8) + FIRST}
    return {name: {"exercise": "layer_norm", "advice": "", **draft} for name, draft in drafts.items()}


DRAFTS = read_drafts()
EXERCISES = sorted({draft["exercise"] for draft in DRAFTS.values()})
CODE = re.compile("`[^`]*`")
CHINESE = re.compile("[\u4e00-\u9fff]")


def source_of(draft: Mapping[str, Any]) -> str:
    right = (FOLDER / f"{draft['exercise']}.py").read_text(encoding="utf-8")
    assert right.count(draft["old"]) == 1
    return right.replace(draft["old"], draft["new"])


@pytest.fixture(scope="module")
def grader() -> Iterator[Grader]:
    course = Course.find()
    with open_grader([course.exercise(slug) for slug in EXERCISES], Options()) as grader:
        yield grader


def tell(result: Result, exercise: Exercise, source: str, language: str) -> Raised | None:
    """Return the exception that a result reports, with its texts in a language."""
    speak(language)
    try:
        return told(result.check, result, exercise, source).raised
    finally:
        speak(ENGLISH)


@pytest.fixture(scope="module", params=DRAFTS)
def raised(grader: Grader, request: pytest.FixtureRequest) -> Mapping[str, Raised | None]:
    """Return, by language, the exception of the first failed check that reports one for a draft."""
    draft = DRAFTS[request.param]
    exercise, source = Course.find().exercise(draft["exercise"]), source_of(draft)
    if "answer_s" in draft:
        exercise = replace(exercise, limits=Limits(answer_s=draft["answer_s"]))
    results = (result for result in grader.results(exercise, source, exercise.file_name) if result.check.outcome is Outcome.FAILED)
    result = next(result for result in results if tell(result, exercise, source, ENGLISH))
    return {language: tell(result, exercise, source, language) for language in LANGUAGES}


def test_error_has_its_place_and_cause(raised: Mapping[str, Raised], request: pytest.FixtureRequest) -> None:
    draft, english = DRAFTS[request.node.callspec.params["raised"]], raised[ENGLISH]
    marked = english.text[max(english.column - 1, 0) :][: english.width]
    assert draft["said"] in english.said and draft["marked"] in marked and draft["advice"] in english.advice, english
    assert english.text == (source_of(draft).split("\n")[english.line - 1] if english.line else "")
    assert "\n" not in english.said and len(english.advice) <= 160


@pytest.mark.parametrize("language", [*LANGUAGES][1:])
def test_every_language_tells_the_same(raised: Mapping[str, Raised], language: str) -> None:
    english, other = raised[ENGLISH], raised[language]
    assert replace(other, said="", advice="") == replace(english, said="", advice="")
    assert sorted(CODE.findall(other.advice)) == sorted(CODE.findall(english.advice))
    assert bool(CHINESE.search(other.advice)) == bool(english.advice)


def test_the_code_that_is_edited_is_right(grader: Grader) -> None:
    """The sources that the drafts edit pass the first check and raise nothing."""
    course = Course.find()
    for slug in EXERCISES:
        exercise, source = course.exercise(slug), (FOLDER / f"{slug}.py").read_text(encoding="utf-8")
        first = next(grader.results(exercise, source, exercise.file_name))
        assert (first.check.outcome, tell(first, exercise, source, ENGLISH)) == (Outcome.PASSED, None)
