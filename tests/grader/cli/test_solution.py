"""Tests of the command `solution`: a file that passes, in one language, after passing or with --spoil."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from normgrade import cli
from normgrade.cli.solution import beside, rows
from normgrade.course.course import Course
from normgrade.course.package import carried

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """Return the folder that commands run in."""
    return tmp_path


def test_piped_solution_is_a_file_that_passes(
    run: Run, here: Path, tiny: Course, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for way, path in ((), tiny.exercise("rms").reference), (("einsum",), tiny.exercise("rms").alternatives[0]):
        assert cli.run(["solution", "rms", *way, "--spoil"]) == 0
        printed = capsys.readouterr().out
        assert printed == path.read_text(encoding="utf-8")
        (here / "rms.py").write_text(printed, encoding="utf-8")
        assert run("check", "rms.py")[0] == 0


@pytest.mark.parametrize(("language", "begins"), [("en", "The sums are contractions: "), ("zh", "求和写成缩并：")])
def test_a_solution_speaks_one_language(language: str, begins: str, run: Run) -> None:
    out = run("solution", "layer_norm", "einsum_statistics", "--spoil", "--course", str(carried()), "--lang", language)[1]
    assert out.startswith(f'"""{begins}') and '""" import math from' in out and "zh:" not in out


@pytest.mark.parametrize("level", ["claims", "score"])
def test_a_course_that_reveals_less_keeps_its_solutions(level: str, run: Run, edited_course: Callable[..., Course]) -> None:
    course = edited_course({"course.toml": f'reveal = "{level}"\n'})
    code, out, err = run("solution", "rms", "--spoil", "--course", str(course.root))
    assert (code, out) == (2, "")
    assert err == f'Error: The course does not reveal the solution of rms: its setting `reveal` is "{level}", not "full".'


# Two sources side by side

OWN = "import torch\n\nmean = x.mean()\nreturn x - mean\n"
OTHER = "import torch\n\nreturn x - x.mean()\n"


def shown(own: str, other: str, width: int = 80) -> list[str]:
    console = Console(file=io.StringIO(), width=width, force_terminal=False, color_system=None)
    console.print(beside(("yours", own), ("reference", other)))
    assert isinstance(console.file, io.StringIO)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


def test_equal_lines_share_a_row_without_a_mark() -> None:
    assert list(rows(["a", "b"], ["a", "b"])) == [("a", "a", True), ("b", "b", True)]
    assert not set("".join(shown(OWN, OWN))) & set("−+")


@pytest.mark.parametrize(
    ("left", "right", "paired"),
    [
        (["a"], ["b"], [("a", "b", False)]),
        (["a", "b"], ["a"], [("a", "a", True), ("b", None, False)]),
        (["b"], ["a", "b"], [(None, "a", False), ("b", "b", True)]),
        (["a", "b"], ["c"], [("a", "c", False), ("b", None, False)]),
        ([], [], []),
    ],
)
def test_different_lines_are_paired_and_missing_ones_none(left: list[str], right: list[str], paired: list[object]) -> None:
    assert list(rows(left, right)) == paired


def test_marks_show_the_side_of_a_line() -> None:
    lines = shown(OWN, OTHER)
    assert lines[0].split() == ["yours", "reference"]
    assert lines[1].split() == ["import", "torch", "import", "torch"]
    assert lines[3].startswith("− mean = x.mean()") and "+ return x - x.mean()" in lines[3]
    assert lines[4] == "− return x - mean"


def test_markup_in_a_source_is_text() -> None:
    assert any("[red]x[/red]" in line for line in shown("[red]x[/red]\n", ""))


def test_a_long_line_is_folded_not_cut() -> None:
    text = "x" * 100
    assert "".join(shown(text, text, width=40)).count("x") == 200
