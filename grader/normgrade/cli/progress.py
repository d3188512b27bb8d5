"""`normgrade progress`: all attempts, the mistakes made most often, and what is next."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click
from rich.text import Text

from normgrade.cli.by_group import Column, print_by_group
from normgrade.cli.options import course_option, say
from normgrade.cli.warn import warn_of_unfinished
from normgrade.language import N_, _, n_
from normgrade.learner.attempts import Attempt
from normgrade.learner.interview_plan import Interview
from normgrade.learner.interviews import going_on, interviews_of
from normgrade.learner.standing import Record, advice, frequent_mistakes, others_open, records
from normgrade.learner.workspace import find_course, needed

SCORES_SHOWN = 12  # of an exercise's last attempts
MISTAKES_SHOWN = 8
OPEN_SHOWN = 6
INTERVIEWS_SHOWN = 5
COLUMNS = (
    Column(N_("exercise")),
    Column(N_("level"), number=True),
    Column(N_("standing")),
    Column(N_("attempts"), number=True),
    Column(N_("last scores"), elastic=True),
    Column(N_("last")),
)


@click.command("progress")
@course_option
def progress_command(course_folder: Path | None) -> None:
    """Your attempts, the mistakes made most often, and what is next."""
    from normgrade.report.render.terminal import open_console

    course = find_course(course_folder)
    warn_of_unfinished(course, course_folder)
    workspace = needed()
    found = records(course, workspace)
    console = open_console()
    now = datetime.now(UTC)
    print_by_group(console, COLUMNS, {record.exercise: cells_of(record, now) for record in found})
    console.print()
    passed = sum(record.passed for record in found)
    tried = sum(len(record.attempts) for record in found)
    summary = n_("{passed} of {all} passed, {n} attempt", "{passed} of {all} passed, {n} attempts", tried, passed=passed, all=len(found))
    console.print(Text(summary))
    if mistakes := frequent_mistakes(found):
        console.print()
        console.print(Text(_("Made most often"), style="bold"))
        for name, count in [*mistakes.items()][:MISTAKES_SHOWN]:
            console.print(Text(f"  {count} × {name}"))
    interviews = interviews_of(workspace).all()
    show_interviews([interview for interview in interviews if interview.ended is not None])
    console.print()
    running = next((interview for interview in interviews if interview.ended is None), None)
    say(*([advice(found), *also_open(found)] if running is None else going_on(running, now)))


def show_interviews(ended: Sequence[Interview]) -> None:
    """How the interviews went, the last one last."""
    if ended:
        from normgrade.cli.interview_words import summary

        say("", _("Interviews"))
        for interview in ended[-INTERVIEWS_SHOWN:]:
            say(f"  {summary(interview)}")


def also_open(found: Sequence[Record]) -> list[str]:
    """A sentence about what else one could go on with; none where there is nothing else."""
    slugs = [record.exercise.slug for record in others_open(found)]
    later = sum(bool(record.before) and not record.passed for record in found)
    if not slugs:
        return []
    named, more = ", ".join(slugs[:OPEN_SHOWN]), len(slugs) - OPEN_SHOWN
    said = [_("Open as well: {slugs}.", slugs=named)]
    if more > 0:
        said = [n_("Open as well: {slugs}, and {n} more.", "Open as well: {slugs}, and {n} more.", more, slugs=named)]
    if later:
        said.append(n_("{n} exercise is best done after these; `normgrade list` tells after which.",
                       "{n} exercises are best done after these; `normgrade list` tells after which.", later))  # fmt: skip
    return said


def cells_of(record: Record, now: datetime) -> tuple[str, ...]:
    """The row of an exercise."""
    exercise, standing = record.exercise, f"✓ {record.standing}" if record.passed else record.standing
    last = ago(now - record.last.at) if record.last is not None else ""
    return exercise.slug, str(exercise.level), standing, str(len(record.attempts) or ""), scores(record.attempts), last


def scores(attempts: Sequence[Attempt]) -> str:
    """The scores of the last attempts, in their order. Equal ones in a row stand once, with their number: "3×2 5"."""
    runs: list[list[int]] = []
    for attempt in attempts:
        if runs and runs[-1][0] == attempt.earned:
            runs[-1][1] += 1
        else:
            runs.append([attempt.earned, 1])
    left_out = "… " if len(runs) > SCORES_SHOWN else ""
    return left_out + " ".join(f"{earned}×{times}" if times > 1 else str(earned) for earned, times in runs[-SCORES_SHOWN:])


def ago(passed: timedelta) -> str:
    """How long ago, in the largest whole unit."""
    minutes = max(int(passed.total_seconds()) // 60, 0)
    if days := minutes // 1440:
        return n_("{n} day ago", "{n} days ago", days)
    if hours := minutes // 60:
        return n_("{n} hour ago", "{n} hours ago", hours)
    return n_("{n} minute ago", "{n} minutes ago", minutes) if minutes else _("just now")
