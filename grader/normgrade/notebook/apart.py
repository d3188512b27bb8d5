"""Separate processes that work for a notebook: they grade, or run a command of the terminal. Their reports display themselves.

A notebook runs a learner's code: it must not hold a reference, and its random numbers, threads and PyTorch settings must not change.
"""

from __future__ import annotations

import gc
import os
import pickle
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import astuple, dataclass, replace
from datetime import UTC, datetime
from html import escape
from importlib import import_module
from pathlib import Path
from pickle import UnpicklingError
from secrets import token_hex
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Any

from normgrade.cli.warn import warn_of_folders
from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.course.files import own_folder, write_whole
from normgrade.grading.grade import Submission, grade
from normgrade.grading.grading_options import Options
from normgrade.language import VARIABLE, _, spoken
from normgrade.language.errors import GraderError, Interrupted, UsageError
from normgrade.learner.after_check import after_pass, revealed, told
from normgrade.learner.interviews import held_back, running_here, status_in_words
from normgrade.learner.workspace import Workspace, find_course
from normgrade.report.render import USUAL
from normgrade.report.report import Outcome, Report
from normgrade.worker.trusted.launch import command

TEXT = replace(USUAL, more="")  # a notebook has no options that show more


@dataclass(frozen=True, repr=False)
class Graded:
    """Reports that display themselves: as HTML in a notebook, as text elsewhere."""

    reports: tuple[Report, ...]
    below: tuple[str, ...] = ()  # lines below the reports

    @property
    def passed(self) -> bool:
        return all(report.outcome is Outcome.PASSED for report in self.reports)

    def _repr_html_(self) -> str:
        """Return the HTML. Every display has unique ids, because one notebook may show many, some of them from before a restart."""
        from normgrade.report.render.html import render_fragment  # loads NumPy

        return render_fragment(self.reports, f"normgrade-{token_hex(6)}-") + paragraphs(self.below)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(repr(self))

    def __repr__(self) -> str:
        from normgrade.report.render.terminal import render_text  # loads NumPy

        return "\n".join([render_text(self.reports, TEXT).rstrip("\n"), *self.below])


def paragraphs(lines: Sequence[str]) -> str:
    """Return lines as HTML; backticks enclose code. The style of the fragment before them applies to them too."""
    if not lines:
        return ""
    shown = (re.sub("`([^`]*)`", r"<code>\1</code>", escape(line)) for line in lines)
    return f'<div class="normgrade"><p>{"<br>".join(shown)}</p></div>'


class ShownEarly:
    """A display below the cell that goes when the result comes. A front end that cannot remove output shows one line of text."""

    def __init__(self) -> None:
        self.handle: Any = None

    def show(self, graded: Graded) -> None:
        """Show the first results, if this is IPython."""
        if self.shell is None:
            return
        from normgrade.report.render.terminal import line_of  # loads NumPy

        line = "\n".join(line_of(report).plain for report in graded.reports)
        display: Any = import_module("IPython.display").display
        self.handle = display({"text/html": graded._repr_html_(), "text/plain": line}, raw=True, display_id=True)

    def clear(self) -> None:
        """Remove the display. In a terminal nothing is done, because an update would print an empty line."""
        if self.handle is not None and hasattr(self.shell, "kernel"):
            self.handle.update({"text/html": "", "text/plain": ""}, raw=True)

    @property
    def shell(self) -> Any:
        """The current IPython shell; None in plain Python."""
        return sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None


Answer = Graded | Exception
OnEarly = Callable[[Graded], None]
CAPTURED: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE}


@dataclass(frozen=True, slots=True)
class Order:
    """The order to grade a submission: its exercise and options, in plain values."""

    slug: str
    seed: int
    timeout_s: float | None
    required: str  # the weakest walls
    course: str | None

    @property
    def exercise(self) -> Exercise:
        return self.its_course.exercise(self.slug)

    @property
    def its_course(self) -> Course:
        return find_course(None if self.course is None else Path(self.course))


# In the notebook


def run_apart(module: str, *arguments: object, captured: bool = True) -> subprocess.CompletedProcess[bytes]:
    """Run one of normgrade's modules to its end, in the current language. If its output is not captured, it uses this terminal."""
    with started(module, *arguments, **(CAPTURED | {"stderr": subprocess.PIPE} if captured else {})) as process:
        stdout, stderr = process.communicate()
    return subprocess.CompletedProcess(process.args, process.returncode, stdout, stderr)


@contextmanager
def started(module: str, *arguments: object, **streams: Any) -> Iterator[subprocess.Popen[bytes]]:
    """Start a process of one of normgrade's modules, in the current language. An interrupt ends it."""
    with subprocess.Popen(command(module, *arguments), env=os.environ | {VARIABLE: spoken()}, **streams) as process:
        try:
            yield process
        except KeyboardInterrupt:
            process.kill()
            process.wait()
            raise Interrupted(_("Run the cell again for a result.")) from None


@contextmanager
def as_file(exercise: Exercise, source: str) -> Iterator[Path]:
    """Write the source to a file and yield its path. In a workspace the file stays, in `.normgrade/notebook`; elsewhere it is temporary."""
    workspace = Workspace.find()
    with TemporaryDirectory(prefix="normgrade-") if workspace is None else nullcontext(workspace.data / "notebook") as folder:
        path = Path(folder) / exercise.file_name
        try:
            if workspace is not None:
                own_folder(workspace.data)
                own_folder(path.parent)
            write_whole(path, source.encode(errors="surrogatepass"))
        except OSError as error:
            why = error.strerror
            raise UsageError(
                _('The source code cannot be written to "{path}" ({why}). Make sure that this path is writable.', path=path, why=why)
            ) from error
        yield path


def ignore(early: Graded) -> None:
    """Show nothing until everything is known."""


def grade_apart(order: Order, path: Path, name: str, on_early: OnEarly = ignore) -> Graded:
    """Grade, and return the reports that `normgrade check` would show and store. Notes go to stderr.

    `on_early` is called with the first results while the search for the mistake runs.
    """
    answer: Answer | None = None
    with TemporaryFile() as said, started("notebook.apart", astuple(order), str(path), name, **CAPTURED, stderr=said) as process:
        assert process.stdout is not None
        with suppress(EOFError, UnpicklingError):  # the end of the output, or of a process that crashed
            while True:
                answer = pickle.load(process.stdout)  # pickled by normgrade's own code
                if isinstance(answer, Graded) and any(report.searching for report in answer.reports):
                    on_early(answer)
        process.wait()
        said.seek(0)
        notes = said.read().decode("utf-8", "replace")
    if process.returncode or answer is None:
        raise GraderError(_("The grader crashed, not your code. Please report this output:\n{said}", said=notes.strip()))
    print(notes, end="", file=sys.stderr)
    if isinstance(answer, Exception):
        raise answer
    return answer


# In the process


def main(order: tuple[Any, ...], path: str, name: str) -> None:
    """Grade in this process, and pickle the results so far to stdout, last the final result, or the error for the user."""
    gc.enable()
    with open(os.dup(1), "wb") as file:
        os.dup2(2, 1)  # other output is not part of the answer

        def give(answer: Answer) -> None:
            pickle.dump(answer, file)
            file.flush()

        try:
            give(graded(Order(*order), Path(path), name, give))
        except (UsageError, GraderError) as error:
            give(error)


def graded(order: Order, path: Path, name: str, on_early: OnEarly) -> Graded:
    """Grade, and add the lines that `normgrade check` prints below the reports."""
    submissions = [Submission(order.exercise, path, name)]
    warn_of_folders()

    def on_report(report: Report) -> None:
        if report.searching:
            on_early(Graded((told(report, order.exercise),)))

    options = Options(order.seed, order.timeout_s, required=order.required)
    reports = revealed(submissions, grade(submissions, options, on_report))
    return Graded(tuple(reports), tuple(below(order, reports)))


def below(order: Order, reports: Sequence[Report]) -> list[str]:
    """Return the lines below the reports in a workspace: about a running interview, else about a pass."""
    workspace = Workspace.find()
    if (interview := running_here()) is not None:
        return [*filter(None, [held_back(interview, reports)]), status_in_words(interview, datetime.now(UTC))]
    if workspace is not None and all(report.outcome is Outcome.PASSED for report in reports):
        with suppress(UsageError):  # a note has reported it already
            return after_pass(order.its_course, order.exercise, workspace)
    return []
