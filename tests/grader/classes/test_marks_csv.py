"""Tests of marks as CSV: sums, missing marks, formulas, and nameless students."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime

import pytest
from kept_results import result

from normgrade.classes.gradebook import Mark, Override
from normgrade.classes.marks_csv import anonymous, canvas_csv, plain_csv

BY_HAND = Override("李, Bob", "rms", 2.5, 1, "me", "", datetime.now(UTC))
STUDENTS = {"Anna": "7", "李, Bob": "", "Cem": "9"}
MARKS = {
    ("Anna", "rms"): Mark("Anna", "rms", result("Anna", "rms", 2, late=True)),
    ("Anna", "centring"): Mark("Anna", "centring", result("Anna", "centring", 3)),
    ("李, Bob", "rms"): Mark(
        "李, Bob", "rms", result("李, Bob", "rms", 1), Override("李, Bob", "rms", 2.5, 1, "me", "", datetime.now(UTC))
    ),
}


def rows(text: str) -> list[list[str]]:
    return [*csv.reader(io.StringIO(text))]


def test_plain_csv_has_points_and_sums() -> None:
    assert rows(plain_csv(STUDENTS, MARKS, ["centring", "rms"])) == [
        ["student", "id", "centring", "rms", "total", "possible", "percent", "late"],
        ["Anna", "7", "3", "2", "5", "28", "17.86", "rms"],
        ["李, Bob", "", "", "2.5", "2.5", "28", "8.93", ""],
        ["Cem", "9", "", "", "0", "28", "0", ""],
    ]


def test_plain_csv_of_nobody_is_its_titles() -> None:
    assert plain_csv({}, {}, []) == '"student","id","total","possible","percent","late"\r\n'


def test_canvas_csv_has_its_columns() -> None:
    assert rows(canvas_csv(STUDENTS, MARKS, {"rms": "RMS norm (4711)"})) == [
        ["Student", "ID", "SIS Login ID", "Section", "RMS norm (4711)"],
        ["    Points Possible", "", "", "", "14"],
        ["Anna", "7", "", "", "2"],
        ["李, Bob", "", "", "", "2.5"],
        ["Cem", "9", "", "", ""],
    ]


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", " =1", "\u3000=1", "＝1+1", "＋1", "－1", "＠A1"])
def test_formulas_are_defused(name: str) -> None:
    [_titles, row] = rows(plain_csv({name: name}, {}, []))
    assert [cell.replace("\r\n", "\n") for cell in row[:2]] == [f"'{name}", f"'{name}"]


@pytest.mark.parametrize(
    ("name", "defused"),
    [("Eve;=cmd|'calc'!A0", "Eve;'=cmd|'calc'!A0"), ("Eve\t =1", "Eve\t' =1"), ("\r=1", "\r'=1"), ("Li, -Anna", "Li,' -Anna")],
)
def test_formulas_after_a_separator_are_defused(name: str, defused: str) -> None:
    text = plain_csv({name: ""}, {}, [])
    assert rows(text)[1][0].removeprefix("'") == defused and text.splitlines()[0].startswith('"student"')


@pytest.mark.parametrize("name", ["Ray, Bob", "Anna-Lena", "a@b.org", "Week 2 (4711)", "x = 1"])
def test_other_texts_stay_as_they_are(name: str) -> None:
    assert rows(plain_csv({name: name}, {}, []))[1][:2] == [name, name]


def test_anonymous_marks_have_no_names() -> None:
    students, marks = anonymous(STUDENTS, MARKS)
    text = plain_csv(students, marks, ["centring", "rms"])
    assert not any(name in text for name in STUDENTS)
    assert sorted(row[4] for row in rows(text)[1:]) == ["0", "2.5", "5"]
    assert {row[0] for row in rows(text)[1:]} == {"1", "2", "3"}


def test_anonymous_order_tells_nothing() -> None:
    many = {f"S{number}": "" for number in range(40)}
    first, second = (anonymous(many, {("S0", "rms"): Mark("S0", "rms", result())})[1] for _ in range(2))
    assert {*first} != {*second} or {*first} != {*anonymous(many, {("S0", "rms"): Mark("S0", "rms", result())})[1]}
