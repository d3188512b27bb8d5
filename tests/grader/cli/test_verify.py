"""Tests of the command `verify`: exit codes and reports of proofs."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from committed import commit

from normgrade.course.course import Course

EditedCourse = Callable[..., Course]
Invoke = Callable[..., subprocess.CompletedProcess[str]]
PARTS = "tests 8 (test_call 1, test_rows 4, test_alone 2, test_half_precision 1)"


def test_verify_proves_the_course_that_is_named(invoke: Invoke) -> None:
    said = invoke("verify", "rms", "rms", "--format", "json")
    [report] = json.loads(said.stdout)["reports"]
    assert (said.returncode, said.stderr) == (0, "")
    assert (report["exercise"], report["submission"], report["outcome"]) == ("rms", "solutions/rms", "passed")


def test_missing_parts_are_named_and_nothing_is_played(invoke: Invoke, edited_course: EditedCourse) -> None:
    course = edited_course({"exercises/draft/README.md": "# Draft\n"})
    said = invoke("verify", "draft", "--course", course.root)
    text = " ".join(said.stdout.split())
    assert (said.returncode, said.stderr) == (1, "")
    assert "✗ The exercise is complete: no file, text, hint or mistake is missing." in text
    assert "exercises/draft/exercise.toml is missing. exercises/draft/draft.py is missing." in text
    assert 'exercises/draft/README.md: the section "Draft" is empty.' in text and "as_built" not in text


def test_a_course_is_verified_with_its_unfinished_exercises(invoke: Invoke, edited_course: EditedCourse) -> None:
    course = edited_course({"exercises/draft/README.md": "# Draft\n"})
    said = invoke("verify", "--course", course.root, "--format", "json")
    reports = json.loads(said.stdout)["reports"]
    assert said.returncode == 1
    assert [(each["exercise"], each["outcome"]) for each in reports] == [("rms", "passed"), ("centring", "passed"), ("draft", "failed")]


def test_nothing_to_verify_is_an_error(invoke: Invoke, tmp_path: Path) -> None:
    (tmp_path / "empty" / "exercises").mkdir(parents=True)
    said = invoke("verify", "--course", tmp_path / "empty")
    assert (said.returncode, said.stdout) == (2, "")
    assert said.stderr == (
        f'Error: Nothing to verify: the course "{tmp_path}/empty" has no exercises. Run `normgrade new SLUG "Name(dim)"` to create one.\n'
    )


def test_verify_fails_if_a_proof_fails(invoke: Invoke, edited_course: EditedCourse) -> None:
    course = edited_course({"exercises/rms/exercise.toml": [("points = 8", "points = 9")]})
    said = invoke("verify", "rms", "--course", course.root)
    text = " ".join(said.stdout.split())
    assert said.returncode == 1 and "✗ The points of the suite sum to 9." in text and f"The sum is 8: {PARTS}." in text


def test_verify_writes_footprints_and_proves_them(invoke: Invoke, edited_course: EditedCourse) -> None:
    course = edited_course({})
    said = invoke("verify", "rms", "--write", "--course", course.root, "--format", "json")
    [report] = json.loads(said.stdout)["reports"]
    assert said.returncode == 0 and course.exercise("rms").footprints.exists()
    assert [check["outcome"] for check in report["checks"] if check["name"] == "shipped"] == ["passed"]


def test_verify_shows_the_whole_report_on_a_mistake(invoke: Invoke, tiny: Course) -> None:
    said = invoke("verify", "rms", "--mistake", "eps-outside-root", "-v")
    text = " ".join(said.stdout.split())
    assert (said.returncode, said.stderr) == (1, "")
    assert text.startswith("rms · eps-outside-root · sandbox: ")
    assert "test_rows[shape0]" in text and "test_rows[shape1]" in text and "eps is added to the root. It belongs inside." in text
    assert "as_built" not in text  # the matrix is for whole exercises


def test_close_up_without_points_gives_no_advice(invoke: Invoke, edited_course: EditedCourse) -> None:
    free = [('@claim("state")\ndef test_steps', '@claim("state", points=0)\ndef test_steps')]
    course = edited_course({"tests/hidden/test_centring.py": free})
    choice = "--mistake", "steps-not-counted", "--only", "test_steps", "-v"
    said = invoke("verify", "centring", *choice, "--course", course.root)
    text = " ".join(said.stdout.split())
    assert said.returncode == 1 and "0 of 0 points · not passed" in text
    assert "normgrade hint" not in text and "Next:" not in text and "normgrade explain" not in text


def test_verify_plays_only_the_named_checks(invoke: Invoke) -> None:
    said = invoke("verify", "rms", "--only", "test_rows*", "--format", "json")
    reports = json.loads(said.stdout)["reports"]
    assert said.returncode == 0
    assert [report["submission"] for report in reports] == ["solutions/rms/reference.py", "solutions/rms/alternatives/einsum.py"]
    assert {check["name"] for report in reports for check in report["checks"]} == {"test_rows[shape0]", "test_rows[shape1]"}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (
            ("rms", "--mistake", "eps-outside-rot"),
            'rms has no mistake named "eps-outside-rot". Did you mean "eps-outside-root"? '
            "Use one of: eps-outside-root, one-for-all-rows, sum-for-mean, no-upcast.",
        ),
        (("rms", "--alternative", "einsm"), 'rms has no alternative named "einsm". Did you mean "einsum"? Use one of: einsum.'),
        (
            ("rms", "--only", "test_row"),
            'No check of rms is named "test_row". Did you mean "test_rows"? '
            "There is test_call, test_rows, test_alone, test_half_precision.",
        ),
        (("--mistake", "no-upcast"), "--mistake, --alternative and --only need exactly one exercise. Pass one SLUG."),
        (("rms", "centring", "--only", "x"), "--mistake, --alternative and --only need exactly one exercise. Pass one SLUG."),
        (
            ("rms", "--only", "test_rows", "--mutants"),
            "--mutants is for whole exercises. It cannot be used with --mistake, --alternative or --only.",
        ),
        (
            ("rms", "--only", "test_rows", "--sample", "4"),
            "--sample is for whole exercises. It cannot be used with --mistake, --alternative or --only.",
        ),
        (("rms", "--sample", "0"), '--sample must be a whole number from 1 to 1000, not "0".'),
        (
            ("rms", "--only", "test_rows", "--format", "github"),
            "--format github is for whole exercises. It cannot be used with --mistake, --alternative or --only.",
        ),
        (
            ("rms", "--only", "test_rows", "--habits"),
            "--habits is for whole exercises. It cannot be used with --mistake, --alternative or --only.",
        ),
        (
            ("rms", "--mistake", "no-upcast", "--write"),
            "--write is for whole exercises. It cannot be used with --mistake, --alternative or --only.",
        ),
    ],
)
def test_verify_explains_wrong_options(arguments: tuple[str, ...], says: str, invoke: Invoke) -> None:
    said = invoke("verify", *arguments)
    assert (said.returncode, said.stdout, said.stderr) == (2, "", f"Error: {says}\n")


# Changed exercises


def test_changed_exercises_are_verified(invoke: Invoke, edited_course: EditedCourse) -> None:
    course = edited_course({})
    commit(course.root)
    (course.root / "exercises/rms/notes.md").touch()
    said = invoke("verify", "--changed", "HEAD", "--course", course.root, "--format", "json")
    assert [each["exercise"] for each in json.loads(said.stdout)["reports"]] == ["rms"]
    assert (said.returncode, said.stderr) == (0, "1 exercise has changed since HEAD: rms.\n")


def test_shared_file_has_every_exercise_verified(invoke: Invoke, edited_course: EditedCourse) -> None:
    course = edited_course({})
    commit(course.root)
    commit(course.root)
    with (course.root / "course.toml").open("a", encoding="utf-8") as settings:
        settings.write("\n")
    said = invoke("verify", "--course", course.root, "--format", "json", "--changed")
    assert [each["exercise"] for each in json.loads(said.stdout)["reports"]] == ["rms", "centring"]
    assert said.stderr == "course.toml has changed since HEAD~1: every exercise is verified.\n"


def test_nothing_changed_is_no_failure(invoke: Invoke, edited_course: EditedCourse, tmp_path: Path) -> None:
    course = edited_course({})
    commit(course.root)
    says = "No exercise has changed since HEAD: nothing is verified.\n"
    said = invoke("verify", "--changed", "HEAD", "--course", course.root)
    assert (said.returncode, said.stdout, said.stderr) == (0, "", says)
    said = invoke("verify", "--changed", "HEAD", "--course", course.root, "--output", tmp_path / "verify.xml")
    assert (said.returncode, said.stdout, said.stderr) == (0, "", says)
    assert (
        (tmp_path / "verify.xml")
        .read_text(encoding="utf-8")
        .endswith('<testsuites name="normgrade" tests="0" failures="0" errors="0" time="0.000" />\n')
    )


@pytest.mark.parametrize("choice", [("rms",), ("--mistake", "no-upcast"), ("--alternative", "einsum"), ("--only", "test_rows")])
def test_changed_exercises_are_not_chosen_twice(choice: tuple[str, ...], invoke: Invoke) -> None:
    said = invoke("verify", *choice, "--changed=HEAD")
    assert (said.returncode, said.stdout, said.stderr) == (
        2,
        "",
        "Error: --changed chooses the exercises itself. It cannot be used with SLUG, --mistake, --alternative or --only.\n",
    )


# In GitHub Actions


def test_github_gets_annotations_a_summary_and_a_file(
    invoke: Invoke, edited_course: EditedCourse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    course = edited_course({"exercises/rms/exercise.toml": [("points = 8", "points = 9")]})
    (course.root / ".git").mkdir()
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    output = tmp_path / "verify.xml"
    said = invoke("verify", "rms", "--course", course.root, "--format", "github", "-q", "--output", output)
    shown, annotation = said.stdout.splitlines()
    assert said.returncode == 1 and shown.startswith("✗ rms · solutions/rms · 10 of 11 points · not passed")
    title = "title=rms · The points of the suite sum to 9."
    assert annotation == f"::error file=tests/hidden/test_rms.py,line=1,{title}::The sum is 8: {PARTS}."
    assert "| ✗ rms | 10 | 1 | 0 |" in (tmp_path / "summary.md").read_text(encoding="utf-8")
    assert f"The sum is 8: {PARTS}." in output.read_text(encoding="utf-8")


def test_github_is_told_that_nothing_has_changed(
    invoke: Invoke, edited_course: EditedCourse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    course = edited_course({})
    commit(course.root)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    said = invoke("verify", "--changed=HEAD", "--course", course.root, "--format", "github")
    assert (said.returncode, said.stdout) == (0, "")
    assert (tmp_path / "summary.md").read_text(encoding="utf-8") == "No exercise has changed since HEAD&#58; nothing is verified&#46;\n\n"
