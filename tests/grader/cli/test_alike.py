"""Tests of answers that are alike, as people see them: names, marks, lines that are long or hostile."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from normgrade.classes.similar.answers import Answer
from normgrade.classes.similar.fingerprints import Lines
from normgrade.classes.similar.similarity import Pair, Ranking, Similarity
from normgrade.cli.alike import as_text, grid, marked, some


def answer(student: str, source: str = "", *own: int) -> Answer:
    return Answer(student, source, student.encode(), {number: (Lines(number, number),) for number in own})


def test_many_names_are_counted() -> None:
    names = [some("ABCDEFG"[:number]) for number in (1, 2, 5, 6, 7)]
    assert names == ["A", "A and B", "A, B, C, D and E", "A, B, C, D, E and 1 more", "A, B, C, D, E and 2 more"]


def test_a_name_stays_on_its_line() -> None:
    assert some(["A\nB\t\x1b[31m"]) == "A·B··[31m"


def test_only_shared_lines_are_marked() -> None:
    rows = marked("Li", "a\nb\x0cc\r\nd\n", [Lines(2, 2)])
    assert [(number.plain, line.plain) for number, line in rows] == [("", "Li"), ("    1", "a"), ("▌   2", "b·c"), ("    3", "d")]
    assert [str(line.style) for _number, line in rows] == ["bold", "dim", "bold yellow", "dim"]


@pytest.mark.parametrize("width", [40, 80, 160])
def test_long_lines_are_folded_within_the_width(width: int) -> None:
    console = Console(file=io.StringIO(), width=width)
    row = marked("Li", "x" * 300, [])[1]
    console.print(grid([(*row, *row)] if width == 160 else [row]))
    assert isinstance(console.file, io.StringIO)
    lines = console.file.getvalue().splitlines()
    assert max(map(len, lines)) <= width and sum(line.count("x") for line in lines) == (600 if width == 160 else 300)


def test_a_small_class_has_no_base_rate() -> None:
    one, other = answer("A", "a\nb\n", *range(1, 9)), answer("B", "a\nc\n", *range(5, 13))
    similarity = Similarity.of([one, other])
    assert as_text([Ranking("rms", similarity, [Pair(one, other, 4)])], whole=True) == (
        "rms · A · B\n"
        "Score 0.50: of 8 and 8 fingerprints of their own they share 4.\n"
        "2 answers are compared. To tell how usual a score is, a class needs at least 10.\n"
        "      A\n    1 a\n    2 b\n"
        "      B\n    1 a\n    2 c\n"
        "\n"
        "A mark stands at lines with code that both have. Answers can be alike for many\n"
        "reasons: read both before you judge.\n"
    )


def test_identical_files_need_no_score() -> None:
    one, other = (Answer(name, "a\n", b"same", answer("", "", *range(9)).own) for name in "AB")
    said = as_text([Ranking("rms", Similarity.of([one, other]), [Pair(one, other, 9)])], whole=True)
    assert said.startswith("rms · A · B\nThe files are identical except for whitespace.\n1 answer can be compared, and a pair takes two.\n")
