"""What a mistake does to the numbers: examples that are played, where it shows and where it hides."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest

from normgrade import cli
from normgrade.course.course import Course
from normgrade.course.mistakes import read_mistakes
from normgrade.grade import Desk, Options, at_desk
from normgrade.learner.attempts import Attempt, Attempts
from normgrade.learner.explanation import Explanation, explain
from normgrade.report.report import Outcome

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def explained(tiny: Course, expectations: Path) -> Mapping[tuple[str, str], Explanation]:
    """Every mistake of the tiny course."""

    def all_of_them(desk: Desk) -> dict[tuple[str, str], Explanation]:
        return {(each.slug, mistake.name): explain(desk, each, mistake) for each in tiny for mistake in read_mistakes(each)}

    return at_desk(list(tiny), Options(), all_of_them)


def test_where_it_shows_right_and_wrong_differ_by_more_than_is_allowed(explained: Mapping[tuple[str, str], Explanation]) -> None:
    shown = [found.shows for found in explained.values() if found.shows is not None]
    assert len(shown) >= len(explained) - 1
    for example in shown:
        numbers = example.difference.numbers
        assert example.check.outcome is Outcome.FAILED and numbers is not None
        assert not (np.abs(numbers.expected - numbers.actual) <= numbers.allowed).all()


def test_where_it_hides_they_do_not(explained: Mapping[tuple[str, str], Explanation]) -> None:
    hidden = [found.hides for found in explained.values() if found.hides is not None]
    assert hidden != []
    for example in hidden:
        numbers = example.difference.numbers
        assert example.check.outcome is Outcome.PASSED and example.check.kind != "interface" and numbers is not None
        assert (np.abs(numbers.expected - numbers.actual) <= numbers.allowed).all()


def test_the_command_says_what_it_is_and_shows_both(run: Run) -> None:
    code, out, err = run("explain", "one-for-all-rows")
    assert (code, err) == (0, "")
    assert out.startswith("one-for-all-rows · rms ") and "It shows here: Every row is divided by its own root mean square." in out
    assert "at right wrong off by allowed" in out and "It hides here: " in out


def test_a_mistake_nobody_knows_is_named_with_the_nearest(run: Run) -> None:
    code, out, err = run("explain", "one-for-all-row")
    assert (code, out) == (2, "")
    assert err == 'Error: No mistake is called "one-for-all-row". Did you mean "one-for-all-rows"? A diagnosis gives the names.'


@pytest.mark.parametrize("level", ["claims", "score"])
def test_a_course_that_reveals_less_keeps_its_numbers(level: str, run: Run, edited_course: Callable[..., Course]) -> None:
    course = edited_course({"course.toml": f'reveal = "{level}"\n'})
    code, _, err = run("explain", "one-for-all-rows", "--course", str(course.root))
    assert code == 2 and err == f'Error: The course keeps the numbers of rms to itself: it reveals "{level}", and not everything.'


def test_of_several_exercises_the_one_where_it_was_made_last_is_meant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from datetime import UTC, datetime

    from normgrade.cli.explain import preferred

    monkeypatch.chdir(tmp_path)
    course = Course(Path(__file__).parents[1] / "fixtures" / "courses" / "tiny")
    assert preferred(course, ["rms", "centring"], "x") == "rms"
    (tmp_path / "normgrade.toml").touch()
    assert preferred(course, ["rms", "centring"], "x") == "rms"
    made = Attempt(datetime.now(UTC), "centring", Outcome.FAILED, 1, 10, ("x",))
    Attempts(tmp_path / ".normgrade" / "progress.db").add([made])
    assert preferred(course, ["rms", "centring"], "x") == "centring"


# Completion


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_is_told_how_to_complete(shell: str, run: Run) -> None:
    code, out, err = run("completion", shell)
    assert (code, err) == (0, "") and out.startswith("# normgrade; this belongs in ~/.") and "_NORMGRADE_COMPLETE" in out


def test_the_shell_in_use_is_the_usual_one(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHELL", "/usr/bin/fish")
    assert "normgrade.fish" in run("completion")[1]
    monkeypatch.setenv("SHELL", "/bin/tcsh")
    code, _, err = run("completion")
    assert code == 2 and err == 'Error: No completion is known for the shell "tcsh". Name one of bash, zsh, fish.'


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("normgrade ex", {"explain"}),
        ("normgrade check r", {"rms"}),
        ("normgrade hint ", {"rms", "centring"}),
        ("normgrade solution c", {"centring"}),
        ("normgrade check --require", {"--require-isolation"}),
    ],
)
def test_slugs_commands_and_options_are_completed(
    words: str, wanted: set[str], run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("_NORMGRADE_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split(" ")) - 1))
    with pytest.raises(SystemExit):
        cli.run([])
    completed = {line.partition(",")[2] for line in capsys.readouterr().out.splitlines() if line.startswith("plain,")}
    assert completed == wanted
