"""The dialogue of an interview in a terminal: it asks questions, and at the end asks for marks for the answers."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console

from normgrade.cli import typed
from normgrade.cli.interview_words import show_markdown
from normgrade.cli.options import say
from normgrade.course.course import Course
from normgrade.course.questions import Question
from normgrade.language import _
from normgrade.learner.practice.interview_folder import question_of, read_answers, write_answers
from normgrade.learner.practice.interview_plan import MOST_MARKS, Interview
from normgrade.learner.practice.interviews import time_left

Keep = Callable[[Interview], None]


def ask(console: Console, course: Course, interview: Interview, folder: Path) -> None:
    """Ask every question that has no answer yet, until the time is over.

    Each answer is written to the page at once, an interrupted one too.
    """
    with suppress(ImportError):  # for editing keys in the typed line; Windows has its own
        import readline  # noqa: F401
    questions = [question_of(course, asked) for asked in interview.asked]
    for place, (asked, question) in enumerate(zip(interview.asked, questions, strict=True)):
        now = datetime.now(UTC)
        if read_answers(folder, len(questions))[place] or interview.is_over(now):
            continue
        console.print()
        here = {"number": place + 1, "all": len(questions), "slug": asked.exercise, "left": time_left(interview, now)}
        say(
            _(
                "Question {number} of {all}, about {slug}; {left}. "
                "End your answer with an empty line, or enter only an empty line to answer later.",
                **here,
            )
        )
        console.print()
        show_markdown(console, question.text)
        take_answer(folder, questions, place)


def take_answer(folder: Path, questions: list[Question], place: int) -> None:
    """Read an answer line by line, and write it to the page."""
    lines: list[str] = []
    try:
        while line := typed.next_line("> "):
            lines.append(line)
    finally:
        if lines:
            answers = read_answers(folder, len(questions))  # an editor may have written there meanwhile
            answers[place] = "\n".join(lines)
            write_answers(folder, questions, answers)


def show_answers(console: Console, course: Course, interview: Interview, keep: Keep) -> Interview:
    """Print every question with both answers. In a terminal, ask for a mark for each, which is kept at once. Return the interview."""
    for place, asked in enumerate(interview.asked):
        question = question_of(course, asked)
        console.print()
        say(_("Question {number} of {all}, about {slug}", number=place + 1, all=len(interview.asked), slug=asked.exercise))
        console.print()
        show_markdown(console, question.text)
        console.print()
        say(_("Your answer: {answer}", answer=asked.answer or _("none")))
        console.print()
        show_markdown(console, f"> {_('Answer in the course')}\n>\n" + "\n".join(f"> {line}" for line in question.answer.splitlines()))
        if asked.unmarked and typed.somebody_is_there() and (mark := take_mark()) is not None:
            marked = tuple(replace(each, mark=mark) if number == place else each for number, each in enumerate(interview.asked))
            interview = replace(interview, asked=marked)
            keep(interview)
    return interview


def take_mark() -> int | None:
    """Return the mark that the learner gives; None at the end of the input, or if nothing is typed."""
    wanted = [str(mark) for mark in range(MOST_MARKS + 1)]
    while mark := typed.next_line(_("Your mark: 0 (wrong), 1 (partly right) or 2 (right)? ")):
        if mark in wanted:
            return int(mark)
    return None
