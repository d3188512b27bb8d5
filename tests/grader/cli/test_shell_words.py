"""Tests of shell completion of commands, slugs, names, values and files; it is quick, and silent when something is wrong."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from click.shell_completion import ShellComplete

from normgrade import cli
from normgrade.cli import shell_words
from normgrade.course.course import Course

Run = Callable[..., tuple[int, str, str]]
LATEST_S = 60.0
ASKED = """
source <(_NORMGRADE_COMPLETE=bash_source normgrade)
compopt() { :; }  # there is no completion here that it could change
ask() {
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
    _normgrade_completion normgrade
    printf '%s|' "${COMPREPLY[@]}"
    echo
}
"""
bash = pytest.mark.skipif(sys.platform == "win32" or shutil.which("bash") is None, reason="there is no bash")


@pytest.fixture
def folder(tmp_path: Path, tiny: Course, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Enter and return an empty folder, with the tiny course and with a command `normgrade` on PATH that runs these sources."""
    commands, empty = tmp_path / "commands", tmp_path / "empty"
    commands.mkdir()
    empty.mkdir()
    (commands / "normgrade").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m normgrade "$@"\n', encoding="utf-8")
    (commands / "normgrade").chmod(0o755)
    monkeypatch.setenv("PATH", f"{commands}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(Path(cli.__file__).parents[2]))
    monkeypatch.setenv("NORMGRADE_COURSE", str(tiny.root))
    monkeypatch.setenv("NORMGRADE_LANG", "en")
    monkeypatch.chdir(empty)
    return empty


def in_bash(*lines: str) -> list[str]:
    """Return bash's completions for each of these lines."""
    script = ASKED + "\n".join(f"ask {line}" for line in lines)
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=LATEST_S, stdin=subprocess.DEVNULL)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


@bash
def test_bash_offers_slugs_without_files(folder: Path) -> None:
    assert in_bash("normgrade check r", "normgrade show ''", "normgrade expl") == ["rms|", "centring|rms|", "explain|"]


@pytest.mark.usefixtures("folder")
def test_files_are_offered_where_no_slug_begins_so() -> None:
    asked = ShellComplete(cli.normgrade, {}, "normgrade", cli.COMPLETING)
    assert [(item.type, item.value) for item in asked.get_completions(["check"], "r")] == [("plain", "rms")]
    assert [(item.type, item.value) for item in asked.get_completions(["check"], "./r")] == [("file", "./r")]


@bash
@pytest.mark.parametrize(("name", "value"), [("NORMGRADE_LANG", "fr"), ("NORMGRADE_COURSE", "/nowhere")])
def test_completion_says_nothing_when_something_is_wrong(name: str, value: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = ASKED.replace("_source normgrade", "_source NORMGRADE_LANG=en normgrade") + "ask normgrade check r"
    monkeypatch.setenv(name, value)
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=LATEST_S, stdin=subprocess.DEVNULL)
    assert (done.returncode, done.stdout, done.stderr) == (0, "|\n", "")


def offered(*arguments: str) -> list[str]:
    """Return click's completions for the last argument, which are the same for every shell."""
    asked = ShellComplete(cli.normgrade, {}, "normgrade", cli.COMPLETING)
    return [item.value for item in asked.get_completions([*arguments[:-1]], arguments[-1])]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("check --format j", "json junit"),
        ("check --lang z", "zh"),
        ("check --require-isolation l", "linux"),
        ("check --exercise r", "rms"),
        ("verify r", "rms"),
        ("explain e", "eps-outside-root"),
        ("explain --exercise centring m", "momentum-flipped mean-detached"),
        ("explain --exercise r", "rms"),
        ("solution rms e", "einsum"),
        ("solution nothing e", ""),
        ("repro rms test_ro", "test_rows"),
        ("verify rms --mistake s", "sum-for-mean"),
        ("verify rms --only test_r", "test_rows"),
        ("watch c", "centring"),
    ],
)
def test_names_and_values_are_offered(line: str, words: str) -> None:
    assert offered(*line.split()) == words.split()


def test_completion_does_not_wait_for_torch(folder: Path) -> None:
    code = "import sys; from normgrade import cli; [cli.normgrade.get_command(None, each) for each in cli.COMMANDS]"
    code += "; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=LATEST_S)
    assert (done.stdout, done.stderr) == ("False\n", "")


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("normgrade ex", {"explain", "export"}),
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
    assert cli.run([]) == 0
    completed = {line.partition(",")[2] for line in capsys.readouterr().out.splitlines() if line.startswith("plain,")}
    assert completed == wanted


PARAMETER = click.Argument(["word"])


def words_of(completer: shell_words.Completer, begun: str, **given: object) -> list[str]:
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
    assert words_of(getattr(shell_words, name), begun, course_folder=tiny.root, **given) == words


def test_mistakes_of_all_exercises_are_offered_once(tiny: Course) -> None:
    names = words_of(shell_words.mistakes_alike, "", course_folder=tiny.root)
    assert {"sum-for-mean", "mean-detached"} <= {*names} and len(names) == len({*names})


def test_values_of_an_option_are_offered() -> None:
    assert words_of(shell_words.one_of(("json", "junit", "html")), "j") == ["json", "junit"]


def test_broken_course_offers_its_readable_parts(edited_course: Callable[..., Course]) -> None:
    course = edited_course({"exercises/rms/exercise.toml": "level = "})
    assert "momentum-flipped" in words_of(shell_words.mistakes_alike, "", course_folder=course.root)
    assert "no-upcast" not in words_of(shell_words.mistakes_alike, "", course_folder=course.root)
    other = edited_course({"solutions/rms/mistakes.toml": "mistake = "})
    assert "momentum-flipped" in words_of(shell_words.mistakes_alike, "", course_folder=other.root)
    assert words_of(shell_words.slugs_alike, "", course_folder=Path("nowhere")) == []


def test_a_suite_is_read_and_not_run(edited_course: Callable[..., Course]) -> None:
    course = edited_course({"tests/hidden/test_rms.py": "def test_it(): ...\nraise SystemExit\n"})
    assert words_of(shell_words.checks_alike, "", course_folder=course.root, slug="rms") == ["test_it"]
