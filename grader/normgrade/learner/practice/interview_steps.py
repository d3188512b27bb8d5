"""The steps of an interview: it begins, its answers are read, and it is graded at the end."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from normgrade.course.course import Course
from normgrade.course.files import read_text
from normgrade.course.questions import questions_in
from normgrade.grading.grade import Submission, grade
from normgrade.grading.grading_options import Options
from normgrade.language import _
from normgrade.language.errors import UsageError
from normgrade.learner.practice.interview_folder import fill, folder_of, new_folder, question_of, read_answers
from normgrade.learner.practice.interview_plan import QUESTION_MINUTES, Asked, Interview, Task, draw_questions, draw_tasks, questions_for
from normgrade.learner.practice.interviews import asked_before, interviews_of
from normgrade.learner.record import remember
from normgrade.learner.standing import records
from normgrade.learner.workspace import Workspace
from normgrade.report.report import Outcome, Report
from normgrade.report.reveal import reveal


@dataclass(frozen=True, slots=True)
class Wish:
    """The wishes for an interview. `questions` is the number of questions; None stands for the default number for the time."""

    seed: int
    minutes: int = 30
    level: int = 4
    questions: int | None = None


def begin(workspace: Workspace, course: Course, wish: Wish, now: datetime) -> Interview:
    """Draw an interview, write its files into a new folder, and store it. Raises UsageError, and OSError if it cannot write."""
    interviews = interviews_of(workspace)
    drawn = draw(course, workspace, wish, asked_before(interviews.all()))
    folder = new_folder(workspace, now)
    interview = replace(drawn, begun=now.astimezone(UTC), folder=folder.name)
    fill(folder, [course.exercise(task.exercise) for task in drawn.tasks], [question_of(course, each) for each in drawn.asked])
    return interviews.begin(interview)


def draw(course: Course, workspace: Workspace, wish: Wish, before: Sequence[tuple[str, int]]) -> Interview:
    """Return an interview that has not begun. Raises a UsageError if nothing fits."""
    found = records(course, workspace)
    count = questions_for(wish.minutes) if wish.questions is None else wish.questions
    if count * QUESTION_MINUTES > wish.minutes:
        raise UsageError(
            _(
                "{count} questions take {needed} minutes, but the interview has {minutes}. Use fewer --questions, or more --minutes.",
                count=count,
                needed=count * QUESTION_MINUTES,
                minutes=wish.minutes,
            )
        )
    known = (
        {each.slug: len(questions_in(read_text(each.prompt), each.slug)) for each in course if each.level <= wish.level} if count else {}
    )
    asked = draw_questions(found, known, before, count, wish.level, wish.seed)
    tasks = draw_tasks(found, wish.minutes - len(asked) * QUESTION_MINUTES, wish.level, wish.seed)
    if not (asked or tasks):
        raise UsageError(
            _(
                "Nothing up to level {level} fits into {minutes} minutes. Use a higher --level, or more --minutes.",
                level=wish.level,
                minutes=wish.minutes,
            )
        )
    told = tuple(Task(record.exercise.slug) for record in tasks), tuple(Asked(slug, number) for slug, number in asked)
    return Interview(datetime.now(UTC), wish.minutes, wish.seed, "", *told)


def with_answers(workspace: Workspace, interview: Interview) -> Interview:
    """Return the interview with the answers that are on its page now."""
    answers = read_answers(folder_of(workspace, interview), len(interview.asked))
    return replace(interview, asked=tuple(replace(each, answer=answer) for each, answer in zip(interview.asked, answers, strict=True)))


def end(workspace: Workspace, course: Course, interview: Interview, options: Options, now: datetime) -> tuple[Interview, list[Report]]:
    """Grade everything, and store the result of the interview. Until then it runs, so an interrupt loses nothing."""
    folder, answered = folder_of(workspace, interview), with_answers(workspace, interview)
    exercises = [course.exercise(task.exercise) for task in interview.tasks if task.exercise in course.slugs]  # others were removed
    submissions = [Submission(each, folder / each.file_name, os.path.relpath(folder / each.file_name)) for each in exercises]
    reports = [reveal(report, each.exercise.reveal) for report, each in zip(grade(submissions, options), submissions, strict=True)]
    graded = {report.exercise: task_of(report, each, interview) for report, each in zip(reports, submissions, strict=True)}
    tasks = tuple(graded.get(task.exercise, task) for task in interview.tasks)
    ended = replace(answered, tasks=tasks, ended=min(now, interview.deadline))
    interviews_of(workspace).keep(ended)
    remember(submissions, reports)
    return ended, reports


def task_of(report: Report, submission: Submission, interview: Interview) -> Task:
    """Return the result of an exercise."""
    mistakes = tuple(dict.fromkeys(name for diagnosis in report.diagnoses[:1] for name in diagnosis.mistakes))
    started = report.outcome is not Outcome.NOT_STARTED and submission.path.is_file()
    saved_s = int(submission.path.lstat().st_mtime - interview.begun.timestamp()) if started else None
    return Task(report.exercise, report.earned, report.possible, report.outcome is Outcome.PASSED, mistakes, saved_s)
