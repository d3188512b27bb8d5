"""The grader as the harness uses it: opened once, with time limits of the harness's own for every grading."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from normgrade.course.course import Exercise, Limits
from normgrade.grade import Desk, Options, Submission, at_desk
from normgrade.inspection.inspection import inspect_file
from normgrade.report.report import Outcome, Report
from normgrade.worker.launch import Zygote

T = TypeVar("T")


class Grading:
    """Grades files for one exercise, all of them with the same zygote as long as that lives."""

    def __init__(self, desk: Desk, exercise: Exercise) -> None:
        self.desk, self.exercise = desk, exercise

    def report(self, path: Path, answer_s: float, total_s: float) -> Report:
        exercise = replace(self.exercise, limits=Limits(answer_s, total_s))
        desk = replace(self.desk, options=replace(self.desk.options, timeout_s=total_s))
        return desk.report(Submission(exercise, path, "rms.py"), inspect_file(path, exercise))

    def zygote(self) -> int:
        """The number of the process that workers are forked from."""
        starter = self.desk.host.starter
        if not isinstance(starter, Zygote):
            raise RuntimeError("attacks are played where workers are forked")
        return starter.process.pid

    def start_anew(self) -> None:
        """Replace the zygote."""
        self.desk.host.restart()


def with_grading(exercise: Exercise, tier: str, total_s: float, work: Callable[[Grading], T]) -> T:
    """Open the grader behind the walls of this tier, or the strongest weaker ones; then do the work."""
    return at_desk([exercise], Options(tier=tier, timeout_s=total_s), lambda desk: work(Grading(desk, exercise)))


def passed(report: Report) -> list[str]:
    """The checks that passed."""
    return [check.name for check in report.checks if check.outcome is Outcome.PASSED]
