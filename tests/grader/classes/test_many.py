"""Tests of `normgrade.grade_many`: reports come as they are known, from any iterable."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from tiny_class import RIGHT, source_of

import normgrade
from normgrade.classes.pool import Graded, Work
from normgrade.course.course import Course
from normgrade.language.errors import GraderError, UsageError


def test_reports_come_from_a_generator(tiny: Course, expectations: None) -> None:
    kinds = {"a": RIGHT, "b": "momentum-flipped"}
    answers = (normgrade.Answer("centring", source_of(tiny, "centring", kind), name) for name, kind in kinds.items())
    with ThreadPoolExecutor(1) as executor:
        reports = {each["submission"]: each for each in normgrade.grade_many(answers, course=tiny.root, executor=executor)}
    assert {name: each["outcome"] for name, each in reports.items()} == {"a": "passed", "b": "failed"}
    assert reports["b"]["diagnoses"][0]["mistakes"] == ["momentum-flipped"]


def test_reports_come_from_processes(tiny: Course, expectations: None) -> None:
    [report] = normgrade.grade_many([normgrade.Answer("rms", source_of(tiny, "rms", RIGHT))], course=str(tiny.root), cores=1)
    assert (report["submission"], report["outcome"]) == ("answer", "passed")


def test_unknown_exercise_is_an_error(tiny: Course) -> None:
    with ThreadPoolExecutor(1) as executor, pytest.raises(UsageError, match=r'No exercise named "rsm"\. Did you mean "rms"'):
        list(normgrade.grade_many([normgrade.Answer("rsm", "")], course=tiny.root, executor=executor))


def test_broken_grader_is_an_error() -> None:
    with pytest.raises(GraderError, match="a: no memory"):
        from normgrade.classes.many import report_of

        report_of(Graded(Work("rms", b"", "a"), "", "no memory"))


def test_package_has_no_other_names() -> None:
    with pytest.raises(AttributeError, match="module 'normgrade' has no attribute 'grade_all'"):
        getattr(normgrade, "grade_all")  # noqa: B009
