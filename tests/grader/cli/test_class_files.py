"""Tests of the files that come out of a class, through the commands that write them."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from kept_results import result

from normgrade.classes.gradebook import Gradebook
from normgrade.course.course import Course

Invoke = Callable[..., subprocess.CompletedProcess[str]]
MOODLE = (
    "Identifier,Full name,Grade,Maximum grade,Last modified (grade)\r\nParticipant 1,Anna Li,,10.00,-\r\nParticipant 2,Bob,,10.00,-\r\n"
)


@pytest.fixture
def kept(here: Path) -> Path:
    """Return a gradebook in the current folder: one mark of each of two students."""
    with Gradebook.open(here / "gradebook.db", make=True) as gradebook:
        gradebook.enrol({"Anna Li": "1", "Cem\u202e": "7"})
        gradebook.keep([result("Anna Li", "rms", 3, possible=10), result("Cem\u202e", "rms", 4, possible=10)])
    return here


def test_worksheet_is_filled_in_beside_the_file(kept: Path, invoke: Invoke) -> None:
    (kept / "Grades.csv").write_bytes(MOODLE.encode())
    done = invoke("gradebook", "export", "--worksheet", "Grades.csv")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        "Grades.filled.csv: the marks of 1 student.\n"
        "1 student with a mark has no row: Cem·\n"
        '1 row without a mark stays as it was: "Participant 2, Bob"\n'
    )
    assert (kept / "Grades.csv").read_bytes() == MOODLE.encode()
    assert (kept / "Grades.filled.csv").read_bytes() == MOODLE.replace("Anna Li,,", "Anna Li,3,").encode()
    assert (kept / "Grades.filled.csv").stat().st_mode & 0o777 == 0o600


def test_worksheet_is_replaced_if_the_output_names_it(kept: Path, invoke: Invoke) -> None:
    (kept / "Grades.csv").write_bytes(MOODLE.encode())
    assert invoke("gradebook", "export", "--worksheet", "Grades.csv", "--output", "Grades.csv", "--bom").returncode == 0
    assert (kept / "Grades.csv").read_bytes() == ("\ufeff" + MOODLE.replace("Anna Li,,", "Anna Li,3,")).encode()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--total",), "--exercise, --column, --total and --scale are for --worksheet FILE: name the file to fill in."),
        (("--worksheet", "a.csv", "--anonymous"), "--worksheet keeps the form of its file: omit --format, --title and --anonymous."),
    ],
)
def test_options_that_do_not_fit_are_refused(options: tuple[str, ...], message: str, kept: Path, invoke: Invoke) -> None:
    done = invoke("gradebook", "export", *options)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"Error: {message}\n")


def test_unwritable_worksheet_is_named(kept: Path, invoke: Invoke) -> None:
    (kept / "Grades.csv").write_bytes(MOODLE.encode())
    done = invoke("gradebook", "export", "--worksheet", "Grades.csv", "--output", "none/Grades.csv")
    assert (done.returncode, done.stderr) == (
        2,
        'Error: The marks cannot be written to "none/Grades.csv" (No such file or directory). Use --output FILE to choose another file.\n',
    )


def test_feedback_is_written_for_each_student(kept: Path, invoke: Invoke) -> None:
    done = invoke("gradebook", "feedback", "feedback", "--format", "md")
    assert (done.returncode, done.stdout, done.stderr) == (0, "feedback: 2 pages of feedback.\n", "")
    assert sorted(path.name for path in (kept / "feedback").iterdir()) == ["Anna Li.md", "Cem-9c41656d0d.md"]


def test_feedback_needs_the_course_of_the_class(kept: Path, invoke: Invoke) -> None:
    with Gradebook.open(kept / "gradebook.db", make=True) as gradebook:
        gradebook.keep([result("Anna Li", "batch_norm"), result("Anna Li", "ada_in")])
    done = invoke("gradebook", "feedback", "feedback")
    assert (done.returncode, done.stderr) == (
        2,
        "Error: The course does not say how much to reveal of ada_in, batch_norm, because it has no such exercise. Use --course DIR to "
        "name the course of this class.\n",
    )
    assert not (kept / "feedback").exists()


def test_unknown_format_of_feedback_is_refused(kept: Path, invoke: Invoke) -> None:
    done = invoke("gradebook", "feedback", "feedback", "--format", "htm")
    assert (done.returncode, done.stderr) == (2, 'Error: "htm" is not a format of feedback. Did you mean "html"? Use html or md.\n')


def test_feedback_reveals_what_the_course_does(kept: Path, edited_course: Callable[..., Course], invoke: Invoke) -> None:
    toml = (edited_course({}).root / "exercises" / "centring" / "exercise.toml").read_text(encoding="utf-8")
    course = edited_course({"exercises/centring/exercise.toml": f'reveal = "score"\n{toml}'})
    with Gradebook.open(kept / "gradebook.db", make=True) as gradebook:
        gradebook.enrol({"Dora": ""})
        gradebook.keep([result("Dora", "centring")])
    assert invoke("gradebook", "feedback", "all").returncode == 0
    assert invoke("gradebook", "feedback", "score", "--course", course.root).returncode == 0
    told = ["follow the batches" in (kept / folder / "Dora.html").read_text(encoding="utf-8") for folder in ("all", "score")]
    assert told == [True, False]


def test_page_of_the_class_is_written(kept: Path, invoke: Invoke) -> None:
    done = invoke("gradebook", "page", "page")
    assert (done.returncode, done.stdout, done.stderr) == (0, "page/index.html: the class, with pages of 2 students.\n", "")
    assert sorted(path.name for path in (kept / "page").rglob("*.html")) == ["Anna Li.html", "Cem-9c41656d0d.html", "index.html"]


@pytest.fixture
def handed_in(here: Path) -> Path:
    """Return a folder with a file, a notebook, and two files that are equally good."""
    for student, name, text in (
        ("Anna Li", "rms.py", "x = 1\n"),
        ("Bob/Ray".replace("/", "\\"), "rms.ipynb", '{"nbformat": 4, "cells": [{"cell_type": "code", "source": "%matplotlib\\nx = 2"}]}'),
        ("Cem", "rms.py", "x = 3\n"),
        ("Cem", "rms (1).py", "x = 4\n"),
    ):
        (here / "hw" / student).mkdir(parents=True, exist_ok=True)
        (here / "hw" / student / name).write_text(text, encoding="utf-8")
    return here


def test_sources_are_written_by_exercise_and_student(handed_in: Path, invoke: Invoke) -> None:
    done = invoke("grade", "hw", "--dry-run", "--sources", "out/sources")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1] == "out/sources: the code of 2 hand-ins."
    [anna, bob] = sorted((handed_in / "out" / "sources").rglob("*.py"))
    assert (anna.relative_to(handed_in), anna.read_text(encoding="utf-8")) == (Path("out/sources/rms/Anna Li.py"), "x = 1\n")
    assert (bob.stem[:8], bob.read_text(encoding="utf-8")) == ("Bob--Ray", "# In[1]:\n# %matplotlib\nx = 2\n")
    assert not (handed_in / "gradebook.db").exists()


def test_sources_are_written_before_grading(put: Callable[..., None], here: Path, invoke: Invoke) -> None:
    put("rms")
    (here / "hw").mkdir()
    (here / "rms.py").rename(here / "hw" / "Anna_rms.py")
    done = invoke("grade", "hw", "--cores", "1", "--sources", "sources", "--format", "jsonl")
    assert (done.returncode, done.stdout.count("\n")) == (0, 1)
    assert "sources: the code of 1 hand-in." in done.stderr
    assert (here / "sources" / "rms" / "Anna.py").read_bytes() == (here / "hw" / "Anna_rms.py").read_bytes()


@pytest.mark.parametrize(
    ("there", "why"),
    [("sources/old.py", "it is not empty"), ("sources", "File exists")],
)
def test_folder_of_sources_must_be_new_or_empty(there: str, why: str, handed_in: Path, invoke: Invoke) -> None:
    (handed_in / there).parent.mkdir(exist_ok=True)
    (handed_in / there).write_bytes(b"")
    done = invoke("grade", "hw", "--sources", "sources")
    assert (done.returncode, done.stderr) == (2, f'Error: The sources cannot be written to "sources" ({why}). Choose another folder.\n')
    assert not (handed_in / "gradebook.db").exists()
