"""Tests of annotations and summaries of proofs."""

from __future__ import annotations

import shutil
from collections.abc import Callable

import pytest

from normgrade.course.course import Course
from normgrade.report.report import Check, Kind, Outcome, Report
from normgrade.verify.on_github import annotated, summary

EditedCourse = Callable[..., Course]


def proof(name: str, message: str = "", outcome: Outcome = Outcome.FAILED, points: int = 1) -> Check:
    return Check(name, f"The claim of {name}.", Kind.PROOF, outcome, points, message=message)


def report(exercise: str, *checks: Check) -> Report:
    failed = any(check.outcome is Outcome.FAILED for check in checks)
    outcome = Outcome.FAILED if failed else Outcome.PASSED
    return Report(exercise, f"solutions/{exercise}", outcome, possible=9, sandbox="none", seed=0, duration_s=0.0, checks=checks)


@pytest.fixture
def course(edited_course: EditedCourse, tmp_path_factory: pytest.TempPathFactory) -> Course:
    """Return a course in a folder of a repository."""
    repository = tmp_path_factory.mktemp("repository")
    (repository / ".git").mkdir()
    return Course(shutil.copytree(edited_course({}).root, repository / "week"))


def test_annotations_name_files_from_the_root_of_the_repository(course: Course) -> None:
    found = annotated([report("rms", proof("named", "no-upcast, seed 0: not recognised."))], course)
    assert found == [
        "::error file=week/solutions/rms/mistakes.toml,line=13,title=rms · The claim of named.::no-upcast, seed 0: not recognised."
    ]


def test_every_report_has_its_turn(course: Course) -> None:
    many = [proof(name, "It is wrong.") for name in ("contract", "points", "right")]
    found = annotated([report("rms", *many), report("centring", proof("stub", "It passes."))], course)
    assert [line.partition("title=")[2].partition("::")[0] for line in found] == [
        "rms · The claim of contract.",
        "centring · The claim of stub.",
        "rms · The claim of points.",
        "rms · The claim of right.",
    ]


def test_ten_errors_are_annotated(course: Course) -> None:
    reports = [report("rms", proof("stub", "It passes.")) for _time in range(12)]
    first, *errors = annotated(reports, course)
    assert (first, len(errors)) == ("::notice::2 more annotations are not shown.", 10)


def test_proved_course_has_no_annotation(course: Course) -> None:
    assert annotated([report("rms", proof("stub", outcome=Outcome.PASSED))], course) == []


def test_summary_counts_and_folds(course: Course) -> None:
    right = proof("stub", outcome=Outcome.PASSED)
    undecided = proof("named", "undecided: the reference itself fails", Outcome.SKIPPED)
    unshipped = proof("shipped", "Missing: spreads.xz.", Outcome.SKIPPED, points=0)
    reports = [report("rms", right, undecided, unshipped, proof("right", "a < b\n<b>")), report("a|b", right)]
    assert "".join(summary(reports)) == (
        "| exercise | proved | failed | undecided |\n|---|--:|--:|--:|\n| ✗ rms | 1 | 1 | 1 |\n| ✓ a&#124;b | 1 | 0 | 0 |\n\n"
        "<details><summary>rms&#58; 2 claims are not proved</summary>\n\n"
        "– The claim of named&#46;\n\n<pre>undecided: the reference itself fails</pre>\n\n"
        "✗ The claim of right&#46;\n\n<pre>a &lt; b\n&lt;b&gt;</pre>\n\n"
        "</details>\n\n"
    )
