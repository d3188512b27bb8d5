"""Tests of marks in downloaded files: whose row gets which points, and what is refused rather than guessed."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from kept_results import result

from normgrade.classes.hand_ins import Mark, Override
from normgrade.classes.worksheet import Filled, Wanted, filled, read_worksheet, slug_of
from normgrade.language.errors import UsageError

MOODLE = (
    "\ufeffIdentifier,Full name,Email address,Status,Grade,Maximum grade,Last modified (grade),Feedback comments\r\n"
    'Participant 101,Anna Li,anna@school.org,"Submitted, for grading",,20.00,-,=1+1\r\n'
    'Participant 102,"O\'Brien, Siobhán",,-,3.00,20.00,-,\r\n'
    "Participant 103,Bob Ray,,-,,20.00,-,\r\n"
)
CANVAS = (
    "Student,ID,SIS User ID,SIS Login ID,Section,Layer norm (4711),RMS-Norm (4712),Layer norm Current Score\r\n"
    "    Points Possible,,,,,20,10,(read only)\r\n"
    '"Li, Anna",11,,anna,1,,,\r\n'
    '"Ray, Bob",12,,bob,1,5,,\r\n'
    '"Student, Test",13,,x,1,,9,\r\n'
)


def mark(student: str, slug: str = "layer_norm", points: int = 7, possible: int = 20, **rest: Any) -> Mark:
    return Mark(student, slug, result(student, slug, points, possible=possible, **rest))


def fill(folder: Path, text: str, students: dict[str, str], *marks: Mark, **wanted: object) -> Filled:
    path = folder / "marks.csv"
    path.write_bytes(text.encode())
    return filled(read_worksheet(path), students, {(each.student, each.exercise): each for each in marks}, Wanted(**wanted))  # type: ignore[arg-type]


def test_worksheet_of_moodle_is_filled_in_by_number(tmp_path: Path) -> None:
    found = fill(tmp_path, MOODLE, {"Anna Li": "101", "Someone": "103"}, mark("Anna Li"), mark("Someone", points=20))
    expected = MOODLE.replace('grading",,', 'grading",7,').replace("Bob Ray,,-,,", "Bob Ray,,-,20,")
    assert found.table.as_bytes() == expected.encode()
    assert (found.students, found.without_row, found.without_mark) == (2, (), ("Participant 102, O'Brien, Siobhán",))


def test_number_of_the_folder_in_moodle_counts(tmp_path: Path) -> None:
    folder = "Anna Li_101_assignsubmission_file_"
    found = fill(tmp_path, MOODLE.replace("Anna Li", "hidden"), {"Anna Li": "55"}, mark("Anna Li", folder=folder))
    assert b'grading",7,20.00' in found.table.as_bytes()


def test_number_inside_a_hand_in_does_not_count(tmp_path: Path) -> None:
    origin = "class/eve/Anna Li_101_assignsubmission_file_/layer_norm.py"
    found = fill(tmp_path, MOODLE, {"eve": "", "Anna Li": ""}, mark("eve", origin=origin))
    assert (found.table.as_bytes(), found.without_row) == (MOODLE.encode(), ("eve",))


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ("1020", "357"),
        ('"1,020.00"', "357"),
        ('"1.020,00"', "357"),
        ("1 020", "357"),
        ("1\u202f020", "357"),
        ("1'020.0", "357"),
        ("20.00", "7"),
    ],
)
def test_maximum_may_have_a_separator_of_thousands(cell: str, written: str, tmp_path: Path) -> None:
    text = CANVAS.replace(",20,10,", f",{cell},10,")
    assert f"anna,1,{written},".encode() in fill(tmp_path, text, {"Li, Anna": "11"}, mark("Li, Anna"), scale=True).table.as_bytes()


@pytest.mark.parametrize("cell", ["1,000", "1.000", "1,000,5", "20 points", "1,00,000"])
def test_uncertain_maximum_is_refused(cell: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r'It is not certain which number the maximum ".*" in ".*marks\.csv" is'):
        fill(tmp_path, CANVAS.replace(",20,10,", f',"{cell}",10,'), {"Li, Anna": "11"}, mark("Li, Anna"), scale=True)


def test_line_for_excel_is_no_row_of_titles(tmp_path: Path) -> None:
    assert fill(tmp_path, "sep=,\r\n" + MOODLE, {"Anna Li": "101"}, mark("Anna Li")).students == 1


@pytest.mark.parametrize("name", ["anna  li", "ANNA LI", "annali"])
def test_name_counts_if_no_number_does(name: str, tmp_path: Path) -> None:
    assert b'grading",7,20.00' in fill(tmp_path, MOODLE, {name: ""}, mark(name)).table.as_bytes()


def test_number_does_not_count_against_a_name(tmp_path: Path) -> None:
    found = fill(tmp_path, MOODLE, {"Anna Li": "103", "Bob Ray": "102"}, mark("Anna Li", points=1), mark("Bob Ray", points=2))
    assert b'grading",1,20.00' in found.table.as_bytes() and b"Bob Ray,,-,2," in found.table.as_bytes()
    assert found.without_mark == ("Participant 102, O'Brien, Siobhán",)


def test_no_row_is_that_of_two_students(tmp_path: Path) -> None:
    found = fill(tmp_path, MOODLE, {"Anna Li": "", "anna li": ""}, mark("Anna Li"), mark("anna li", points=1))
    assert found.table.as_bytes() == MOODLE.encode()
    assert (found.students, found.without_row) == (0, ("Anna Li", "anna li"))


def test_a_name_in_two_rows_finds_none(tmp_path: Path) -> None:
    found = fill(tmp_path, MOODLE.replace("Bob Ray", "Anna Li"), {"Anna Li": ""}, mark("Anna Li"))
    assert (found.table.as_bytes(), found.without_row) == (MOODLE.replace("Bob Ray", "Anna Li").encode(), ("Anna Li",))


def test_titles_may_be_in_the_language_of_the_site(tmp_path: Path) -> None:
    titles = "ID,Vollständiger Name,Bewertung,Bestwertung,Zuletzt geändert (Bewertung)\r\n"
    text = titles + 'Teilnehmer/in7,Anna Li,"3,50","20,00",-\r\n'
    half = replace(mark("Anna Li"), override=Override("Anna Li", "layer_norm", 7.5, 7, "x", "y", datetime(2026, 11, 28, tzinfo=UTC)))
    assert fill(tmp_path, text, {"Anna Li": "7"}, half).table.as_bytes().decode() == text.replace("3,50", "7,5")


def test_column_can_be_named(tmp_path: Path) -> None:
    text = MOODLE.replace("Grade,", "Hinde,")
    assert b'grading",7,' in fill(tmp_path, text, {"Anna Li": "101"}, mark("Anna Li"), columns=("Hinde",)).table.as_bytes()
    with pytest.raises(UsageError) as error:
        fill(tmp_path, text, {"Anna Li": "101"}, mark("Anna Li"))
    assert str(error.value) == (
        f'No column of "{tmp_path}/marks.csv" is known to be for the marks. Choose one of its columns with --column TITLE: "Identifier", '
        '"Full name", "Email address", "Status", "Hinde", "Maximum grade", "Last modified (grade)", "Feedback comments".'
    )


def test_moodle_needs_the_time_of_the_last_change(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as error:
        fill(tmp_path, MOODLE.replace("Last modified (grade)", "Last"), {"Anna Li": "101"}, mark("Anna Li"))
    assert str(error.value) == (
        f'"{tmp_path}/marks.csv" has no column "Last modified (grade)", and Moodle refuses it without. Download the worksheet once more.'
    )


def test_another_maximum_is_refused_or_scaled(tmp_path: Path) -> None:
    text = MOODLE.replace("20.00", "100.00")
    with pytest.raises(UsageError) as error:
        fill(tmp_path, text, {"Anna Li": "101"}, mark("Anna Li"))
    assert str(error.value) == (
        f'The maximum in "{tmp_path}/marks.csv" is 100, and layer_norm gives 20 points. Use --scale to convert the points, or change the '
        "maximum there."
    )
    assert b'grading",35,100.00' in fill(tmp_path, text, {"Anna Li": "101"}, mark("Anna Li"), scale=True).table.as_bytes()


def test_one_column_needs_one_exercise_or_the_sum(tmp_path: Path) -> None:
    students, marks = {"Anna Li": "101"}, (mark("Anna Li"), mark("Anna Li", "rms_norm", 3, 20))
    with pytest.raises(UsageError) as error:
        fill(tmp_path, MOODLE, students, *marks)
    assert str(error.value) == (
        f'"{tmp_path}/marks.csv" has one column for grades, and there are 2 exercises: layer_norm, rms_norm. Choose one with '
        "--exercise SLUG, or their sum with --total."
    )
    assert b'grading",3,' in fill(tmp_path, MOODLE, students, *marks, exercise="rms_norm").table.as_bytes()
    assert b'grading",3,' in fill(tmp_path, MOODLE, students, *marks, columns=("rms_norm=Grade",)).table.as_bytes()
    forty = MOODLE.replace("20.00", "40.00")
    assert b'grading",10,' in fill(tmp_path, forty, students, *marks, total=True).table.as_bytes()


def test_unknown_exercise_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as error:
        fill(tmp_path, MOODLE, {"Anna Li": "101"}, mark("Anna Li"), exercise="layernorm")
    assert str(error.value) == 'No exercise "layernorm" has a mark. Did you mean "layer_norm"? These have: layer_norm.'


def test_export_of_canvas_is_filled_in(tmp_path: Path) -> None:
    marks = mark("Li Anna"), mark("raybob", "rms_norm", 3, 10), mark("raybob", "batch_norm")
    found = fill(tmp_path, CANVAS, {"Li Anna": "11", "raybob": ""}, *marks)
    assert found.table.as_bytes().decode() == CANVAS.replace(",anna,1,,", ",anna,1,7,").replace(",bob,1,5,,", ",bob,1,5,3,")
    assert (found.students, found.without_mark, found.without_column) == (2, (), ("batch_norm",))


def test_columns_of_canvas_can_be_named(tmp_path: Path) -> None:
    found = fill(tmp_path, CANVAS, {"A": "11"}, mark("A", possible=10), columns=("layer_norm=RMS-Norm (4712)",))
    assert ",anna,1,,7," in found.table.as_bytes().decode()


def test_maximum_of_canvas_is_compared(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is 20, and layer_norm gives 10 points"):
        fill(tmp_path, CANVAS, {"A": "11"}, mark("A", possible=10))


def test_two_alike_columns_are_not_guessed(tmp_path: Path) -> None:
    text = CANVAS.replace("RMS-Norm (", "Layer  Norm (")
    with pytest.raises(UsageError) as error:
        fill(tmp_path, text, {"A": "11"}, mark("A"))
    assert str(error.value) == (
        'Several columns may be for layer_norm: "Layer norm (4711)", "Layer  Norm (4712)". Choose one with --column layer_norm="TITLE".'
    )


@pytest.mark.parametrize("columns", [("Grade", "Status"), ("Grade",)])
def test_title_without_exercise_is_not_guessed(columns: tuple[str, ...], tmp_path: Path) -> None:
    with pytest.raises(UsageError) as error:
        fill(tmp_path, CANVAS, {"A": "11"}, mark("A"), mark("A", "rms_norm"), columns=columns)
    assert str(error.value) == "--column needs SLUG=TITLE here, with one of these exercises: layer_norm, rms_norm."


def test_missing_title_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r'marks.csv" has 0 columns "Norm"\. Choose one of its columns with --column SLUG="TITLE": "Stu'):
        fill(tmp_path, CANVAS, {"A": "11"}, mark("A"), columns=("Norm",))


@pytest.mark.parametrize("text", ["", "name,points\nAnna,3\n", "Identifier,Grade\nParticipant 1,\nGast 2,\n"])
def test_other_files_are_neither(text: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r'marks.csv" is neither a worksheet of Moodle, .* nor a gradebook of Canvas'):
        fill(tmp_path, text, {"Anna": ""}, mark("Anna"))


def test_slug_is_found_in_titles_of_assignments_only() -> None:
    assert [slug_of(title) for title in ("Batch  Norm-2d (12)", "Layer norm", "Final Score")] == ["batch_norm_2d", "", ""]
