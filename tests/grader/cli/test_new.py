"""Tests of the command `new`: it begins a course and an exercise, and explains its errors."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from normgrade.cli import new
from normgrade.course.course import Course

Run = Callable[..., tuple[int, str, str]]
EditedCourse = Callable[..., Course]
SIGNATURE = "WeightNorm(weight, dim=0)"
NEXT = "Fill in the parts marked TODO. Run `normgrade verify weight_norm --course mine` to see what is missing next."
FILES = (
    "exercises/weight_norm/exercise.toml exercises/weight_norm/README.md exercises/weight_norm/weight_norm.py "
    "solutions/weight_norm/reference.py solutions/weight_norm/alternatives/another_way.py solutions/weight_norm/mistakes.toml "
    "tests/hidden/test_weight_norm.py"
)


def test_an_empty_folder_becomes_a_course_with_an_exercise(run: Run, tmp_path: Path) -> None:
    code, out, err = run("new", "weight_norm", SIGNATURE, "--course", "mine")
    assert (code, err) == (0, "")
    created = f"Created a new course in {tmp_path}/mine, with a workflow that proves it in GitHub Actions."
    assert out == f"{created} 7 files added to {tmp_path}/mine. {FILES} {NEXT}"
    assert Course.find(tmp_path / "mine").slugs == ("weight_norm",)


def test_fresh_repository_becomes_a_course(run: Run, tmp_path: Path) -> None:
    (tmp_path / "mine/.git").mkdir(parents=True)
    assert run("new", "weight_norm", SIGNATURE, "--course", "mine")[0] == 0
    assert (tmp_path / "mine/.github/workflows/verify.yml").is_file()


def test_new_exercise_is_unfinished_for_verify(run: Run) -> None:
    run("new", "weight_norm", SIGNATURE, "--course", "mine")
    code, out, err = run("verify", "weight_norm", "--course", "mine")
    assert (code, err) == (1, "")
    assert "solutions/weight_norm/reference.py still raises NotImplementedError. Write it first: the proofs need it." in out
    assert "The untouched stub fails." not in out
    assert run("list", "--course", "mine")[0] == 0


def test_named_course_gets_the_exercise_in_its_languages(run: Run, edited_course: EditedCourse) -> None:
    course = edited_course({"course.toml": 'languages = ["en", "zh"]\n'})
    code, out, _err = run("new", "weight_norm", SIGNATURE, "--course", str(course.root), "--probes")
    assert code == 0 and out.startswith(f"11 files added to {course.root}. ")
    assert "exercises/weight_norm/README.zh.md" in out and "exercises/weight_norm/probes.py" in out
    assert "exercises/weight_norm/zh.toml" in out and "solutions/weight_norm/zh.toml" in out


def test_language_missing_in_the_course_is_named(run: Run, edited_course: EditedCourse) -> None:
    course = edited_course({})
    code, out, _err = run("new", "weight_norm", SIGNATURE, "--course", str(course.root), "--language", "zh")
    assert code == 0 and "exercises/weight_norm/README.zh.md" in out
    assert f'Add "zh" to `languages` in {course.root}/course.toml, so that no text in this language is forgotten.' in out


def test_numpy_exercise_is_a_pair_by_default(run: Run, tmp_path: Path) -> None:
    assert run("new", "layer_norm_backward", "--numpy", "--course", "mine")[0] == 0
    [forward, backward] = Course(tmp_path / "mine").exercise("layer_norm_backward").defines
    assert (str(forward), str(backward)) == ("forward(x, eps=1e-05)", "backward(dy, cache)")


def test_second_run_adds_only_missing_files(run: Run, tmp_path: Path) -> None:
    run("new", "weight_norm", SIGNATURE, "--course", "mine")
    reference = tmp_path / "mine/solutions/weight_norm/reference.py"
    reference.write_text("# mine", encoding="utf-8")
    assert run("new", "weight_norm", SIGNATURE, "--course", "mine") == (
        0,
        f"Nothing to add: all files already exist in {tmp_path}/mine. {NEXT}",
        "",
    )
    (tmp_path / "mine/exercises/weight_norm/README.md").unlink()
    _code, out, _err = run("new", "weight_norm", SIGNATURE, "--course", "mine")
    assert out.startswith(f"1 file added to {tmp_path}/mine. exercises/weight_norm/README.md 6 existing files are unchanged. ")
    assert "solutions/weight_norm/reference.py" in out and reference.read_text(encoding="utf-8") == "# mine"


def test_a_taken_name_is_refused(run: Run) -> None:
    code, out, err = run("new", "rms", "RMS(x)")
    assert (code, out) == (2, "") and err.startswith('Error: The exercise "rms" already exists, and defines rms(x, eps=1e-05). ')


def test_a_wrong_name_or_signature_changes_nothing(run: Run, tmp_path: Path) -> None:
    assert run("new", "weight-norm", SIGNATURE, "--course", "mine")[0] == 2
    assert run("new", "weight_norm", "WeightNorm(weight", "--course", "mine")[0] == 2
    assert run("new", "weight_norm", "--course", "mine")[0] == 2
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize("is_folder", [False, True])
def test_folder_that_is_no_course_is_refused(run: Run, tmp_path: Path, is_folder: bool) -> None:
    path = tmp_path / "mine"
    if is_folder:
        path.mkdir()
    (path / "notes" if is_folder else path).write_text("old", encoding="utf-8")
    assert run("new", "weight_norm", SIGNATURE, "--course", "mine") == (
        2,
        "",
        'Error: "mine" is neither a course nor an empty folder. Use --course DIR to choose a course, or an empty folder for a new one.',
    )


def test_a_file_in_the_way_is_named(run: Run, tmp_path: Path) -> None:
    (tmp_path / "mine/exercises").mkdir(parents=True)
    (tmp_path / "mine/solutions").touch()
    code, _out, err = run("new", "weight_norm", SIGNATURE, "--course", "mine")
    assert code == 2 and err.startswith(f'Error: The exercise cannot be written to "{tmp_path}/mine/solutions')
    assert err.endswith("Use --course DIR to choose a course that you can write to.")


def test_carried_course_is_not_written_to(run: Run, tmp_path: Path, tiny: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NORMGRADE_COURSE")
    wanted = "Error: No course is chosen for the exercise. Use --course DIR to choose a course, or an empty folder for a new one."
    assert run("new", "weight_norm", SIGNATURE) == (2, "", wanted)
    (tmp_path / "normgrade.toml").touch()  # a workspace of the carried course
    assert run("new", "weight_norm", SIGNATURE) == (2, "", wanted)


def test_in_a_clone_its_course_is_extended(run: Run, tmp_path: Path, edited_course: EditedCourse, monkeypatch: pytest.MonkeyPatch) -> None:
    course = edited_course({})
    monkeypatch.delenv("NORMGRADE_COURSE")
    monkeypatch.setattr(new, "carried", lambda: course.root)
    monkeypatch.setattr("normgrade.course.course.carried", lambda: course.root)
    monkeypatch.chdir(course.root / "exercises")
    code, out, _err = run("new", "weight_norm", SIGNATURE)
    assert code == 0 and out.endswith("Run `normgrade verify weight_norm` to see what is missing next.")
    assert "weight_norm" in Course(course.root).slugs
