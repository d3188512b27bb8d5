"""The folder of the installed package, and the course in it."""

import os
from pathlib import Path

import pytest

import normgrade
from normgrade.course import package
from normgrade.course.package import PACKAGE, carried


def test_the_package_folder_is_that_of_the_import() -> None:
    assert Path(normgrade.__file__).parent == PACKAGE


def test_wheel_and_clone_carry_a_course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package, "PACKAGE", tmp_path / "grader" / "normgrade")
    assert carried() == Path(os.path.realpath(tmp_path))
    (tmp_path / "grader" / "normgrade" / "_course").mkdir(parents=True)
    assert carried() == Path(os.path.realpath(tmp_path)) / "grader" / "normgrade" / "_course"
