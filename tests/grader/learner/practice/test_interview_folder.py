"""The folder of an interview: fresh stubs, and a page of answers that is written and read without loss."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from normgrade.course.course import Course
from normgrade.course.questions import Question
from normgrade.language.errors import UsageError
from normgrade.learner.practice.interview_folder import ANSWERS, fill, folder_of, new_folder, question_of, read_answers, write_answers
from normgrade.learner.practice.interview_plan import Asked, Interview
from normgrade.learner.workspace import Workspace, new_workspace

NOW = datetime(2026, 3, 1, 9, 5, 7, tzinfo=UTC)
QUESTIONS = [
    Question("rms", "Why is eps inside the root?", "Because."),
    Question("rms", "What does it do?\n\n```\nx / 2\n\nx\n```", "It halves."),
    Question("centring", "And now?", "No."),
]


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return new_workspace(tmp_path / "norms")


def test_every_interview_has_its_own_folder(workspace: Workspace) -> None:
    folders = [new_folder(workspace, NOW) for _ in range(3)]
    names = [folder.relative_to(workspace.root).as_posix() for folder in folders]
    assert names == ["interviews/2026-03-01-1", "interviews/2026-03-01-2", "interviews/2026-03-01-3"]


def test_the_stubs_are_fresh_and_ones_own_files_stay(workspace: Workspace, tiny: Course) -> None:
    (workspace.root / "rms.py").write_text("# mine\n", encoding="utf-8")
    folder = new_folder(workspace, NOW)
    fill(folder, tiny, [])
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {each.file_name: each.stub.read_bytes() for each in tiny}
    assert (workspace.root / "rms.py").read_text(encoding="utf-8") == "# mine\n"


def test_answers_are_read_back_unchanged(tmp_path: Path) -> None:
    answers = ["Because\n\nof zeros:\n\n## eps\n## 2. n\n\\## 3. so", "", "x > 0\n> 3"]
    write_answers(tmp_path, QUESTIONS, answers)
    page = (tmp_path / ANSWERS).read_text(encoding="utf-8")
    assert "## 1. rms: Why is eps inside the root?\n\nBecause\n" in page and "## 3. centring: And now?" in page
    assert read_answers(tmp_path, 3) == answers
    write_answers(tmp_path, QUESTIONS, answers)
    assert (tmp_path / ANSWERS).read_text(encoding="utf-8") == page


def test_an_edited_page_of_answers_is_read(tmp_path: Path) -> None:
    assert read_answers(tmp_path, 2) == ["", ""]
    (tmp_path / ANSWERS).write_bytes(b"## 2. any title\r\n\r\nSo \x1b[2Jthere\r\n\r\n## 7. gone\r\n")
    assert read_answers(tmp_path, 2) == ["", "So there"]


@pytest.mark.parametrize(("content", "why"), [(b"\xff\xff", "it is not UTF-8"), (None, "it is a directory, not a file")])
def test_an_unreadable_page_is_named(tmp_path: Path, content: bytes | None, why: str) -> None:
    path = tmp_path / ANSWERS
    path.mkdir() if content is None else path.write_bytes(content)
    with pytest.raises(UsageError) as refused:
        read_answers(tmp_path, 1)
    assert str(refused.value) == f'Your answers in "{path}" cannot be read ({why}). Save them in a regular file, in UTF-8.'


def test_a_question_is_found_by_its_number(tiny: Course) -> None:
    assert question_of(tiny, Asked("rms", 1)).text == "Why is eps inside the root?"
    gone = "question {}, which is no longer in the prompt"
    assert question_of(tiny, Asked("rms", 9)) == Question("rms", gone.format(9), "")
    assert question_of(tiny, Asked("gone", 1)) == Question("gone", gone.format(1), "")


def test_a_missing_folder_is_named(workspace: Workspace, tmp_path: Path) -> None:
    interview = Interview(NOW, 30, 0, "2026-03-01-1")
    folder = workspace.root / "interviews" / "2026-03-01-1"
    said = f'The folder of your interview, "{folder}", does not exist or is a link. Restore the folder, or create it again.'
    with pytest.raises(UsageError) as refused:
        folder_of(workspace, interview)
    assert str(refused.value) == said
    assert folder_of(workspace, interview) == folder if new_folder(workspace, NOW) else None
    folder.rmdir()
    folder.symlink_to(tmp_path, target_is_directory=True)
    with pytest.raises(UsageError, match="is a link"):
        folder_of(workspace, interview)
