"""Tests of the talk of an interview: answers and marks are typed, and kept at once."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from rich.console import Console

from normgrade.cli.interview_talk import ask, show_answers, take_mark
from normgrade.course.course import Course
from normgrade.learner.practice.interview_folder import question_of, read_answers, write_answers
from normgrade.learner.practice.interview_plan import Asked, Interview

Typing = Callable[..., None]


@pytest.fixture
def typing(monkeypatch: pytest.MonkeyPatch) -> Typing:
    """Return a function that types these lines and then ends the input."""

    def typed(*lines: str) -> None:
        left = iter(lines)

        def line(prompt: str) -> str:
            if (found := next(left, None)) is None:
                raise EOFError
            return found

        monkeypatch.setattr("builtins.input", line)
        monkeypatch.setattr("normgrade.cli.typed.somebody_is_there", lambda: True)

    return typed


@pytest.fixture
def interview() -> Interview:
    return Interview(datetime.now(UTC), 30, 0, "x", asked=(Asked("rms", 1), Asked("rms", 1)))


def test_missing_answers_are_asked_and_saved(typing: Typing, interview: Interview, tiny: Course, tmp_path: Path) -> None:
    questions = [question_of(tiny, asked) for asked in interview.asked]
    write_answers(tmp_path, questions, ["known", ""])
    typing("  so  ", "and so")
    ask(Console(quiet=True), tiny, interview, tmp_path)
    assert read_answers(tmp_path, 2) == ["known", "so\nand so"]


def test_empty_answer_stays_open(typing: Typing, interview: Interview, tiny: Course, tmp_path: Path) -> None:
    typing("", "two", "")
    ask(Console(quiet=True), tiny, interview, tmp_path)
    assert read_answers(tmp_path, 2) == ["", "two"]


def test_nothing_is_asked_once_the_time_is_over(typing: Typing, interview: Interview, tiny: Course, tmp_path: Path) -> None:
    typing("one")
    over = Interview(interview.begun - timedelta(hours=1), 30, 0, "x", asked=interview.asked)
    ask(Console(quiet=True), tiny, over, tmp_path)
    assert not (tmp_path / "answers.md").exists()


def test_a_mark_is_a_number_from_0_to_2(typing: Typing) -> None:
    typing("3", "two", "-1", "1")
    assert take_mark() == 1
    typing("3")
    assert take_mark() is None
    typing("")
    assert take_mark() is None


def test_marks_are_kept_one_by_one(typing: Typing, tiny: Course) -> None:
    answered = Interview(datetime.now(UTC), 30, 0, "x", asked=tuple(Asked("rms", 1, answer) for answer in ("a", "", "b", "c")))
    kept: list[Interview] = []
    typing("2", "", "0")
    marked = show_answers(Console(quiet=True), tiny, answered, kept.append)
    assert [asked.mark for asked in marked.asked] == [2, None, None, 0] and len(kept) == 2 and kept[-1] == marked
    typing("1")
    assert [asked.mark for asked in show_answers(Console(quiet=True), tiny, marked, kept.append).asked] == [2, None, 1, 0]
