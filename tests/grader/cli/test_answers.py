"""Tests of `normgrade hint` and `normgrade solution`."""

from __future__ import annotations

import io
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from rich.console import Console

from normgrade import cli
from normgrade.cli.answers import beside, rows
from normgrade.course.course import Course
from normgrade.course.mistakes import read_mistakes
from normgrade.course.package import carried
from normgrade.learner.standing import Attempt, Attempts
from normgrade.report.report import Outcome

# Hints


NEXT = "Next is {0} (level {1}, {2}). Run `normgrade show {0}` to see the task, and write your code in {0}.py."
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """Return the folder that commands run in."""
    return tmp_path


def test_diagnosis_is_the_first_hint(run: Run, here: Path, tiny: Course) -> None:
    run("init", ".")
    [mistake] = [each for each in read_mistakes(tiny.exercise("rms")) if each.name == "sum-for-mean"]
    (here / "rms.py").write_text(mistake.source, encoding="utf-8")
    assert "sum-for-mean" in run("check", "rms")[1]
    assert run("hint", "rms")[1] == (
        "The diagnosis of your last check was sum-for-mean: The squares are added up. Average them. (1 more hint)"
    )
    assert run("hint", "rms")[1] == "Square, average, take the root. (This was the last hint.)"


def test_attempts_of_an_older_version_give_hints(run: Run, here: Path) -> None:
    run("init", ".")
    hint = "Average over the last dimension."  # version 1 kept the text of the hint, and no name of a check
    attempts = [Attempt(datetime.now(UTC), "rms", Outcome.FAILED, 1, 8, mistakes, "", hint) for mistakes in ((), ("sum-for-mean", "gone"))]
    progress = Attempts(here / ".normgrade/progress.db")
    progress.add(attempts[:1])
    assert run("hint", "rms")[1] == "About the first failure of your last check: Average over the last dimension. (1 more hint)"
    progress.add(attempts[1:])
    assert run("hint", "rms")[1].startswith("The diagnosis of your last check was sum-for-mean: ")
    assert run("hint", "rms")[1] == "Square, average, take the root. (This was the last hint.)"


def test_next_exercise_follows_instead_of_a_hint(run: Run, here: Path, tiny: Course) -> None:
    run("init", ".")
    progress = Attempts(here / ".normgrade/progress.db")
    progress.add([Attempt(datetime.now(UTC), "rms", Outcome.PASSED, 8, 8)])
    out = run("hint", "rms")[1]
    assert out == f"rms passed your last check, so there are no hints. {NEXT.format('centring', 2, 'Layers')}"
    assert progress.given("rms") == set()


def test_hints_have_numbers_without_a_workspace(run: Run, edited_course: Callable[..., Course]) -> None:
    assert run("hint", "rms") == (0, "Square, average, take the root. (This was the last hint.)", "")
    none = "There are no more hints for {}. Run `normgrade solution {} --spoil` to see the answer."
    assert run("hint", "rms", "2")[:2] == (0, none.format("rms", "rms"))
    assert run("hint", "centring")[:2] == (0, none.format("centring", "centring"))
    course = edited_course({"exercises/rms/exercise.toml": [('["Square', '["Look.", "Square')], "course.toml": 'reveal = "claims"\n'})
    of_two = ("hint", "rms", "--course", str(course.root))
    assert run(*of_two)[1] == "Look. (Hint 1 of 2. Run `normgrade hint rms 2` for the next one.)"
    assert run(*of_two, "3")[1] == "There are no more hints for rms."


@pytest.mark.parametrize(("first", "then"), [("en", "zh"), ("zh", "en")])
def test_another_language_gives_no_hint_again(first: str, then: str, run: Run, here: Path) -> None:
    run("init", ".", "--course", str(carried()))
    Attempts(here / ".normgrade/progress.db").add([Attempt(datetime.now(UTC), "rms_norm", Outcome.FAILED, 1, 20)])
    hints = len(Course(carried()).exercise("rms_norm").hints)
    given = [run("hint", "rms_norm", "--course", str(carried()), "--lang", language)[1] for language in (first, then) * hints]
    assert len({*given[:hints]}) == hints and all("rms_norm" in each for each in given[hints:])


# Solutions


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
