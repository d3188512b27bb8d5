"""The commands of the terminal that help with an exercise, in a notebook: `%normgrade hint layer_norm`.

They take the same words. Each runs in its own process, as grading does, because some play the reference. In a folder without a workspace,
the session remembers the checks that ran and the hints that were given.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from normgrade.cli import COMMANDS as ALL
from normgrade.cli import USAGE, language_of
from normgrade.cli.answers import in_words
from normgrade.course.exercise import Exercise
from normgrade.inspection.source import parse
from normgrade.language import _, speak
from normgrade.language.errors import UsageError, did_you_mean
from normgrade.learner.hints import hints_of
from normgrade.learner.standing import Attempt
from normgrade.learner.workspace import Workspace, find_course
from normgrade.notebook.apart import as_file, run_apart
from normgrade.notebook.sent_source import Prelude, definitions
from normgrade.report.report import Outcome, Report

COMMANDS = tuple(name for name in ("list", "show", "hint", "explain", "solution", "try") if name in ALL)
DOCUMENTS = ("show", "solution")  # these print Markdown or a Python file


@dataclass
class Memory:
    """The last attempt at each exercise, by slug, the identities of the hints that were given, and the slugs that passed."""

    attempts: dict[str, tuple[Exercise, Attempt]] = field(default_factory=dict)
    given: set[tuple[str, str]] = field(default_factory=set)
    passed: set[str] = field(default_factory=set)

    def add(self, exercise: Exercise, report: Report) -> None:
        """Remember the report on a check."""
        self.attempts[exercise.slug] = exercise, Attempt.of(report, datetime.now(UTC))
        self.passed |= {exercise.slug} if report.outcome is Outcome.PASSED else set()

    def answers(self, arguments: Sequence[str]) -> bool:
        """Return True if a command asks for the next hint, and only this session knows about the checks."""
        return len(arguments) == 2 and arguments[0] == "hint" and arguments[1] in self.attempts and Workspace.find() is None

    def next_hint(self, slug: str) -> str:
        """Return the next hint that was not given yet, in the words of `normgrade hint`."""
        exercise, last = self.attempts[slug]
        if last.passed:
            return _("{slug} passed your last check, so there are no hints.", slug=slug)
        left = [hint for hint in hints_of(exercise, last) if (slug, hint.identity) not in self.given]
        self.given |= {(slug, hint.identity) for hint in left[:1]}
        return "\n".join(in_words(exercise, left))


MEMORY = Memory()


@dataclass(frozen=True, repr=False)
class Output:
    """Markdown that a notebook renders. Outside a notebook it is the text that the command printed."""

    text: str
    markdown: str

    def _repr_markdown_(self) -> str:
        return self.markdown

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(repr(self))

    def __repr__(self) -> str:
        return self.text.rstrip("\n")


def run_command(arguments: Sequence[str], cells: Sequence[str]) -> Output | None:
    """Run a command. It prints its output as in a terminal; in a notebook, a document is returned to be rendered."""
    speak(language_of(arguments))
    if not arguments:
        print(usage())
        return None
    refuse_unless_known(arguments[0])
    if MEMORY.answers(arguments):
        print(MEMORY.next_hint(arguments[1]))
        return None
    if arguments[0] == "solution" and not MEMORY.passed.isdisjoint(arguments):
        return run([*arguments, "--spoil"])
    if arguments[0] != "try":
        return run(arguments)
    with with_own_file(arguments, cells) as completed:
        return run(completed)


def run(arguments: Sequence[str]) -> Output | None:
    """Run a known command."""
    if sys.stdout.isatty():
        run_apart("cli", [*arguments], captured=False)
        return None
    done = run_apart("cli", [*arguments])
    said = done.stderr.decode("utf-8", "replace")
    if done.returncode == USAGE:
        raise UsageError(said.rpartition(_("Error: {message}", message=""))[2].strip())
    print(said, end="", file=sys.stderr)
    return shown(arguments[0], done.stdout.decode("utf-8", "replace"))


def usage() -> str:
    """Return the help of `%normgrade` and `%%normgrade`."""
    ways = "\n".join(f"  %normgrade {name}{'' if name == 'list' else ' …'}" for name in COMMANDS)
    grades = _(
        "Write `%%normgrade SLUG` in the first line of a cell to grade the cell. "
        "These commands work as in a terminal; use --help for details:"
    )
    return f"{grades}\n{ways}"


def refuse_unless_known(name: str) -> None:
    """Raise a UsageError if no such command works in a notebook."""
    if name in COMMANDS:
        return
    if name in ALL:
        raise UsageError(
            _("`normgrade {name}` works only in a terminal. In a notebook, use one of {known}.", name=name, known=", ".join(COMMANDS))
        )
    if name in find_course(None).slugs:
        raise UsageError(_("Write `%%normgrade {slug}`, with two %, in the first line of a cell to grade the cell.", slug=name))
    meant = did_you_mean(name, COMMANDS)
    raise UsageError(_('No command named "{name}".{meant} Run `%normgrade` to see all commands.', name=name, meant=meant))


@contextmanager
def with_own_file(arguments: Sequence[str], cells: Sequence[str]) -> Iterator[Sequence[str]]:
    """Add `--file` to the arguments of `try`, with the classes and functions that the cells define for the exercise.

    If there are none, the arguments are unchanged.
    """
    course, known = find_course(None), Prelude(cells).known
    exercise = next((course.exercise(each) for each in arguments if each in course.slugs), None)
    names = [] if exercise is None else [signature.name for signature in exercise.defines if signature.name in known]
    if exercise is None or not names:
        yield arguments
        return
    with as_file(exercise, definitions(names, cells)) as path:
        yield [arguments[0], "--file", str(path), *arguments[1:]]  # if the user named a file, it comes later and takes precedence


def shown(name: str, text: str) -> Output | None:
    """Return a document to be rendered, or print the text."""
    if name in DOCUMENTS and isinstance(tree := parse(text), ast.Module) and tree.body:
        return Output(text, f"~~~~python\n{text.rstrip()}\n~~~~")
    if name in DOCUMENTS and text.startswith("# "):
        return Output(text, text)
    print(text, end="")
    return None
