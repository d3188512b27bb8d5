"""`normgrade review`: the learner's mistakes, as questions."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import click
from rich.syntax import Syntax

from normgrade.cli.options import course_option, say
from normgrade.cli.pager import page
from normgrade.cli.progress import ago
from normgrade.cli.warn import warn_of_unfinished
from normgrade.language import _, n_
from normgrade.learner.interviews import refuse_in_interview
from normgrade.learner.slips import Hunt, Review, Reviews, hunts, slips
from normgrade.learner.standing import attempts_of
from normgrade.learner.workspace import find_course, needed


@click.command("review")
@click.option("--all", "everything", is_flag=True, help="Include mistakes that are not due yet.")
@course_option
def review_command(everything: bool, course_folder: Path | None) -> None:
    """Review one of the mistakes that you made.

    The question is a right answer with one of your mistakes in it, and you find the line. A mistake comes back after a day. The interval
    grows each time you find it. Only exercises that have passed are reviewed.
    """
    refuse_in_interview("normgrade review")
    workspace, course, now = needed(), find_course(course_folder), datetime.now(UTC)
    warn_of_unfinished(course, course_folder)
    attempts, reviews = attempts_of(workspace).attempts(), Reviews(attempts_of(workspace))
    found = list(hunts(course, slips(attempts, reviews.all()), {attempt.exercise for attempt in attempts if attempt.passed}))
    due = [hunt for hunt in found if everything or hunt.slip.due <= now]
    if not due:
        say(nothing_is_due(found, now))
        return
    ask(due[0], reviews)
    if more := len(due) - 1:
        say(n_("{n} more mistake is due for review.", "{n} more mistakes are due for review.", more))


def nothing_is_due(found: Sequence[Hunt], now: datetime) -> str:
    """Return why there is no question."""
    if not found:
        return _("Nothing to review: no mistakes were found in exercises that have passed.")
    hours = -(-int((min(hunt.slip.due for hunt in found) - now).total_seconds()) // 3600)
    days, until = hours // 24, n_("in {n} hour", "in {n} hours", hours)
    until = n_("in {n} day", "in {n} days", days) if days else until
    return _("Nothing is due: the next review is {until}. Run `normgrade review --all` to review now.", until=until)


def ask(hunt: Hunt, reviews: Reviews) -> None:
    """Ask for the line of the mistake, and record the answer. Without a terminal, only print the line."""
    from normgrade.report.render.terminal import open_console  # loads NumPy

    slip, now = hunt.slip, datetime.now(UTC)
    made = n_("you made it once, {ago}", "you made it {n} times, the last time {ago}", slip.times, ago=ago(now - slip.made))
    say(_("{slug}: a right answer with one mistake in it ({made}).", slug=slip.exercise, made=made))
    source = hunt.source.rstrip()
    page(open_console(), Syntax(source, "python", theme="ansi_dark", background_color="default", line_numbers=True, word_wrap=True))
    if somebody_is_there():
        line = next_line(_("Which line is wrong? "))
        knew = line.isdecimal() and int(line) in hunt.lines
        reviews.add(Review(now, slip.exercise, slip.mistake, knew))
        say(_("✓ Correct.") if knew else _("✗ Wrong, it is another line."))
    say(_("Line {line}. {name}: {says}", line=", ".join(map(str, hunt.lines)), name=hunt.mistake.name, says=hunt.mistake.says))


def somebody_is_there() -> bool:
    """Return True if there is a terminal to ask in."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def next_line(prompt: str) -> str:
    """Return a line that is typed; "" at the end of the input."""
    try:
        return input(prompt).strip()
    except EOFError:
        return ""
