"""Tests of shell completion of commands, slugs, names, values and files; it is quick, and silent when something is wrong."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from normgrade import cli
from normgrade.course.course import Course

Run = Callable[..., tuple[int, str, str]]
LATEST_S = 60.0
ASKED = """
source <(normgrade completion bash)
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


@bash
def test_bash_offers_slugs_and_files_as_they_are_called(folder: Path) -> None:
    for name in ("rms.py", "rms *.py", "other.py"):
        (folder / name).touch()
    (folder / "rows").mkdir()
    assert [sorted(line.split("|")) for line in in_bash("normgrade check r")] == [["", "rms", "rms *.py", "rms.py", "rows"]]


@bash
@pytest.mark.parametrize(("name", "value"), [("NORMGRADE_LANG", "fr"), ("NORMGRADE_COURSE", "/nowhere")])
def test_completion_says_nothing_when_something_is_wrong(name: str, value: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = ASKED.replace("<(normgrade", "<(NORMGRADE_LANG=en normgrade") + "ask normgrade check r"
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
        ("completion z", "zsh"),
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


def test_a_description_may_hold_commas_in_fish(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["completion", "fish"]) == 0
    assert 'string split -m 1 "," -- $answer' in capsys.readouterr().out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_is_told_how_to_complete(shell: str, run: Run) -> None:
    code, out, err = run("completion", shell)
    assert (code, err) == (0, "") and out.startswith("# normgrade: add this to ~/.") and "_NORMGRADE_COMPLETE" in out


def test_the_shell_in_use_is_the_usual_one(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHELL", "/usr/bin/fish")
    assert "normgrade.fish" in run("completion")[1]
    monkeypatch.setenv("SHELL", "/bin/tcsh")
    code, _, err = run("completion")
    assert code == 2 and err == 'Error: Completion is not available for the shell "tcsh". Choose from bash, zsh, fish.'


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
