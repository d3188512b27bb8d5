"""Tests of the submissions in tests/grader/wild: they pass with all repairs made, and fail with any one deviation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path

import pytest
from thorough import EVERYTHING, all_or
from wild import FOLDER, Wild, repaired, wild_submissions

from normgrade.course.course import Course
from normgrade.course.package import carried
from normgrade.grading.grader import Grader
from normgrade.grading.grading_options import Options
from normgrade.grading.opening import open_grader
from normgrade.report.report import Outcome

SUBMISSIONS = tuple(wild_submissions())
ONE_OF_EACH = {wild.slug: wild for wild in SUBMISSIONS}.values()  # all of them take a quarter of an hour
PLAYED = SUBMISSIONS if EVERYTHING else all_or(4, ONE_OF_EACH)
NAMES = [f"{wild.slug}-{wild.name}" for wild in PLAYED]


@pytest.fixture(scope="module")
def grader(request: pytest.FixtureRequest, expectations: Path) -> Iterator[Grader]:
    """Yield a grader of one exercise: the expectations of all exercises at once would take much memory."""
    with open_grader([Course(carried()).exercise(request.param)], Options()) as grader:
        yield grader


def failed(grader: Grader, wild: Wild, source: str) -> Mapping[str, Outcome]:
    exercise = Course(carried()).exercise(wild.slug)
    results = grader.results(exercise, source, exercise.file_name)
    return {result.check.name: result.check.outcome for result in results if result.check.outcome is not Outcome.PASSED}


@pytest.mark.parametrize(("grader", "wild"), [(wild.slug, wild) for wild in PLAYED], indirect=["grader"], ids=NAMES)
def test_repaired_source_passes_and_each_deviation_fails(grader: Grader, wild: Wild) -> None:
    assert failed(grader, wild, wild.mended()) == {}
    unseen = [each.name or each.says for each in wild.deviations if not failed(grader, wild, wild.mended(each))]
    assert unseen == []


def test_corpus_is_large_and_tables_are_complete() -> None:
    assert len(SUBMISSIONS) >= 110 and {wild.slug for wild in SUBMISSIONS} == {*Course(carried()).slugs}
    assert all(2 <= len(wild.deviations) <= 7 for wild in SUBMISSIONS)
    assert sorted(FOLDER.glob("*/*.py")) == sorted(wild.path for wild in SUBMISSIONS)
    assert all(len(list(group)) == 1 for _source, group in groupby(sorted(wild.source for wild in SUBMISSIONS)))


def test_repairs_are_made_at_their_places() -> None:
    assert repaired("a = 1\nb\n", [(1, 5, "1", "2"), (2, 1, "", "c = 3\n"), (2, 1, "", "d\n")]) == "a = 2\nc = 3\nd\nb\n"
    with pytest.raises(ValueError, match="'2' does not stand at character 4"):
        repaired("a = 1\n", [(1, 5, "2", "3")])
