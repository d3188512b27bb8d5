"""Reading and parsing a submission within bounds; if either fails, the reason is a finding."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from normgrade.course.exercise import Exercise
from normgrade.inspection.inspection import Inspection, inspect_file, inspect_source
from normgrade.report.report import Finding, Rule

SOURCES = Path(__file__).parents[1] / "fixtures" / "inspection"
RIGHT = (SOURCES / "right.py").read_text()

Inspect = Callable[..., Inspection]
FindingOf = Callable[..., Finding]


def the_path_finding(path: Path, exercise: Exercise) -> str:
    inspection = inspect_file(path, exercise)
    [finding] = inspection.findings
    assert (inspection.source, inspection.runnable, finding.rule, finding.line, finding.column) == (None, False, "file", 0, 0)
    return finding.text


def test_a_path_through_a_file_is_a_finding(tmp_path: Path, exercise: Exercise) -> None:
    (tmp_path / "file").touch()
    path = tmp_path / "file" / "layer_norm.py"
    assert the_path_finding(path, exercise) == f"{path} cannot be read (Not a directory): check the path, or pass another file."


def test_a_file_swapped_for_a_link_is_not_followed(tmp_path: Path, exercise: Exercise, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "there.py").write_text(RIGHT)
    link, regular = tmp_path / "link.py", (tmp_path / "there.py").stat()
    link.symlink_to("there.py")
    with monkeypatch.context() as patch:
        patch.setattr("normgrade.course.files.os.lstat", lambda path, **_: regular)
        found = the_path_finding(link, exercise)
    assert found == f"{link} cannot be read (Too many levels of symbolic links): check the path, or pass another file."


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_file_swapped_for_a_pipe_does_not_block(tmp_path: Path, exercise: Exercise, monkeypatch: pytest.MonkeyPatch) -> None:
    pipe, regular = tmp_path / "pipe.py", (tmp_path / "exercises/layer_norm/layer_norm.py").stat()
    os.mkfifo(pipe)
    with monkeypatch.context() as patch:
        patch.setattr("normgrade.course.files.os.lstat", lambda path, **_: regular)
        found = the_path_finding(pipe, exercise)
    assert found == f"{pipe} is a named pipe, not a file: pass the path of a Python file."


def test_a_file_without_permission_is_a_finding(tmp_path: Path, exercise: Exercise, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "mine.py"
    path.write_text(RIGHT)

    def refuse(*_: object, **__: object) -> int:  # the superuser may read any file, so chmod would prove nothing
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("normgrade.inspection.source.os.open", refuse)
    expected = f"{path} cannot be read because of its permissions: run `chmod u+r {path}`."
    assert the_path_finding(path, exercise) == expected


def test_a_file_of_64_kib_is_read(inspect: Inspect) -> None:
    assert inspect(RIGHT + "#" * (65536 - len(RIGHT))).findings == ()


def test_a_larger_file_is_a_finding(tmp_path: Path, exercise: Exercise) -> None:
    path = tmp_path / "large.py"
    path.write_text(RIGHT + "#" * (65537 - len(RIGHT)))
    assert the_path_finding(path, exercise) == f"{path} is larger than 64 KiB (65536 bytes): submit only the code of this exercise."


def test_another_encoding_is_a_finding_with_its_byte(inspect: Inspect, tmp_path: Path) -> None:
    inspection = inspect("é = 1\ns = 'x".encode() + b"\xff'\n")
    text = f"{tmp_path / 'layer_norm.py'} is not UTF-8: byte 14 is 0xff. Save it as UTF-8 in your editor."
    assert inspection == Inspection(None, (Finding(2, 7, Rule.FILE, text),), started=True)


def test_bytes_are_counted_from_the_byte_order_mark(finding_of: FindingOf) -> None:
    assert "byte 5 is 0xff" in finding_of(b"\xef\xbb\xbfa\xff").text


def test_a_byte_order_mark_is_not_source(inspect: Inspect) -> None:
    assert inspect(b"\xef\xbb\xbf" + RIGHT.encode()) == Inspection(RIGHT, (), started=True)


@pytest.mark.parametrize(
    "head",
    [
        "# -*- coding: latin-1 -*-\n",
        "#!/usr/bin/env python3\n# vim: set fileencoding=latin-1 :\n",
        "\n# coding=iso-8859-1\n",
        "# coding: latin-1\n# coding: utf-8\n",
    ],
)
def test_the_encoding_of_the_first_lines_is_used(inspect: Inspect, head: str) -> None:
    source = f"{head}# café\n{RIGHT.encode('ascii', 'replace').decode()}"
    inspection = inspect(source.encode("latin-1"))
    assert (inspection.source, inspection.findings) == (source, ())


@pytest.mark.parametrize("head", ["# coding: utf-8\n", "x = 1\n# coding: latin-1\n", "\n\n# coding: latin-1\n", "# encoded: latin-1\n"])
def test_any_other_comment_names_no_encoding(inspect: Inspect, head: str) -> None:
    assert inspect(f"{head}# é\n{RIGHT}").findings == ()


@pytest.mark.parametrize("encoding", ["no-such-encoding", "utf-16", "utf-7", "rot13", "hex", "unicode_escape"])
def test_an_impossible_encoding_is_a_finding(finding_of: FindingOf, encoding: str) -> None:
    text = f"This line declares the encoding {encoding}, which Python source cannot use: save the file as UTF-8."
    assert finding_of(f"\n# coding: {encoding}\n{RIGHT}") == Finding(2, 1, Rule.FILE, text)


def test_a_byte_outside_the_encoding_is_a_finding(finding_of: FindingOf, tmp_path: Path) -> None:
    text = f"{tmp_path / 'layer_norm.py'} is not ASCII: byte 22 is 0xc3. Save it as UTF-8 in your editor."
    assert finding_of("# coding: ascii\nx = '\u00e9'\n".encode()) == Finding(2, 6, Rule.FILE, text)


def test_a_nul_byte_is_a_finding(inspect: Inspect) -> None:
    inspection = inspect(RIGHT + "\nx = '\0'\n")
    text = "The file contains a NUL byte, which is not allowed in Python source: save it again as plain text."
    assert inspection.findings == (Finding(RIGHT.count("\n") + 2, 6, Rule.FILE, text),)
    assert not inspection.runnable


def test_a_syntax_error_shows_its_line_and_column(inspect: Inspect) -> None:
    inspection = inspect("x = 1\nf(a b)\n")
    text = "The file is not valid Python: invalid syntax. Perhaps you forgot a comma?\n    f(a b)\n      ^"
    assert inspection == Inspection("x = 1\nf(a b)\n", (Finding(2, 3, Rule.SYNTAX, text),), started=True)
    assert not inspection.runnable


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("if x:\n\t\ty = = 2", "            y = = 2\n                ^"),
        ("é = '日本'; y = = 2", "    é = '日本'; y = = 2\n         \u3000\u3000       ^"),
        ("e\u0301 = 'e\u0301'; y = = 2", "    e\u0301 = 'e\u0301'; y = = 2\n                 ^"),
        ("x = '\x1b[31m'; y = = 2", "    x = '·[31m'; y = = 2\n                     ^"),
    ],
)
def test_the_caret_is_under_the_column(finding_of: FindingOf, line: str, shown: str) -> None:
    assert finding_of(line).text.partition("\n")[2] == shown


def test_a_long_line_is_cut_around_the_caret(finding_of: FindingOf) -> None:
    _, line, caret = finding_of("x = '" + "a" * 500 + "'; y = = '" + "b" * 500 + "'").text.split("\n")
    assert len(line) < 120
    assert line.startswith("    …a") and line.endswith("b…")
    assert line[len(caret) - 1] == "=" and line[len(caret) - 3] == "="


def test_a_form_feed_does_not_shift_lines(finding_of: FindingOf) -> None:
    finding = finding_of("x = 1\n\x0c\ny = = 2\n")
    assert (finding.line, finding.text.split("\n")[1]) == (3, "    y = = 2")


def test_an_error_after_the_last_line_shows_that_line(finding_of: FindingOf) -> None:
    assert finding_of("x = 1\nif x:").text.endswith("\n    if x:\n         ^")


@pytest.mark.parametrize("source", ["-" * 60000 + "1", "1" + "+1" * 30000, "a" + ".b" * 30000, "x = " + "0 if x else " * 5000 + "0"])
def test_a_source_too_deep_for_python_is_a_finding(finding_of: FindingOf, source: str) -> None:
    text = "The file is too deeply nested to be read: split its longest expressions or blocks into named steps."
    assert finding_of(source) == Finding(0, 0, Rule.SYNTAX, text)


def test_a_source_too_deep_for_inspection_is_a_finding(inspect: Inspect) -> None:
    inspection = inspect(RIGHT + "x = 1" + "+1" * 800)
    assert inspection.findings[0].text.startswith("The file is too deeply nested to be read")
    assert not inspection.runnable


def test_too_many_parentheses_are_a_finding(finding_of: FindingOf) -> None:
    assert finding_of("(" * 30000 + ")" * 30000).text.startswith("The file is not valid Python: too many nested parentheses.\n")


def test_an_odd_character_is_a_finding(exercise: Exercise) -> None:
    [finding] = inspect_source("x = '\ud800'", exercise).findings
    assert (finding.rule, "surrogates not allowed" in finding.text) == ("syntax", True)


def test_warnings_of_the_parser_stay_quiet(inspect: Inspect, recwarn: pytest.WarningsRecorder) -> None:
    assert inspect(RIGHT + r"x = '\d'; 1 is 1").findings == ()
    assert not recwarn.list
