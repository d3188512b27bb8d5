"""Tests of options that several commands share, of their completion, and of exit codes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from click.shell_completion import ShellComplete

from normgrade import __version__, cli
from normgrade.cli import options
from normgrade.cli.options import exit_code, whole_number
from normgrade.course.course import Course
from normgrade.language.errors import UsageError
from normgrade.report.render.json import render_json
from normgrade.report.report import Outcome, Report
from normgrade.worker.trusted.host import Host
from normgrade.worker.trusted.launch import Zygote

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


def words_of(completer: options.Completer, begun: str, **given: object) -> list[str]:
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
    assert words_of(getattr(options, name), begun, course_folder=tiny.root, **given) == words


def test_mistakes_of_all_exercises_are_offered_once(tiny: Course) -> None:
    names = words_of(options.mistakes_alike, "", course_folder=tiny.root)
    assert {"sum-for-mean", "mean-detached"} <= {*names} and len(names) == len({*names})


def test_values_of_an_option_are_offered() -> None:
    assert words_of(options.one_of(("json", "junit", "html")), "j") == ["json", "junit"]


def test_broken_course_offers_its_readable_parts(edited_course: Callable[..., Course]) -> None:
    course = edited_course({"exercises/rms/exercise.toml": "level = "})
    assert "momentum-flipped" in words_of(options.mistakes_alike, "", course_folder=course.root)
    assert "no-upcast" not in words_of(options.mistakes_alike, "", course_folder=course.root)
    other = edited_course({"solutions/rms/mistakes.toml": "mistake = "})
    assert "momentum-flipped" in words_of(options.mistakes_alike, "", course_folder=other.root)
    assert words_of(options.slugs_alike, "", course_folder=Path("nowhere")) == []


def test_a_suite_is_read_and_not_run(edited_course: Callable[..., Course]) -> None:
    course = edited_course({"tests/hidden/test_rms.py": "def test_it(): ...\nraise SystemExit\n"})
    assert words_of(options.checks_alike, "", course_folder=course.root, slug="rms") == ["test_it"]


Invoke = Callable[..., subprocess.CompletedProcess[str]]
Put = Callable[..., None]


@pytest.mark.parametrize("named", ["option", "variable"])
@pytest.mark.parametrize("command", ["check rms.py", "verify rms --cores 1"])
def test_nothing_is_graded_with_weaker_walls_than_required(
    command: str, named: str, invoke: Invoke, here: Path, tiny: Course, monkeypatch: pytest.MonkeyPatch, put: Put
) -> None:
    put("rms")
    monkeypatch.setattr(Host, "new_starter", lambda host: Zygote("process"))
    if named == "variable":
        monkeypatch.setenv("NORMGRADE_REQUIRE_ISOLATION", "linux")
    said = invoke(*command.split(), *(["--require-isolation", "linux"] if named == "option" else []))
    assert (said.returncode, said.stdout) == (3, "")
    assert 'Error: Nothing was graded: the tier "linux" is required, but this machine offers only "process".' in said.stderr


@pytest.mark.parametrize(("flags", "lines"), [(["-q"], "1"), (["--quiet"], "1"), ([], "many"), (["-v"], "more"), (["--verbose"], "more")])
def test_flags_choose_the_length_of_a_report(invoke: Invoke, here: Path, flags: list[str], lines: str) -> None:
    source = "def rms(x, eps=1e-5):\n    return x / (x ** 2).sum(-1, keepdim=True).add(eps) ** 0.5\n"
    (here / "rms.py").write_text(source, encoding="utf-8")
    said = invoke("check", "rms", *flags, "--output", "report.txt")
    text = (here / "report.txt").read_text(encoding="utf-8")
    assert said.returncode == 1
    assert said.stderr == "" if lines == "1" else said.stderr.endswith("The report is in report.txt.\n")
    assert {"1": len(text.splitlines()) == 3, "many": "Next: " in text and "seed 0" not in text, "more": "seed 0 · " in text}[lines]
    assert text.startswith(f"normgrade {__version__}\n\n")


def test_no_report_is_json_too() -> None:
    assert json.loads(render_json([]))["reports"] == []


@pytest.mark.parametrize(("value", "number"), [(None, None), ("1", 1), ("9", 9)])
def test_a_whole_number_is_read(value: str | None, number: int | None) -> None:
    assert whole_number(1, 9)(click.Context(click.Command("x")), click.Option(["--count"]), value) == number


@pytest.mark.parametrize("value", ["0", "10", "-1", "1.5", "", "two", "²"])
def test_other_values_are_no_whole_numbers(value: str) -> None:
    with pytest.raises(UsageError, match=r"^--count must be a whole number from 1 to 9, not "):
        whole_number(1, 9)(click.Context(click.Command("x")), click.Option(["--count"]), value)


@pytest.mark.parametrize(
    ("outcomes", "code"),
    [
        ((), 0),
        ((Outcome.PASSED, Outcome.PASSED), 0),
        ((Outcome.PASSED, Outcome.FAILED), 1),
        ((Outcome.NOT_STARTED,), 1),
        ((Outcome.FAILED, Outcome.ERROR), 3),
    ],
)
def test_the_worst_outcome_decides_the_exit_code(outcomes: tuple[Outcome, ...], code: int) -> None:
    assert exit_code([Report("rms", "rms.py", outcome, 8, "linux", 0, 0.1) for outcome in outcomes]) == code


@pytest.mark.parametrize(("outcome", "code"), [(Outcome.PASSED, 0), (Outcome.FAILED, 0), (Outcome.NOT_STARTED, 0), (Outcome.ERROR, 3)])
def test_for_classroom50_only_a_fault_of_the_grader_counts(outcome: Outcome, code: int) -> None:
    assert exit_code([Report("rms", "rms.py", outcome, 8, "linux", 0, 0.1)], "classroom50") == code
