"""Tests of `normgrade try`, `lab` and `repro`, and of the files that they play."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from studied import FILES, RMS

from normgrade.cli import trials as command
from normgrade.cli.trials import to_play
from normgrade.course.course import Course
from normgrade.language.errors import UsageError
from normgrade.learner.reproduction import SEAL, is_as_made, sealed

UNCHANGED = "def rms(x, eps=1e-5):\n    return x\n"


def test_the_file_of_the_exercise_is_meant(tiny: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("rms.py", "mine.py"):
        Path(name).write_text(UNCHANGED, encoding="utf-8")
    assert to_play(tiny.exercise("rms"), "numbers") == (Path("rms.py"), UNCHANGED)
    assert to_play(tiny.exercise("rms"), "numbers", Path("mine.py")) == (Path("mine.py"), UNCHANGED)


def test_a_link_of_a_workspace_is_refused(tiny: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "elsewhere").mkdir()
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    (workspace / "normgrade.toml").write_text("", encoding="utf-8")
    (workspace / "drafts").symlink_to(tmp_path / "elsewhere")
    monkeypatch.chdir(workspace)
    with pytest.raises(UsageError, match='drafts" is a link to'):
        to_play(tiny.exercise("rms"), "numbers", Path("drafts/rms.py"))


@pytest.mark.parametrize(("content", "said"), [(None, "gone.py cannot be played: "), ("def rms(x:\n", "broken.py cannot be played: ")])
def test_what_cannot_be_played_is_refused(content: str | None, said: str, tiny: Course, tmp_path: Path) -> None:
    path = tmp_path / said.split()[0]
    if content is not None:
        path.write_text(content, encoding="utf-8")
    with pytest.raises(UsageError, match=said):
        to_play(tiny.exercise("rms"), "numbers", path)


# Try


Run = Callable[..., tuple[int, str, str]]
SUMS = "def rms(x, eps=1e-5):\n    return x / (x.float() ** 2).sum(-1, keepdim=True).add(eps) ** 0.5\n"


def test_both_outputs_stand_side_by_side(run: Run, tmp_path: Path) -> None:
    (tmp_path / "rms.py").write_text(SUMS, encoding="utf-8")
    code, out, err = run("try", "rms", "rms()", "[[3., 4.]]")
    assert (code, err) == (1, "")
    assert out.startswith("rms · rms.py · rms() · float32 (1, 2) output · float32 · (1, 2): 2 of 2 numbers differ, ")
    assert "at reference yours off by allowed ▶ [0, 0] 0.848528 0.6" in out and out.endswith("✗ They differ: output.")
    code, out, err = run("try", "rms", "rms()", "[[3.]]")
    assert (code, err) == (0, "") and out.endswith("✓ They agree within the rounding of float32.")


def test_another_file_can_be_tried(run: Run, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(SUMS.replace("sum", "mean"), encoding="utf-8")
    code, out, err = run("try", "rms", "rms(eps=0)", "[[3., 4.]]", "--file", "mine.py", "--backward")
    assert (code, err) == (0, "") and out.startswith("rms · mine.py · rms(eps=0)") and "gradient of input · float32 · (1, 2): they" in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("rms", "rms(", "[1]"), "CALL cannot be read: '(' was never closed."),
        (("rms", "rsm()", "[1]"), 'rms has no "rsm" to call. Did you mean "rms"? Choose from rms.'),
        (("rsm", "rms()", "[1]"), 'No exercise named "rsm". Did you mean "rms"? `normgrade list` shows them all.'),
        (("rms", "rms()", "[1, [2]]"), "INPUT must be a nested list of numbers."),
        (("rms", "rms()", "[1]", "--dtype", "flaot16"),
         'No dtype named "flaot16". Did you mean "float16"? --dtype must be float32, float64, float16 or bfloat16.'),
        (("rms", "rms()", "[1]", "--seed", "-1"), '--seed must be a whole number from 0 to 4294967295, not "-1".'),
        (("rms", "rms()", "--backward"), 'Missing argument: INPUT. Pass an input after CALL, such as "[[1.0, 2.0, 3.0]]".'),
        (("rms", "rms()", "[1]", "--file", "gone.py"), "gone.py cannot be played: "),
    ],
)  # fmt: skip
def test_wrong_arguments_of_try_are_explained(arguments: tuple[str, ...], said: str, run: Run, tmp_path: Path) -> None:
    (tmp_path / "rms.py").write_text(SUMS, encoding="utf-8")
    code, out, err = run("try", *arguments)
    assert (code, out) == (2, "") and err.startswith(f"Error: {said}")


def test_a_layer_needs_an_input(run: Run, put_centring: Path) -> None:
    assert (
        run("try", "centring", "Centring(3)")[2] == 'Error: Missing argument: INPUT. Pass an input after CALL, such as "[[1.0, 2.0, 3.0]]".'
    )
    assert run("try", "centring", "Centring(3)", "[[1, 2, 3]]", "--eval")[1].startswith(
        "centring · centring.py · Centring(3) · evaluation mode · float32 (1, 3)"
    )


@pytest.fixture
def put_centring(tmp_path: Path) -> Path:
    source = "import torch\n\nclass Centring(torch.nn.Module):\n"
    source += "    def __init__(self, num_features, momentum=0.1):\n        super().__init__()\n"
    path = tmp_path / "centring.py"
    path.write_text(f"{source}\n    def forward(self, x):\n        return x\n", encoding="utf-8")
    return path


def test_nothing_is_tried_in_an_interview(run: Run, tmp_path: Path) -> None:
    run("init", ".")
    run("interview", "--minutes", "30")
    code, out, err = run("try", "rms", "rms()", "[1]")
    assert (code, out) == (2, "") and "interview" in err


# Lab


@pytest.fixture
def lab(edited_course: Callable[..., Course], tmp_path: Path) -> str:
    """Return the path of a course whose exercise `rms` has a lab, and put a right answer into the current folder."""
    (tmp_path / "rms.py").write_text(RMS, encoding="utf-8")
    return str(edited_course(FILES).root)


def test_a_layer_is_shown_at_work(run: Run, lab: str) -> None:
    code, out, err = run("lab", "rms", "--course", lab)
    assert (code, err) == (0, "") and out.startswith("rms · rms.py")
    assert "● yours ○ reference · no norm" in out and "✓ With the same weights" in out


def test_a_wrong_layer_is_told_by_the_exit_code(run: Run, lab: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(RMS.replace("mean", "sum"), encoding="utf-8")
    code, out, err = run("lab", "rms", "--course", lab, "--file", "mine.py")
    assert (code, err) == (1, "") and "✗ With the same weights" in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("centring",), "centring has no lab. Choose from rms."),
        (("rsm",), 'No exercise named "rsm". Did you mean "rms"?'),
        (("rms", "--file", "gone.py"), "gone.py cannot be played: "),
    ],
)
def test_wrong_arguments_of_lab_are_explained(arguments: tuple[str, ...], said: str, run: Run, lab: str) -> None:
    code, out, err = run("lab", *arguments, "--course", lab)
    assert (code, out) == (2, "") and err.startswith(f"Error: {said}")


def test_a_course_without_labs_says_so(run: Run) -> None:
    code, out, err = run("lab", "rms")
    assert (code, out, err) == (2, "", "Error: This course has no lab.")


def test_a_lab_needs_the_networks_of_its_course(run: Run, edited_course: Callable[..., Course]) -> None:
    course = edited_course({"exercises/rms/lab.py": FILES["exercises/rms/lab.py"]})
    assert run("lab", "rms", "--course", str(course.root))[2] == "Error: This course has no lab."


def test_a_course_that_keeps_its_numbers_has_no_lab(run: Run, edited_course: Callable[..., Course]) -> None:
    course = edited_course(FILES | {"course.toml": [('title = "A tiny course"\n', 'title = "A tiny course"\nreveal = "claims"\n')]})
    code, _out, err = run("lab", "rms", "--course", str(course.root))
    assert code == 2 and "does not reveal" in err


# Repro


WRONG = "def rms(x, eps=1e-5):\n    return 0.5 * x / (x.float() ** 2).mean(-1, keepdim=True).add(eps) ** 0.5\n"


def test_the_command_writes_a_script_that_runs(run: Run, tmp_path: Path) -> None:
    (tmp_path / "rms.py").write_text(WRONG, encoding="utf-8")
    code, out, err = run("repro", "rms")
    assert (code, err) == (0, "") and out.startswith("repro_rms.py reproduces test_rows[shape0]. Run it with `python repro_rms.py`")
    done = subprocess.run([sys.executable, "repro_rms.py"], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and "off by" in done.stdout
    assert run("repro", "rms", "test_alone")[1].startswith("repro_rms.py reproduces test_alone.")
    done = subprocess.run([sys.executable, "repro_rms.py"], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and "row 1" in done.stdout


WRITTEN = 'Error: Nothing can be written to "{}" ({}). Use --output PATH to choose another place.'
CHANGED = "the existing file is not an unchanged script of `normgrade repro`"


def test_changed_script_is_not_overwritten(run: Run, tmp_path: Path) -> None:
    made = sealed('"""Written by `normgrade repro`."""\nx = 1\n')
    older = made.rpartition(SEAL)[0]
    assert is_as_made(made)
    changed = [older, made.replace(b"x = 1", b"x = 2"), made + b"y\n", made.replace(b"\n", b"\r\n"), b"", made + made]
    assert not any(map(is_as_made, changed))
    (tmp_path / "rms.py").write_text(WRONG, encoding="utf-8")
    path = tmp_path / "repro_rms.py"
    path.write_bytes(changed[1])
    assert run("repro", "rms") == (2, "", WRITTEN.format("repro_rms.py", CHANGED))
    assert path.read_bytes() == changed[1]


def test_script_edited_during_the_checks_is_kept(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "rms.py").write_text(WRONG, encoding="utf-8")
    path = tmp_path / "repro_rms.py"
    monkeypatch.setattr(command, "all_results", lambda *arguments: path.write_text("# mine\n", encoding="utf-8") and ())
    monkeypatch.setattr(command, "chosen", lambda *arguments: "a result")
    monkeypatch.setattr("normgrade.learner.reproduction.script", lambda *arguments: "x = 1\n")
    assert run("repro", "rms") == (2, "", WRITTEN.format("repro_rms.py", CHANGED))
    assert path.read_text(encoding="utf-8") == "# mine\n"


def test_script_is_not_written_to_own_files_or_links(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("init", ".")[0] == 0
    monkeypatch.setattr(command, "all_results", None)
    (tmp_path / ".normgrade").mkdir()
    (tmp_path / "out").symlink_to(tmp_path / "prompts")
    own = "normgrade uses this file itself"
    assert run("repro", "rms", "--output", ".normgrade/new.py") == (2, "", WRITTEN.format(".normgrade/new.py", own))
    assert run("repro", "rms", "--output", "normgrade.toml") == (2, "", WRITTEN.format("normgrade.toml", own))
    link = f'The folder "{tmp_path / "out"}" is a link to "{tmp_path / "prompts"}", and links in a workspace are not followed.'
    assert run("repro", "rms", "--output", "out/new.py") == (2, "", f"Error: {link} Use the real path of the file.")


@pytest.mark.skipif(os.name != "posix", reason="modes as POSIX has them")
def test_script_has_the_mode_of_a_new_file(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "rms.py").write_text(WRONG, encoding="utf-8")
    assert run("repro", "rms")[0] == 0
    (tmp_path / "repro_rms.py").chmod(0o4777)
    assert run("repro", "rms")[0] == 0
    assert (tmp_path / "repro_rms.py").stat().st_mode & 0o7111 == 0


def test_errors_of_repro_are_explained(run: Run, tmp_path: Path, tiny: Course, edited_course: Callable[..., Course]) -> None:
    path = tmp_path / "rms.py"
    assert run("repro", "rms")[2].startswith("Error: rms.py cannot be played: rms.py does not exist")
    path.write_text(WRONG, encoding="utf-8")
    assert run("repro", "rms", "test_row")[0] == 0
    assert run("repro", "rms", "test_rovs")[2] == (
        'Error: No check named "test_rovs". Did you mean "test_rows"? Choose from test_call, test_rows, test_alone, test_half_precision.'
    )
    assert run("repro", "rms", "test_call")[2] == 'Error: "test_call" does not fail, so there is nothing to reproduce.'
    (tmp_path / "mine.py").write_text("# mine\n", encoding="utf-8")
    assert run("repro", "rms", "--output", "mine.py")[2] == WRITTEN.format("mine.py", CHANGED)
    course = edited_course({"course.toml": 'reveal = "claims"\n'})
    kept = 'Error: The course does not reveal the inputs of rms: its setting `reveal` is "claims", not "full".'
    assert run("repro", "rms", "--course", str(course.root))[2] == kept
    path.write_bytes(tiny.exercise("rms").reference.read_bytes())
    again = "Seed 3: use `--seed 3` to draw the same inputs again."
    assert run("repro", "rms", "--seed", "3")[:2] == (0, f"Nothing to reproduce: every check passes. {again}")
