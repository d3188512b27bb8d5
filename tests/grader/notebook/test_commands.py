"""Commands of the terminal in a notebook: they run in a separate process, print as in a terminal, and documents are rendered."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from normgrade.cli import COMMANDS as ALL
from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.course.mistakes import read_mistakes
from normgrade.language.errors import UsageError
from normgrade.notebook import notebook
from normgrade.notebook.notebook import COMMANDS, Memory, run_command, with_own_file
from normgrade.report.report import Check, Diagnosis, Kind, Outcome, Report


@pytest.fixture(autouse=True)
def folder(tiny: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Change to an empty folder, and make the tiny course the current one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NORMGRADE_COURSE", str(tiny.root))
    monkeypatch.setenv("NORMGRADE_LANG", "en")
    monkeypatch.delenv("FORCE_COLOR", raising=False)


def refusal(*arguments: str) -> str:
    with pytest.raises(UsageError) as raised:
        run_command(arguments, [])
    return str(raised.value)


def test_without_arguments_it_lists_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command([], []) is None
    listed = [line.split()[1] for line in capsys.readouterr().out.splitlines()[1:]]
    assert listed == [*COMMANDS] and set(listed) <= set(ALL) and {"list", "show", "hint", "explain", "solution"} <= set(listed)


@pytest.mark.parametrize("arguments", [["show", "rms", "--stub"], ["solution", "rms", "--spoil"]])
def test_python_is_shown_as_python(arguments: list[str]) -> None:
    shown = run_command(arguments, [])
    assert shown is not None and "def rms(" in repr(shown)
    assert shown._repr_markdown_() == f"~~~~python\n{shown!r}\n~~~~"


def test_checks_of_the_session_count_outside_a_workspace(
    tiny: Course, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    memory = Memory()
    monkeypatch.setattr(notebook, "MEMORY", memory)
    report = Report("rms", "cell", Outcome.FAILED, 8, "linux", 0, 0.0)
    memory.add(tiny.exercise("rms"), report)
    for hint in tiny.exercise("rms").hints:
        assert run_command(["hint", "rms"], []) is None
        assert capsys.readouterr().out.startswith(hint)
    assert refusal("solution", "rms").startswith("No passed attempt at rms is recorded here.")
    memory.add(tiny.exercise("rms"), replace(report, outcome=Outcome.PASSED))
    solution = run_command(["solution", "rms"], [])
    assert solution is not None and "def rms(" in solution.text


def test_other_output_is_printed_as_in_a_terminal(tiny: Course, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["hint", "rms", "1"], []) is None
    hinted = capsys.readouterr().out
    assert hinted.replace("\n", " ").startswith(tiny.exercise("rms").hints[0])
    assert run_command(["show", "--help"], []) is None
    assert capsys.readouterr().out.startswith("Usage: normgrade show [OPTIONS] ")


def test_the_requested_language_is_spoken(capsys: pytest.CaptureFixture[str]) -> None:
    run_command(["list", "--lang", "zh"], [])
    assert "运行 `normgrade show SLUG" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["hnt", "rms"], 'No command named "hnt". Did you mean "hint"? Run `%normgrade` to see all commands.'),
        (["rms"], "Write `%%normgrade rms`, with two %, in the first line of a cell to grade the cell."),
        (["show", "rmss"], 'No exercise named "rmss". Did you mean "rms"? `normgrade list` shows them all.'),
        (["hint"], "Missing argument: SLUG."),
        (["show", "rms", "--answer"], 'No such option: --answer. Did you mean "--answers"?'),
        (["solution", "rms"], None),
        (["show", "rms", "--lang", "xx"], 'No language named "xx". --lang and NORMGRADE_LANG must be en or zh.'),
    ],
)
def test_a_wrong_call_is_refused_in_one_sentence(arguments: list[str], said: str | None) -> None:
    refused = refusal(*arguments)
    assert refused == said or (said is None and refused.startswith("No passed attempt at rms is recorded here."))


def test_try_uses_the_definitions_of_the_notebook() -> None:
    cells = ["x = other(3)", "def rms(x):\n    return x\n\ndef other(x):\n    return x\n"]
    with with_own_file(["try", "rms", "rms()", "[1.0]"], cells) as arguments:
        name, option, path, *others = arguments
        assert (name, option, others) == ("try", "--file", ["rms", "rms()", "[1.0]"])
        assert Path(path).read_text() == "def rms(x):\n    return x\n"


def test_without_a_definition_try_uses_the_file() -> None:
    for asked in (["try", "rms", "rms()"], ["try", "--help"]):
        with with_own_file(asked, ["x = 3"]) as arguments:
            assert arguments == asked


def test_a_command_that_needs_a_terminal_is_refused() -> None:
    assert refusal("review").startswith("`normgrade review` works only in a terminal. In a notebook, use one of list, show, hint, ")


def test_in_a_terminal_the_command_has_the_terminal() -> None:
    import pty

    ours, theirs = pty.openpty()
    program = "from normgrade.notebook.notebook import run_command; print(run_command(['hint', 'rms', '1'], []))"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "TERM": "dumb", "COLUMNS": "40"}
    with open(ours, "rb", buffering=0) as screen:
        done = subprocess.run([sys.executable, "-c", program], env=environment, stdin=theirs, stdout=theirs, stderr=theirs)
        os.close(theirs)
        shown = b""
        while chunk := read(screen):
            shown += chunk
    lines = shown.decode().splitlines()
    assert done.returncode == 0 and lines[-1] == "None" and len(lines) > 2 and max(map(len, lines)) <= 40


def read(screen: object) -> bytes:
    """Return the next bytes on the screen; none at its end, at which Linux raises an error."""
    try:
        return screen.read(4096)  # type: ignore[attr-defined, no-any-return]
    except OSError:
        return b""


# The memory of a session


@pytest.fixture
def exercise(tiny: Course) -> Exercise:
    return tiny.exercise("rms")


def checked(outcome: Outcome, *mistakes: str) -> Report:
    checks = () if outcome is Outcome.PASSED else (Check("test_a", "The claim.", Kind.FORMULA, outcome, 1),)
    diagnoses = (Diagnosis(mistakes, "It is wrong.", ("test_a",)),) if mistakes else ()
    return Report("rms", "cell", outcome, 8, "linux", 0, 0.0, checks=checks, diagnoses=diagnoses)


def test_the_diagnosis_comes_before_the_exercises_own_hints(exercise: Exercise) -> None:
    mistake, memory = read_mistakes(exercise)[0], Memory()
    memory.add(exercise, checked(Outcome.FAILED, mistake.name))
    assert memory.next_hint("rms").startswith(f"The diagnosis of your last check was {mistake.name}: {mistake.says}\n(")
    for hint in exercise.hints:
        assert memory.next_hint("rms").startswith(f"{hint}\n(")
    assert memory.next_hint("rms") == "There are no more hints for rms. Run `normgrade solution rms --spoil` to see the answer."


def test_only_the_last_check_counts(exercise: Exercise) -> None:
    memory = Memory()
    memory.add(exercise, checked(Outcome.FAILED))
    memory.add(exercise, checked(Outcome.PASSED))
    assert memory.next_hint("rms") == "rms passed your last check, so there are no hints."


def test_it_answers_only_without_a_workspace(exercise: Exercise, tmp_path: Path) -> None:
    memory = Memory()
    assert not memory.answers(["hint", "rms"])
    memory.add(exercise, checked(Outcome.FAILED))
    asked = (["hint", "rms"], ["hint", "rms", "2"], ["hint", "centring"], ["show", "rms"], ["hint"])
    assert [memory.answers(arguments) for arguments in asked] == [True, False, False, False, False]
    (tmp_path / "normgrade.toml").touch()
    assert not memory.answers(["hint", "rms"])
