"""Tests of words that a shell may complete: they come from the course's files, and unreadable files offer none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click
import pytest

from normgrade.cli import shell_words
from normgrade.course.course import Course

PARAMETER = click.Argument(["word"])


def offered(completer: shell_words.Completer, begun: str, **given: object) -> list[str]:
    """Return the words offered for a begun word, with these values of other parameters."""
    context = click.Context(click.Command("command"))
    context.params = given
    return completer(context, PARAMETER, begun)


@pytest.mark.parametrize(
    ("name", "given", "begun", "words"),
    [
        ("slugs_alike", {}, "", ["centring", "rms"]),
        ("slugs_alike", {}, "r", ["rms"]),
        ("ways_alike", {"slug": "rms"}, "", ["einsum"]),
        ("ways_alike", {"slug": "nothing"}, "", []),
        ("mistakes_alike", {"slug": "rms"}, "s", ["sum-for-mean"]),
        ("checks_alike", {"slug": "rms"}, "test_r", ["test_rows"]),
    ],
)
def test_words_of_a_course_are_offered(name: str, given: dict[str, object], begun: str, words: list[str], tiny: Course) -> None:
    assert offered(getattr(shell_words, name), begun, course_folder=tiny.root, **given) == words


def test_mistakes_of_all_exercises_are_offered_once(tiny: Course) -> None:
    names = offered(shell_words.mistakes_alike, "", course_folder=tiny.root)
    assert {"sum-for-mean", "mean-detached"} <= {*names} and len(names) == len({*names})


def test_values_of_an_option_are_offered() -> None:
    assert offered(shell_words.one_of(("json", "junit", "html")), "j") == ["json", "junit"]


def test_broken_course_offers_its_readable_parts(edited_course: Callable[..., Course]) -> None:
    course = edited_course({"exercises/rms/exercise.toml": "level = "})
    assert "momentum-flipped" in offered(shell_words.mistakes_alike, "", course_folder=course.root)
    assert "no-upcast" not in offered(shell_words.mistakes_alike, "", course_folder=course.root)
    other = edited_course({"solutions/rms/mistakes.toml": "mistake = "})
    assert "momentum-flipped" in offered(shell_words.mistakes_alike, "", course_folder=other.root)
    assert offered(shell_words.slugs_alike, "", course_folder=Path("nowhere")) == []


def test_a_suite_is_read_and_not_run(edited_course: Callable[..., Course]) -> None:
    course = edited_course({"tests/hidden/test_rms.py": "def test_it(): ...\nraise SystemExit\n"})
    assert offered(shell_words.checks_alike, "", course_folder=course.root, slug="rms") == ["test_it"]
