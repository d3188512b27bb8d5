"""The folder of an interview: a fresh stub for each exercise, and a page on which the answers are typed."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path

from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.course.files import own_folder, read_plain, read_text, write_whole
from normgrade.course.questions import Question, questions_in
from normgrade.language import ENGLISH, _
from normgrade.language.errors import UsageError
from normgrade.language.visible import printable
from normgrade.learner.practice.interview_plan import Asked, Interview
from normgrade.learner.practice.interviews import FOLDER
from normgrade.learner.workspace import Workspace

ANSWERS = "answers.md"
LARGEST_BYTES = 1024**2
HEADING = re.compile(r"^## (\d+)\. .*$", re.MULTILINE)
LIKE_HEADING = re.compile(r"^\\*## \d+\. ", re.MULTILINE)  # a line of an answer, written with one more backslash
ESCAPED = re.compile(r"^\\(?=\\*## \d+\. )", re.MULTILINE)


def new_folder(workspace: Workspace, now: datetime) -> Path:
    """Make a new folder in `interviews`, named after the day, and return it. Raises OSError."""
    parent = own_folder(workspace.root / FOLDER)
    names = (f"{now:%Y-%m-%d}-{number}" for number in range(1, 10_000))
    folder = next(parent / name for name in names if not os.path.lexists(parent / name))
    folder.mkdir()
    return folder


def fill(folder: Path, exercises: Iterable[Exercise], questions: Sequence[Question]) -> None:
    """Write the stubs and the page for the answers. Raises OSError."""
    for exercise in exercises:
        write_whole(folder / exercise.file_name, read_text(exercise.stub).encode())
    if questions:
        write_answers(folder, questions, [""] * len(questions))


def question_of(course: Course, asked: Asked) -> Question:
    """Return a question in the current language, or in English if the prompt in the current language has fewer questions."""
    files = course.files(asked.exercise)
    for path in filter(Path.is_file, (files.prompt, files.prompt_in(ENGLISH))):
        questions = questions_in(read_text(path), files.slug)
        if asked.number <= len(questions):
            return questions[asked.number - 1]
    return Question(asked.exercise, _("question {number}, which is no longer in the prompt", number=asked.number), "")


def folder_of(workspace: Workspace, interview: Interview) -> Path:
    """Return the folder of an interview. Raises a UsageError if it is gone, or is a link."""
    folder = workspace.root / FOLDER / interview.folder
    if not folder.is_dir() or folder.is_symlink() or folder.parent.is_symlink():
        raise UsageError(
            _(
                'The folder of your interview, "{folder}", does not exist or is a link. Restore the folder, or create it again.',
                folder=folder,
            )
        )
    return folder


def write_answers(folder: Path, questions: Sequence[Question], answers: Sequence[str]) -> None:
    """Write the page: every question as a heading, and its answer below. Raises OSError."""
    parts = [_("Write each answer below its question. Run `normgrade interview` to give the missing answers.")]
    for number, (question, answer) in enumerate(zip(questions, answers, strict=True), 1):
        title = question.text.partition("\n")[0]  # the lines below are shown when the question is asked
        parts += [f"## {number}. {question.about}: {title}", *filter(None, [LIKE_HEADING.sub(r"\\\g<0>", answer)])]
    write_whole(folder / ANSWERS, ("\n\n".join(parts) + "\n").encode())


def read_answers(folder: Path, count: int) -> list[str]:
    """Return the answer below each heading, "" if there is none or the page is gone. Raises a UsageError if the page cannot be read."""
    path = folder / ANSWERS
    try:
        page = printable(read_plain(path, LARGEST_BYTES).decode())
    except FileNotFoundError:
        return [""] * count
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else _("it is not UTF-8")
        raise UsageError(
            _('Your answers in "{path}" cannot be read ({error}). Save them in a regular file, in UTF-8.', path=path, error=why)
        ) from error
    _before, *parts = HEADING.split(page)
    found = {int(number): answer for number, answer in zip(parts[::2], parts[1::2], strict=True)}
    return [ESCAPED.sub("", found.get(number, "")).strip() for number in range(1, count + 1)]
