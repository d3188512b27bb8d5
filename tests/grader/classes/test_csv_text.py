"""Tests of CSV files that are changed cell by cell: what nobody asked for stays, byte by byte."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from normgrade.classes.csv_text import LIMIT_BYTES, Table, read_table, rows_of
from normgrade.language.errors import UsageError

FORMS = (
    b"a,b\r\n1,2\r\n",
    b"\xef\xbb\xbfa;b\n1;2",
    b'"a","b ""c"""\r1,"2\n3"\r',
    b"a\tb\t\n\n  \n1\t2\n",
    b"Zo\xeb,b\n1,2\n",
    b'a,b\n x "y" z,"2" 3\n',
    b"",
    b"\n",
)


def table(content: bytes, folder: Path) -> Table:
    path = folder / "marks.csv"
    path.write_bytes(content)
    return read_table(path)


@pytest.mark.parametrize("content", FORMS)
def test_a_file_stays_as_it_was(content: bytes, tmp_path: Path) -> None:
    assert table(content, tmp_path).as_bytes() == content


@given(st.text('a",;\r\n ', max_size=30))
def test_every_text_comes_back_or_is_refused(text: str) -> None:
    rows = rows_of(text, ",")
    assert rows is None or "".join(cell.raw + cell.end for row in rows for cell in row) == text


def test_only_the_named_cell_changes(tmp_path: Path) -> None:
    found = table(b'\xef\xbb\xbfname;points;"note"\r\n"Li; Anna";"";"=1+1"\r\nBob;3;x\r\n', tmp_path)
    changed = found.with_values({(1, 1): "7,5", (2, 1): "8"})
    assert changed.as_bytes() == b'\xef\xbb\xbfname;points;"note"\r\n"Li; Anna";"7,5";"=1+1"\r\nBob;8;x\r\n'


def test_value_is_quoted_if_it_has_to_be(tmp_path: Path) -> None:
    found = table(b"a,b\n1,2\n", tmp_path)
    assert found.with_values({(1, 0): "7,5", (1, 1): 'a"b'}).as_bytes() == b'a,b\n"7,5","a""b"\n'


def test_a_short_row_grows_to_the_column(tmp_path: Path) -> None:
    assert table(b"a,b,c\r\n1\r\n", tmp_path).with_values({(1, 2): "7"}).as_bytes() == b"a,b,c\r\n1,,7\r\n"


def test_values_are_read_without_quotes_and_blanks(tmp_path: Path) -> None:
    found = table(b'\n"a ""b"""; c \n;\n1;"2\n3";4\n', tmp_path)
    assert (found.titles, dict(found.below)) == (('a "b"', "c"), {3: ("1", "2\n3", "4")})


def test_a_mark_of_byte_order_can_be_added(tmp_path: Path) -> None:
    assert table(b"Zo\xeb\n", tmp_path).as_bytes(with_bom=True) == b"\xef\xbb\xbfZo\xc3\xab\n"
    assert table(b"\xef\xbb\xbfa\n", tmp_path).as_bytes(with_bom=True) == b"\xef\xbb\xbfa\n"


@pytest.mark.parametrize(
    ("content", "why"), [(b'a,"b\n', "a quotation mark is not closed"), ("a,b\n".encode("utf-16"), "it has NUL bytes")]
)
def test_other_files_are_refused(content: bytes, why: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as error:
        table(content, tmp_path)
    assert str(error.value) == f'"{tmp_path}/marks.csv" is not CSV ({why}): pass the file as it was downloaded.'


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as error:
        read_table(tmp_path / "marks.csv")
    assert str(error.value) == f'"{tmp_path}/marks.csv" cannot be read (No such file or directory): pass the file that was downloaded.'


def test_huge_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as error:
        table(b"a" * (LIMIT_BYTES + 1), tmp_path)
    assert str(error.value) == f'"{tmp_path}/marks.csv" is larger than 32 MiB: pass the file as it was downloaded.'
