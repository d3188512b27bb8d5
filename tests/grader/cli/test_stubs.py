"""Tests of `normgrade init` and `normgrade reset`."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from normgrade.course.course import Course

Run = Callable[..., tuple[int, str, str]]


def test_a_new_folder_has_stubs_and_prompts(run: Run, tmp_path: Path) -> None:
    code, out, err = run("init", "my norms")
    assert (code, err) == (0, "") and out.startswith("4 files added to ")
    assert {path.name for path in (tmp_path / "my norms").iterdir()} == {"normgrade.toml", "rms.py", "centring.py", "prompts"}
    assert "Run `cd 'my norms'` to go there." in out


def test_many_files_are_counted(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("normgrade.cli.stubs.LISTED", 1)
    out = run("init")[1]
    assert "4 files added to" in out and "2 stubs for your code, one for each exercise 2 files in prompts: the tasks" in out
    for path in (tmp_path / "prompts").iterdir():
        path.unlink()
    assert run("init")[1].startswith(f"2 files added to {tmp_path}. 2 files in prompts: the tasks, and their figures Next is rms")


def test_rules_of_the_course_lie_beside_the_prompts(run: Run, tmp_path: Path, edited_course: Callable[..., Course]) -> None:
    course = edited_course({"exercises/rules.md": "# Rules\n\n- Copies go on. <!-- copies -->\n"})
    assert run("init", "--course", str(course.root))[1].startswith(f"5 files added to {tmp_path}.")
    assert (tmp_path / "prompts" / "rules.md").read_text(encoding="utf-8") == "# Rules\n\n- Copies go on.\n"


def test_nothing_is_added_twice_here(run: Run, tmp_path: Path) -> None:
    assert "Go there" not in run("init")[1]
    (tmp_path / "rms.py").unlink()
    assert run("init")[1].startswith(f"1 file added to {tmp_path}. rms.py ")
    assert run("init")[1].startswith(f"Nothing to add: all files already exist in {tmp_path}.")


def test_course_of_the_option_is_saved_and_trusted(run: Run, tmp_path: Path, tiny: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("init", "--course", str(tiny.root))[0] == 0
    assert f'course = "{tiny.root}"' in (tmp_path / "normgrade.toml").read_text(encoding="utf-8")
    monkeypatch.delenv("NORMGRADE_COURSE")
    assert "Functions rms" in run("list")[1]


def test_course_of_the_variable_is_saved_and_trusted(run: Run, tmp_path: Path, tiny: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("init")[0] == 0
    assert f'course = "{tiny.root}"' in (tmp_path / "normgrade.toml").read_text(encoding="utf-8")
    monkeypatch.delenv("NORMGRADE_COURSE")
    assert "Functions rms" in run("list")[1]


def test_an_unfinished_exercise_is_not_added_and_named(run: Run, tmp_path: Path, edited_course: Callable[..., Course]) -> None:
    course = edited_course({"exercises/rms/exercise.toml": "level = "})
    code, out, err = run("init", "--course", str(course.root))
    assert code == 0 and out.startswith(f"2 files added to {tmp_path}. centring.py prompts/centring.md ")
    assert err.startswith(f'Warning: "rms" is skipped. {course.root}/exercises/rms/exercise.toml: not valid TOML')


def test_a_workspace_that_names_no_course_is_not_changed(run: Run, tmp_path: Path, tiny: Course) -> None:
    (tmp_path / "normgrade.toml").touch()
    code, out, err = run("init", "--course", str(tiny.root))
    assert (code, out) == (2, "") and "already exists, and does not name the course" in err
    assert (tmp_path / "normgrade.toml").read_bytes() == b""


def test_a_file_in_the_way_is_said(run: Run, tmp_path: Path) -> None:
    (tmp_path / "prompts").write_text("in the way", encoding="utf-8")
    code, out, err = run("init")
    assert (code, out) == (2, "") and err.startswith('Error: The workspace cannot be created in "')


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """Return the folder that commands run in."""
    return tmp_path


@pytest.mark.parametrize("command", ["reset rms", "progress"])
def test_command_asks_for_a_workspace(command: str, run: Run, here: Path) -> None:
    code, out, err = run(*command.split())
    assert (code, out) == (
        2,
        "",
    ) and err == f'Error: "{here}" is not in a workspace. Run `normgrade init` to create one, or go to your workspace.'


def test_the_old_file_is_kept_with_its_date(run: Run, here: Path, tiny: Course) -> None:
    run("init", ".")
    (here / "rms.py").write_text("# mine\n", encoding="utf-8")
    code, out, err = run("reset", "rms")
    found = re.fullmatch(r"rms\.py is the stub again\. Your file is kept as (\.normgrade/backups/rms-[\d-]+\.py)\.", out)
    assert (code, err) == (0, "") and found is not None
    assert (here / found[1]).read_text(encoding="utf-8") == "# mine\n"
    assert (here / "rms.py").read_bytes() == tiny.exercise("rms").stub.read_bytes()


def test_a_file_that_cannot_be_reset_stays(run: Run, here: Path) -> None:
    run("init", ".")
    (here / "rms.py").write_text("# mine\n", encoding="utf-8")
    (here / ".normgrade").write_text("in the way", encoding="utf-8")
    code, out, err = run("reset", "rms")
    assert (code, out) == (2, "") and err.startswith('Error: "rms.py" cannot be reset (')
    assert (here / "rms.py").read_text(encoding="utf-8") == "# mine\n"
