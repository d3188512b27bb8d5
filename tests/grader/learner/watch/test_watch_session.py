"""A session of watching: its state after a save, and the effects of its keys."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from normgrade.course.course import Course
from normgrade.grading.grading_options import Options
from normgrade.learner.attempts import Attempts
from normgrade.learner.watch import watch_session
from normgrade.learner.watch.watch_session import Watching
from normgrade.report.report import Check, Kind, Outcome, Report
from normgrade.worker import interrupts

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


def test_save_ends_the_search_for_the_mistake(begin: Begin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch_session, "GLANCE_S", 0.0)
    watching = begin(of_rms(Outcome.FAILED))
    grader: Any = watching.grader
    grader.reports = [of_rms(Outcome.FAILED), of_rms(Outcome.PASSED)]
    grader.searching = lambda: (tmp_path / "rms.py").write_text(CODE + "# again", encoding="utf-8") if grader.reports else None
    watching.begin(1)
    watching.grade()
    assert watching.report == of_rms(Outcome.PASSED) and not watching.grading and watching.scores == [0, 8]
    assert interrupts.Interrupts.meanwhile is None and not watching.begin_if_saved()


def test_save_is_not_lost_if_something_swallows_the_exception(begin: Begin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch_session, "GLANCE_S", 0.0)
    watching = begin(of_rms(Outcome.FAILED))
    (tmp_path / "rms.py").write_text(CODE + "# again", encoding="utf-8")
    with pytest.raises(watch_session.Saved):
        watching.go_on()
    with pytest.raises(watch_session.Saved):
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
