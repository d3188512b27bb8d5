"""What is done in an interview: it is begun, its answers are taken up, and it is graded at the end."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from normgrade.course.course import Course
from normgrade.course.files import read_text
from normgrade.course.questions import questions_in
from normgrade.grade import Submission, grade
from normgrade.language import _
from normgrade.language.errors import UsageError
from normgrade.learner.interview_folder import fill, folder_of, new_folder, question_of, read_answers
from normgrade.learner.interview_plan import QUESTION_MINUTES, Asked, Interview, Task, draw_questions, draw_tasks, questions_for
from normgrade.learner.interviews import asked_before, interviews_of
from normgrade.learner.record import remember
from normgrade.learner.standing import records
from normgrade.learner.workspace import Workspace
from normgrade.report.report import Outcome, Report
from normgrade.report.reveal import reveal
from normgrade.suite.grading_options import Options


@dataclass(frozen=True, slots=True)
class Wish:
    """What an interview should be like. `questions` is how many; None for as many as are usual in the time."""

    seed: int
    minutes: int = 30
    level: int = 4
    questions: int | None = None


def begin(workspace: Workspace, course: Course, wish: Wish, now: datetime) -> Interview:
    """Draw an interview, put its files into a folder of their own, and keep it. Raises UsageError, and OSError where it cannot write."""
    interviews = interviews_of(workspace)
    drawn = draw(course, workspace, wish, asked_before(interviews.all()))
    folder = new_folder(workspace, now)
    interview = replace(drawn, begun=now.astimezone(UTC), folder=folder.name)
    fill(folder, [course.exercise(task.exercise) for task in drawn.tasks], [question_of(course, each) for each in drawn.asked])
    return interviews.begin(interview)


def draw(course: Course, workspace: Workspace, wish: Wish, before: Sequence[tuple[str, int]]) -> Interview:
    """An interview that has not begun. Raises a UsageError where nothing fits."""
    found = records(course, workspace)
    count = questions_for(wish.minutes) if wish.questions is None else wish.questions
    if count * QUESTION_MINUTES > wish.minutes:
        raise UsageError(
            _(
                "{count} questions take {needed} minutes, and the interview has {minutes}. Give fewer --questions, or more --minutes.",
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
                "Nothing up to level {level} fits into {minutes} minutes. Give a larger --level, or more --minutes.",
                level=wish.level,
                minutes=wish.minutes,
            )
        )
    told = tuple(Task(record.exercise.slug) for record in tasks), tuple(Asked(slug, number) for slug, number in asked)
    return Interview(datetime.now(UTC), wish.minutes, wish.seed, "", *told)


def with_answers(workspace: Workspace, interview: Interview) -> Interview:
    """The interview with the answers that stand on its page now."""
    answers = read_answers(folder_of(workspace, interview), len(interview.asked))
    return replace(interview, asked=tuple(replace(each, answer=answer) for each, answer in zip(interview.asked, answers, strict=True)))


def end(workspace: Workspace, course: Course, interview: Interview, options: Options, now: datetime) -> tuple[Interview, list[Report]]:
    """Grade everything, and keep what became of the interview. Until then it runs: an interrupt loses nothing."""
    folder, answered = folder_of(workspace, interview), with_answers(workspace, interview)
    exercises = [course.exercise(task.exercise) for task in interview.tasks if task.exercise in course.slugs]  # others are gone
    submissions = [Submission(each, folder / each.file_name, os.path.relpath(folder / each.file_name)) for each in exercises]
    reports = [reveal(report, each.exercise.reveal) for report, each in zip(grade(submissions, options), submissions, strict=True)]
    graded = {report.exercise: task_of(report, each, interview) for report, each in zip(reports, submissions, strict=True)}
    tasks = tuple(graded.get(task.exercise, task) for task in interview.tasks)
    ended = replace(answered, tasks=tasks, ended=min(now, interview.deadline))
    interviews_of(workspace).keep(ended)
    remember(submissions, reports)
    return ended, reports


def task_of(report: Report, submission: Submission, interview: Interview) -> Task:
    """What became of an exercise."""
    mistakes = tuple(dict.fromkeys(name for diagnosis in report.diagnoses[:1] for name in diagnosis.mistakes))
    started = report.outcome is not Outcome.NOT_STARTED and submission.path.is_file()
    saved_s = int(submission.path.lstat().st_mtime - interview.begun.timestamp()) if started else None
    return Task(report.exercise, report.earned, report.possible, report.outcome is Outcome.PASSED, mistakes, saved_s)
