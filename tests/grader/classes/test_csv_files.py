"""Tests of CSV files of other systems: all forms are read, and only the named cells change."""

from __future__ import annotations

import csv
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from normgrade.classes.csv_files import LIMIT_BYTES, Table, read_table
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
