"""`normgrade review`: the learner's mistakes, as questions."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.syntax import Syntax

from normgrade.cli import INTERRUPTED, typed
from normgrade.cli.options import course_option, say
from normgrade.cli.pager import page
from normgrade.cli.progress import ago
from normgrade.cli.warn import warn_of_unfinished
from normgrade.language import _, n_
from normgrade.learner.practice.interviews import refuse_in_interview
from normgrade.learner.practice.slips import Review, Reviews, hunts, slips
from normgrade.learner.standing import attempts_of
from normgrade.learner.workspace import find_course, needed

if TYPE_CHECKING:
    from normgrade.learner.practice.slips import Hunt, Reviews

MOST = 5  # questions at a time


@click.command("review")
@click.option("--all", "everything", is_flag=True, help="Include mistakes that are not due yet.")
@course_option
def review_command(everything: bool, course_folder: Path | None) -> int:
    """Review the mistakes that you made.

    Each question is a right answer with one of your mistakes in it, and you find the line. A mistake comes back after a day. The interval
    grows each time you find it. Only exercises that have passed are reviewed.
    """
    from normgrade.report.render.terminal import open_console  # loads NumPy

    refuse_in_interview("normgrade review")
    workspace, course, now = needed(), find_course(course_folder), datetime.now(UTC)
    warn_of_unfinished(course, course_folder)
    attempts = attempts_of(workspace).attempts()
    reviews = Reviews(attempts_of(workspace))
    found = list(hunts(course, slips(attempts, reviews.all()), {attempt.exercise for attempt in attempts if attempt.passed}))
    due = [hunt for hunt in found if everything or hunt.slip.due <= now]
    if not due:
        say(nothing_is_due(found, now))
        return 0
    try:
        ask_all(open_console(), due[:MOST], reviews)
    except KeyboardInterrupt:  # the answers so far are kept
        return INTERRUPTED
    if len(due) > MOST:
        say(n_("{n} more mistake is due for review.", "{n} more mistakes are due for review.", len(due) - MOST))
    return 0


def nothing_is_due(found: Sequence[Hunt], now: datetime) -> str:
    """Return why there is no question."""
    if not found:
        return _("Nothing to review: no mistakes were found in exercises that have passed.")
    hours = -(-int((min(hunt.slip.due for hunt in found) - now).total_seconds()) // 3600)
    days, until = hours // 24, n_("in {n} hour", "in {n} hours", hours)
    until = n_("in {n} day", "in {n} days", days) if days else until
    return _("Nothing is due: the next review is {until}. Run `normgrade review --all` to review now.", until=until)


def ask_all(console: Console, hunts: Sequence[Hunt], reviews: Reviews) -> None:
    """Ask for the line of each mistake, and record the answer. Without a terminal, only print the lines of the mistakes."""
    for number, hunt in enumerate(hunts, 1):
        slip, now = hunt.slip, datetime.now(UTC)
        made = n_("you made it once, {ago}", "you made it {n} times, the last time {ago}", slip.times, ago=ago(now - slip.made))
        console.print()
        say(_("{slug}: a right answer with one mistake in it ({made}).", slug=slip.exercise, made=made))
        page(console, listing(hunt))
        if typed.somebody_is_there():
            answer(hunt, reviews)
        say(_("Line {line}. {name}: {says}", line=", ".join(map(str, hunt.lines)), name=hunt.mistake.name, says=hunt.mistake.says))
        if typed.somebody_is_there() and number < len(hunts):
            typed.next_line(_("Press Enter for question {number} of {all}. ", number=number + 1, all=len(hunts)))


def listing(hunt: Hunt) -> Syntax:
    """Return the source with its line numbers. Its docstring and imports are left out if the mistake stands below them."""
    source, first = hunt.source.rstrip(), first_of_code(hunt.source)
    shown = (first if first <= min(hunt.lines, default=first) else 1, None)
    return Syntax(source, "python", theme="ansi_dark", background_color="default", line_numbers=True, word_wrap=True, line_range=shown)


def first_of_code(source: str) -> int:
    """Return the number of the first line below the docstring and the imports at the top."""
    head = (ast.Expr, ast.Import, ast.ImportFrom)
    first = next((node for node in ast.parse(source).body if not isinstance(node, head)), None)
    decorated = getattr(first, "decorator_list", [])
    return 1 if first is None else min(node.lineno for node in (first, *decorated))


def answer(hunt: Hunt, reviews: Reviews) -> None:
    """Ask for the line, and record the answer."""

    line = typed.next_line(_("Which line is wrong? "))
    knew = line.isdecimal() and int(line) in hunt.lines
    reviews.add(Review(datetime.now(UTC), hunt.slip.exercise, hunt.slip.mistake, knew))
    say(_("✓ Correct.") if knew else _("✗ Wrong, it is another line."))
