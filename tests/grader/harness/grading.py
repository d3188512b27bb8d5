"""The grader for the harness: opened once, with the harness's time limits for each grading."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from normgrade.course.exercise import Exercise, Limits
from normgrade.course.tensor_library import Library
from normgrade.grading.grade import Submission
from normgrade.grading.grader import Grader
from normgrade.grading.grading_options import Options
from normgrade.grading.opening import open_grader
from normgrade.grading.reporting import report_on
from normgrade.inspection.inspection import inspect_file
from normgrade.report.report import Outcome, Report
from normgrade.worker.trusted.launch import Zygote


class Grading:
    """A grader of files for one exercise, with one zygote as long as it lives."""

    def __init__(self, grader: Grader, exercise: Exercise) -> None:
        self.grader, self.exercise = grader, exercise

    def report(self, path: Path, answer_s: float, total_s: float) -> Report:
        exercise = replace(self.exercise, limits=Limits(answer_s, total_s))
        grader = replace(self.grader, options=replace(self.grader.options, timeout_s=total_s))
        return report_on(grader, Submission(exercise, path, "rms.py"), inspect_file(path, exercise))

    def zygote(self) -> int:
        """Return the pid of the process that workers are forked from. Raise RuntimeError if workers are not forked."""
        starter = self.grader.hosts[Library.TORCH].starter
        if not isinstance(starter, Zygote):
            raise RuntimeError("attacks are played where workers are forked")
        return starter.process.pid

    def start_anew(self) -> None:
        """Replace the zygote."""
        self.grader.hosts[Library.TORCH].restart()


@contextmanager
def open_grading(exercise: Exercise, tier: str, total_s: float) -> Iterator[Grading]:
    """Open the grader with the walls of this tier, or the strongest weaker ones."""
    with open_grader([exercise], Options(tier=tier, timeout_s=total_s)) as grader:
        yield Grading(grader, exercise)


def passed(report: Report) -> list[str]:
    """Return the names of the checks that passed."""
    return [check.name for check in report.checks if check.outcome is Outcome.PASSED]
