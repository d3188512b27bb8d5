"""The files of a course, and their places."""

from __future__ import annotations

from pathlib import Path

from written_course import Write

from normgrade.course.layout import Files


def test_an_exercise_knows_its_files(write: Write, tmp_path: Path) -> None:
    exercise = write().exercise("layer_norm")
    assert exercise.file_name == "layer_norm.py"
    assert exercise.prompt == tmp_path / "exercises/layer_norm/README.md"
    assert exercise.stub == tmp_path / "exercises/layer_norm/layer_norm.py"
    assert exercise.reference == tmp_path / "solutions/layer_norm/reference.py"
    assert exercise.mistakes == tmp_path / "solutions/layer_norm/mistakes.toml"
    assert exercise.shared_mistakes == tmp_path / "solutions/mistakes.toml"
    assert exercise.suite == tmp_path / "tests/hidden/test_layer_norm.py"


def test_probes_and_alternatives_are_optional(write: Write, tmp_path: Path) -> None:
    exercise = write().exercise("layer_norm")
    assert exercise.probes is None and exercise.alternatives == ()
    probes = tmp_path / "exercises/layer_norm/probes.py"
    probes.touch()
    alternatives = tmp_path / "solutions/layer_norm/alternatives"
    alternatives.mkdir()
    for name in ("two_pass.py", "einsum.py", "notes.md"):
        (alternatives / name).touch()
    assert exercise.probes == probes
    assert exercise.alternatives == (alternatives / "einsum.py", alternatives / "two_pass.py")


def test_files_of_a_new_exercise_are_known(tmp_path: Path) -> None:
    assert [path.relative_to(tmp_path).as_posix() for path in Files("new", tmp_path).needed] == [
        "exercises/new/exercise.toml", "exercises/new/README.md", "exercises/new/new.py", "solutions/new/reference.py",
        "solutions/new/mistakes.toml", "tests/hidden/test_new.py",
    ]  # fmt: skip
