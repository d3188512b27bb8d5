"""The state of watch: saves are noticed once, gradings follow, and what has changed is told."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from normgrade.course.course import Course
from normgrade.grading.grading_options import Options
from normgrade.learner import watching as watching_module
from normgrade.learner.standing import Attempts
from normgrade.learner.watching import Watched, Watching, change_in_words
from normgrade.report.report import Check, Diagnosis, Kind, Outcome, Report
from normgrade.worker import interrupts

# Saves


def test_an_existing_file_is_noticed_at_first(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("1")
    watched = Watched(path)
    assert watched.saved() and not watched.saved()


def test_every_way_of_saving_is_noticed_once(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    watched = Watched(path)
    assert watched.saved() and not watched.saved()  # the file does not exist
    path.write_text("1")
    assert watched.saved() and not watched.saved()
    (tmp_path / "b.py").write_text("2")
    os.replace(tmp_path / "b.py", path)
    assert watched.saved() and not watched.saved()
    path.unlink()
    assert watched.saved() and not watched.saved()


def test_an_unfinished_save_is_not_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.py"
    path.write_text("")
    watched = Watched(path)
    monkeypatch.setattr(time, "sleep", lambda seconds: path.write_text("the rest") and None)
    assert not watched.saved()  # it grew during the waiting time
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    assert watched.saved() and not watched.saved()


# The session


HINT = "Average over the last dimension."
CODE = "def rms(x, eps=1e-5):\n    return x\n"


def of_rms(outcome: Outcome) -> Report:
    checks = (Check("test_rows[shape0]", "Claim.", Kind.FORMULA, outcome, 8, hint=HINT),)
    return Report("rms", "rms.py", outcome, 8, "linux", 0, 0.1, checks=checks)


def suites() -> dict[str, Any]:
    return {"rms": SimpleNamespace(names=("test_rows[shape0]", "test_alone"))}


@dataclass
class Grader:
    """A grader that returns the given reports, and reports each of their checks. `seeds` are those of all gradings."""

    reports: list[Report]
    options: Options = field(default_factory=Options)
    suites: dict[str, Any] = field(default_factory=suites)
    seeds: list[int] = field(default_factory=list)
    searching: Callable[[], object] | None = None  # called while the mistake is looked for

    def report_on(self, submission: object, inspection: object, on_event: Callable[[Check | Report], None]) -> Report:
        self.seeds.append(self.options.seed)
        report = self.reports.pop(0)
        for check in report.checks:
            on_event(check)
        on_event(report)
        if self.searching is not None:
            self.searching()
            interrupts.raise_again()
        return report


Begin = Callable[..., Watching]


@pytest.fixture
def begin(tiny: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Begin:
    """Return a function that watches rms in a workspace, after a save and a grading for each of these reports."""
    (tmp_path / "normgrade.toml").touch()
    monkeypatch.chdir(tmp_path)

    def begun(*reports: Report) -> Watching:
        grader: Any = Grader([*reports])
        monkeypatch.setattr("normgrade.grading.reporting.report_on", Grader.report_on)
        watching = Watching(grader, tiny, tiny.exercise("rms"))
        for number in range(len(reports)):
            (tmp_path / "rms.py").write_text(CODE + "#" * number, encoding="utf-8")
            assert watching.begin_if_saved()
            watching.grade()
        return watching

    return begun


def test_a_save_updates_report_checks_and_scores(begin: Begin, tmp_path: Path) -> None:
    watching = begin(of_rms(Outcome.FAILED), of_rms(Outcome.PASSED))
    assert watching.report == of_rms(Outcome.PASSED) and not watching.grading and watching.note == ""
    assert watching.scores == [0, 8]
    assert {name: check and check.outcome for name, check in watching.checks.items()} == {
        "test_rows[shape0]": Outcome.PASSED,
        "test_alone": None,
    }
    assert [attempt.earned for attempt in Attempts(tmp_path / ".normgrade/progress.db").attempts("rms")] == [0, 8]


def test_save_ends_the_search_for_the_mistake(begin: Begin, tmp_path: Path) -> None:
    watching = begin(of_rms(Outcome.FAILED))
    grader: Any = watching.grader
    grader.reports = [of_rms(Outcome.FAILED), of_rms(Outcome.PASSED)]
    grader.searching = lambda: (tmp_path / "rms.py").write_text(CODE + "# again", encoding="utf-8") if grader.reports else None
    watching.begin(1)
    watching.grade()
    assert watching.report == of_rms(Outcome.PASSED) and not watching.grading and watching.scores == [0, 8]
    assert interrupts.Interrupts.meanwhile is None and not watching.begin_if_saved()


def test_save_is_not_lost_if_something_swallows_the_exception(begin: Begin, tmp_path: Path) -> None:
    watching = begin(of_rms(Outcome.FAILED))
    (tmp_path / "rms.py").write_text(CODE + "# again", encoding="utf-8")
    with pytest.raises(watching_module.Saved):
        watching.go_on()
    with pytest.raises(watching_module.Saved):
        watching.go_on()


def test_changes_since_the_last_save_are_told(begin: Begin) -> None:
    assert begin(of_rms(Outcome.FAILED)).changed == ""
    assert begin(of_rms(Outcome.FAILED), of_rms(Outcome.PASSED)).changed == "+8 points: now hold: formula (1)"


def test_lines_after_a_pass_end_with_the_next_save(begin: Begin, tmp_path: Path) -> None:
    watching = begin(of_rms(Outcome.FAILED), of_rms(Outcome.PASSED))
    assert watching.afterwards[0] == "Passed after 2 attempts."
    assert not any("centring" in line for line in watching.afterwards)
    (tmp_path / "rms.py").write_text(CODE + "###", encoding="utf-8")
    assert watching.begin_if_saved() and watching.afterwards == []


def test_an_unplayable_file_is_not_compared(begin: Begin, tmp_path: Path) -> None:
    watching = begin(of_rms(Outcome.FAILED))
    unplayable, passed = Report("rms", "rms.py", Outcome.FAILED, 8, "none", 0, 0.1), of_rms(Outcome.PASSED)
    for number, (code, report) in enumerate((("def rms(x,", unplayable), (CODE + "#", passed))):
        watching.grader.reports.append(report)  # type: ignore[attr-defined]
        (tmp_path / "rms.py").write_text(code, encoding="utf-8")
        assert watching.begin_if_saved() and watching.changed == ""
        watching.grade()
        assert watching.scores == [0, 8][: number + 1]
    assert watching.changed == "+8 points: now hold: formula (1)"


def test_other_inputs_are_graded_and_not_compared(begin: Begin, tmp_path: Path) -> None:
    watching = begin(of_rms(Outcome.FAILED))
    watching.grader.reports += [of_rms(Outcome.PASSED), of_rms(Outcome.FAILED)]  # type: ignore[attr-defined]
    watching.begin(7)
    assert (watching.report, watching.grading) == (None, True)
    watching.grade()
    assert watching.grader.options.seed == 0 and watching.grader.seeds == [0, 7]  # type: ignore[attr-defined]
    assert (watching.changed, watching.scores) == ("", [0])
    (tmp_path / "rms.py").write_text(CODE + "#", encoding="utf-8")
    assert watching.begin_if_saved()
    watching.grade()
    assert watching.grader.seeds == [0, 7, 0]  # type: ignore[attr-defined]
    assert (watching.changed, watching.scores) == ("No claim has changed since the last save.", [0, 0])


def test_a_listener_is_told_the_progress(begin: Begin) -> None:
    watching, heard = begin(), []
    watching.listen(lambda: None, lambda *progress: heard.append(progress))
    watching.grader.options.progress("a table", 1, 2)
    watching.next().grader.options.progress("a table", 2, 2)
    assert heard == [("a table", 1, 2), ("a table", 2, 2)]


def test_a_listener_is_told_every_event(begin: Begin, tmp_path: Path) -> None:
    watching, drawn = begin(), []
    watching.grader.reports.append(of_rms(Outcome.FAILED))  # type: ignore[attr-defined]
    watching.on_change = lambda: drawn.append((watching.report, [each.outcome for each in watching.checks.values() if each]))
    (tmp_path / "rms.py").write_text(CODE, encoding="utf-8")
    assert watching.begin_if_saved()
    watching.grade()
    assert drawn == [(None, []), (None, [Outcome.FAILED]), (of_rms(Outcome.FAILED), [Outcome.FAILED])]


def test_without_a_save_nothing_is_graded(begin: Begin) -> None:
    assert not begin(of_rms(Outcome.FAILED)).begin_if_saved()


def test_a_failure_to_record_is_a_note(begin: Begin, tmp_path: Path) -> None:
    (tmp_path / ".normgrade").write_text("in the way", encoding="utf-8")
    watching = begin(of_rms(Outcome.PASSED))
    assert watching.report == of_rms(Outcome.PASSED) and watching.note.startswith('The attempts in "')


def test_hints_come_one_by_one_until_there_are_none(begin: Begin) -> None:
    watching = begin(of_rms(Outcome.FAILED))
    assert watching.next_hint() == f"Hint: About the first failure of your last check: {HINT}"
    assert watching.next_hint() == "Hint: Square, average, take the root."
    assert watching.next_hint() == "There are no more hints."
    assert begin(of_rms(Outcome.PASSED)).next_hint() == "The exercise has passed, so there are no hints."


def test_next_and_back_keep_their_exercises(begin: Begin) -> None:
    watching = begin(of_rms(Outcome.PASSED))
    assert watching.following is not None and watching.following.slug == "centring"
    other = watching.next()
    assert (other.exercise.slug, other.report) == ("centring", None)
    assert other.back().exercise.slug == "rms"
    assert other.next() is other and other.note == "There is no other exercise to continue with."
    assert watching.back() is watching and watching.note == "No exercise was watched before this one."


# Changes


POINTS = {"rows": 3, "shape": 2, "half": 1, "double": 1}
KINDS = {"rows": Kind.FORMULA, "shape": Kind.EDGE, "half": Kind.PRECISION, "double": Kind.PRECISION}


def report(failing: str = "", mistakes: str = "", or_else: str = "", unexplained: str = "") -> Report:
    """Return a report in which these claims fail. `mistakes`, or alternatively those of `or_else`, explain all but the unexplained ones."""
    checks = tuple(
        Check(f"test_{name}[a]", f"{name} holds.", KINDS[name], Outcome.FAILED if name in failing.split() else Outcome.PASSED, POINTS[name])
        for name in KINDS
    )
    left = tuple(f"test_{name}[a]" for name in unexplained.split())
    explained = tuple(each.name for each in checks if each.outcome is Outcome.FAILED and each.name not in left)
    diagnoses = tuple(Diagnosis(tuple(names.split()), "Mend it.", explained) for names in (mistakes, or_else) if names)
    outcome = Outcome.FAILED if failing else Outcome.PASSED
    return Report("rms", "rms.py", outcome, 7, "linux", 0, 0.1, checks=checks, diagnoses=diagnoses, unexplained=left)


ALL = " ".join(KINDS)


@pytest.mark.parametrize(
    ("before", "now", "said"),
    [
        (report("rows half", "a"), report("half", "b"), "+3 points: a is gone; b is new; still open: precision (1)"),
        (report("half double", "a b"), report(), "+2 points: a, b are gone"),
        (report(), report("half", "no-upcast"), "−1 point: no-upcast is new"),
        (report("shape", "a"), report("half double", "a"), "now hold: edge (1); no longer hold: precision (2)"),
        (report(ALL), report("half double"), "+5 points: now hold: formula (1), edge (1); still open: precision (2)"),
        (report("half", "a"), report("half", "a"), "No claim has changed since the last save."),
        (report(), report(), "No claim has changed since the last save."),
    ],
)  # fmt: skip
def test_points_mistakes_or_claims_and_the_rest_are_told(before: Report, now: Report, said: str) -> None:
    assert change_in_words(before, now) == said


def test_a_mistake_is_gone_if_all_its_claims_hold() -> None:
    before = report("rows half", "a", unexplained="half")
    assert change_in_words(before, report("half")) == "+3 points: a is gone; still open: precision (1)"
    assert change_in_words(report("half"), before) == "−3 points: a is new; still open: precision (1)"


@pytest.mark.parametrize(("before", "now"), [(report("rows shape", "a"), report("rows")), (report("rows shape"), report("rows", "a"))])
def test_a_mistake_named_once_may_be_in_both_reports(before: Report, now: Report) -> None:
    assert change_in_words(before, now) == "+2 points: now hold: edge (1); still open: formula (1)"


def test_alternatives_are_neither_gone_nor_new() -> None:
    assert (
        change_in_words(report("rows shape", "a", "b"), report("rows", "b", "a"))
        == "+2 points: now hold: edge (1); still open: formula (1)"
    )
