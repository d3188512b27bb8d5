"""Tests of warnings about exercises and folders that cannot be used."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from chinese import in_chinese

from normgrade.cli.warn import warn_of_folders, warn_of_unfinished, warn_of_untranslated, with_course, without_hindered
from normgrade.course.course import Course

EditedCourse = Callable[..., Course]
Run = Callable[..., tuple[int, str, str]]
posix = pytest.mark.skipif(os.name != "posix", reason="rights as POSIX has them")


def test_a_sound_course_is_passed_over_in_silence(tiny: Course, capsys: pytest.CaptureFixture[str]) -> None:
    warn_of_unfinished(tiny, None)
    assert without_hindered(tiny, None) == [*tiny]
    assert capsys.readouterr() == ("", "")


def test_each_unfinished_exercise_is_named_in_one_line(edited_course: EditedCourse, capsys: pytest.CaptureFixture[str]) -> None:
    course = edited_course({"exercises/rms/exercise.toml": [("level = 1", "level = 9")]})
    warn_of_unfinished(course, None)
    assert capsys.readouterr() == (
        "",
        'Warning: "rms" is skipped. '
        f"{course.root}/exercises/rms/exercise.toml: level: must be a whole number from 1 to 4, not 9. "
        "Run `normgrade verify rms` to see what is missing.\n",
    )


def test_a_broken_suite_is_found_by_looking_for_it(edited_course: EditedCourse, capsys: pytest.CaptureFixture[str]) -> None:
    course = edited_course({"tests/hidden/test_rms.py": "\n"})
    assert [exercise.slug for exercise in without_hindered(course, Path("my course"))] == ["centring"]
    assert capsys.readouterr().err == (
        'Warning: "rms" is skipped. '
        f"{course.root}/tests/hidden/test_rms.py: no tests found; a hidden suite needs at least one. "
        "Run `normgrade verify rms --course 'my course'` to see what is missing.\n"
    )


def test_a_command_names_the_course_that_was_named() -> None:
    assert with_course("normgrade list", None) == "normgrade list"
    assert with_course("normgrade list", Path("my course")) == "normgrade list --course 'my course'"


def test_missing_translations_are_counted_if_not_promised(edited_course: EditedCourse, capsys: pytest.CaptureFixture[str]) -> None:
    words = {
        "exercises/rms/zh.toml": in_chinese("exercise", {"Root mean square": "均方根", "Functions": "函数"}),
        "solutions/centring/zh.toml": "",
    }
    course = edited_course(words)
    warn_of_untranslated(course, course)
    assert capsys.readouterr().err.splitlines() == [
        'Note: 1 translation is missing in exercises/rms/zh.toml. To list it with `verify`, add "zh" to `languages` in course.toml.',
        "Note: 15 translations are missing in solutions/centring/zh.toml. "
        'To list them with `verify`, add "zh" to `languages` in course.toml.',
    ]
    promised = edited_course({**words, "course.toml": 'languages = ["en", "zh"]\n'})
    warn_of_untranslated(promised, promised)
    assert capsys.readouterr().err == ""


# Folders


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """Return the folders of the key and of the cache, which only the user may write to."""
    for name in ("CONFIG", "CACHE"):
        monkeypatch.setenv(f"NORMGRADE_{name}", str(tmp_path / name))
        (tmp_path / name).mkdir(mode=0o700)
    return tmp_path / "CONFIG", tmp_path / "CACHE"


def of(folder: Path) -> str:
    return (
        f'Note: The folder "{folder}" is not used: others may write to it. '
        f"Run `chmod -R go-w {folder}` to prevent that, or set NORMGRADE_{folder.name} to another folder."
    )


def test_private_folders_cause_no_warning(folders: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    warn_of_folders()
    assert capsys.readouterr() == ("", "")


@posix
def test_folder_that_others_may_write_to_is_named(folders: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    for folder in folders:
        folder.chmod(0o777)
    warn_of_folders()
    assert capsys.readouterr() == ("", "".join(f"{of(folder)}\n" for folder in folders))


@posix
def test_it_is_said_once_and_changes_no_verdict(tmp_path: Path, folders: tuple[Path, Path], tiny: Course, run: Run) -> None:
    for folder in folders:
        folder.chmod(0o777)
    path = tmp_path / "rms.py"
    shutil.copy(tiny.exercise("rms").reference, path)
    said = " ".join(map(of, folders))
    code, out, err = run("check", "rms")
    assert (code, err) == (0, said) and "passed" in out
    path.write_text("def rms(x, eps=1e-5):\n    return x * 3 + 1\n", encoding="utf-8")
    code, out, err = run("check", "rms")
    assert (code, err) == (1, said) and "not passed" in out
    assert [path for folder in folders for path in folder.iterdir()] == []
    assert run("verify", "rms", "--cores", "2")[::2] == (0, said)
