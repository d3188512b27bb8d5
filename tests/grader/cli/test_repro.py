"""Tests of the command `repro`: its script, the files that it never overwrites, and the checks that it cannot reproduce."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from normgrade.cli import repro as command
from normgrade.course.course import Course
from normgrade.learner.reproduction import SEAL, is_as_made, sealed

WRONG = "def rms(x, eps=1e-5):\n    return 0.5 * x / (x.float() ** 2).mean(-1, keepdim=True).add(eps) ** 0.5\n"


Run = Callable[..., tuple[int, str, str]]


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
