"""Tests of the files that come out of a class, through the commands that write them."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from kept_results import result

from normgrade.classes.gradebook import Gradebook

Invoke = Callable[..., subprocess.CompletedProcess[str]]
MOODLE = "Identifier,Full name,Grade,Maximum grade,Last modified (grade)\nParticipant 1,Anna Li,,10.00,-\nParticipant 2,Bob,,10.00,-\n"


@pytest.fixture
def kept(here: Path) -> Path:
    """Return a gradebook in the current folder: one mark of each of two students."""
    with Gradebook.open(here / "gradebook.db", make=True) as gradebook:
        gradebook.enrol({"Anna Li": "1", "Cem\u202e": "7"})
        gradebook.keep([result("Anna Li", "batch_norm", 3, possible=10), result("Cem\u202e", "batch_norm", 4, possible=10)])
    return here


def test_worksheet_is_filled_in_beside_the_file(kept: Path, invoke: Invoke) -> None:
    (kept / "Grades.csv").write_text(MOODLE, encoding="utf-8")
    done = invoke("gradebook", "export", "--worksheet", "Grades.csv")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        "Grades.filled.csv: the marks of 1 student.\n"
        "1 student with a mark has no row: Cem·\n"
        "1 row without a mark stays as it was: Participant 2, Bob\n"
    )
    assert (kept / "Grades.csv").read_text(encoding="utf-8") == MOODLE
    assert (kept / "Grades.filled.csv").read_text(encoding="utf-8") == MOODLE.replace("Anna Li,,", "Anna Li,3,")
    assert (kept / "Grades.filled.csv").stat().st_mode & 0o777 == 0o600


def test_worksheet_is_replaced_if_the_output_names_it(kept: Path, invoke: Invoke) -> None:
    (kept / "Grades.csv").write_text(MOODLE, encoding="utf-8")
    assert invoke("gradebook", "export", "--worksheet", "Grades.csv", "--output", "Grades.csv", "--bom").returncode == 0
    assert (kept / "Grades.csv").read_text(encoding="utf-8") == "\ufeff" + MOODLE.replace("Anna Li,,", "Anna Li,3,")


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
    (kept / "Grades.csv").write_text(MOODLE, encoding="utf-8")
    done = invoke("gradebook", "export", "--worksheet", "Grades.csv", "--output", "none/Grades.csv")
    assert (done.returncode, done.stderr) == (
        2,
        'Error: The marks cannot be written to "none/Grades.csv" (No such file or directory). Use --output FILE to choose another file.\n',
    )
