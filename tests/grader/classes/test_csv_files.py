"""Tests of CSV files: all forms of other systems are read, only the named cells change, and marks can be read by spreadsheets."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kept_results import result

from normgrade.classes.csv_files import LIMIT_BYTES, Table, anonymous, canvas_csv, plain_csv, read_table
from normgrade.classes.hand_ins import Mark, Override
from normgrade.language.errors import UsageError


def table(content: bytes, folder: Path) -> Table:
    path = folder / "marks.csv"
    path.write_bytes(content)
    return read_table(path)


@pytest.mark.parametrize(
    ("content", "written"),
    [
        (b"a,b\r\n1,2\r\n", b"a,b\r\n1,2\r\n"),
        (b"\xef\xbb\xbfa;b\n1;2", b"\xef\xbb\xbfa;b\r\n1;2\r\n"),
        (b'"a","b ""c"""\r1,"2\n3"\r', b'a,"b ""c"""\r\n1,"2\n3"\r\n'),
        (b"a\tb\t\n\n  \n1\t2\n", b"a\tb\t\r\n\r\n  \r\n1\t2\r\n"),
        (b"Zo\xeb,b\n1,2\n", b"Zo\xeb,b\r\n1,2\r\n"),
        (b"sep=;\r\na;b\r\n", b"sep=;\r\na;b\r\n"),
        (b"", b""),
    ],
)
def test_a_file_keeps_its_cells_and_its_encoding(content: bytes, written: bytes, tmp_path: Path) -> None:
    assert table(content, tmp_path).as_bytes() == written


@given(st.text('a",;\r\n ', max_size=30))
def test_cells_of_every_text_come_back_or_are_refused(text: str) -> None:
    with TemporaryDirectory() as folder:
        try:
            found = table(text.encode(), Path(folder))
        except UsageError:
            return
        again = csv.reader(StringIO(found.as_bytes().decode(), newline=""), delimiter=found.delimiter, strict=True)
        assert tuple(map(tuple, again)) == found.rows


def test_only_the_named_cell_changes(tmp_path: Path) -> None:
    found = table(b'\xef\xbb\xbfname;points;note\r\n"Li; Anna";;=1+1\r\nBob;3;x\r\n', tmp_path)
    changed = found.with_values({(1, 1): "7,5", (2, 1): "8"})
    assert changed.as_bytes() == b'\xef\xbb\xbfname;points;note\r\n"Li; Anna";7,5;=1+1\r\nBob;8;x\r\n'


def test_value_is_quoted_if_it_has_to_be(tmp_path: Path) -> None:
    found = table(b"a,b\n1,2\n", tmp_path)
    assert found.with_values({(1, 0): "7,5", (1, 1): 'a"b'}).as_bytes() == b'a,b\r\n"7,5","a""b"\r\n'


def test_a_short_row_grows_to_the_column(tmp_path: Path) -> None:
    assert table(b"a,b,c\r\n1\r\n", tmp_path).with_values({(1, 2): "7"}).as_bytes() == b"a,b,c\r\n1,,7\r\n"


def test_values_are_read_without_quotes_and_blanks(tmp_path: Path) -> None:
    found = table(b'\n"a ""b"""; c \n;\n1;"2\n3";4\n', tmp_path)
    assert (found.titles, dict(found.below)) == (('a "b"', "c"), {3: ("1", "2\n3", "4")})


def test_a_mark_of_byte_order_can_be_added(tmp_path: Path) -> None:
    assert table(b"Zo\xeb\n", tmp_path).as_bytes(with_bom=True) == b"\xef\xbb\xbfZo\xc3\xab\r\n"
    assert table(b"\xef\xbb\xbfa\n", tmp_path).as_bytes(with_bom=True) == b"\xef\xbb\xbfa\r\n"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b'a,"b\n', "unexpected end of data"),
        (b'name,id\n"Anna"x,7\n', "',' expected after '\"'"),
        (b"a,b\n" + b"x" * 200_000, "field larger than field limit (131072)"),
        ("a,b\n".encode("utf-16"), "it has NUL bytes"),
    ],
)
def test_other_files_are_refused(content: bytes, why: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as error:
        table(content, tmp_path)
    assert str(error.value) == f'"{tmp_path}/marks.csv" is not CSV ({why}): pass the file as it was downloaded, or save it as CSV in UTF-8.'


def test_missing_file_is_named(tmp_path: Path) -> None:
    for path, why in ((tmp_path / "no.csv", "No such file or directory"), (tmp_path, "it is a directory, not a file")):
        with pytest.raises(UsageError) as error:
            read_table(path)
        assert str(error.value) == f'"{path}" cannot be read ({why}): pass the path of a CSV file.'


def test_huge_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as error:
        table(b"a" * (LIMIT_BYTES + 1), tmp_path)
    assert str(error.value) == f'"{tmp_path}/marks.csv" is larger than 32 MiB: pass a CSV file with a row for each student.'


# Marks


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
