"""Tests of the command `export`: what it writes, and what it does not overwrite."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import pytest

from normgrade.classes.systems import Entry, zipped
from normgrade.course.package import carried

Invoke = Callable[..., subprocess.CompletedProcess[str]]
OTHER_PLACE = 'Error: Nothing can be written to "{}" ({}). Use --output PATH to choose another place.\n'


def test_an_autograder_is_written_and_written_again(invoke: Invoke, here: Path) -> None:
    for _time in range(2):
        said = invoke("export", "gradescope", "rms", "rms")
        assert (said.returncode, said.stderr) == (0, "")
        assert said.stdout == "Wrote autograder.zip. Upload it to Gradescope under Configure Autograder.\n"
    with ZipFile(here / "autograder.zip") as archive:
        assert b"slugs=(rms)\nseed=0\n" in archive.read("settings.sh")


@pytest.mark.parametrize("content", [b"PK", zipped({"a": Entry(b"a")}, "made elsewhere"), b""])
def test_no_other_file_is_overwritten(content: bytes, invoke: Invoke, here: Path) -> None:
    (here / "mine.zip").write_bytes(content)
    said = invoke("export", "gradescope", "rms", "-o", "mine.zip")
    assert (said.returncode, said.stdout) == (2, "")
    assert said.stderr == OTHER_PLACE.format("mine.zip", "the existing file was not written by this command")
    assert (here / "mine.zip").read_bytes() == content


@pytest.mark.parametrize(
    ("path", "why"), [(".", "it is a folder"), ("none/a.zip", 'the folder "none" does not exist')], ids=["a folder", "in no folder"]
)
def test_place_without_room_for_a_file_is_refused(path: str, why: str, invoke: Invoke) -> None:
    said = invoke("export", "gradescope", "rms", "-o", path)
    assert (said.returncode, said.stderr) == (2, OTHER_PLACE.format(path, why))


def test_a_workflow_is_written_and_written_again(invoke: Invoke, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NORMGRADE_COURSE", str(carried()))
    for slug in ("layer_norm", "rms_norm"):
        said = invoke("export", "github", slug, "-o", "template")
        assert (said.returncode, said.stderr) == (0, "")
        assert " ".join(said.stdout.split()) == (
            "Wrote template/.github/workflows/normgrade.yml. Commit it to the template of your learners' repositories."
        )
    assert "FILES: 'rms_norm.py'" in (here / "template/.github/workflows/normgrade.yml").read_text(encoding="utf-8")


def test_another_workflow_is_not_overwritten(invoke: Invoke, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NORMGRADE_COURSE", str(carried()))
    path = here / ".github" / "workflows" / "normgrade.yml"
    path.parent.mkdir(parents=True)
    path.write_text("name: mine\n", encoding="utf-8")
    said = invoke("export", "github", "layer_norm")
    assert (said.returncode, said.stdout) == (2, "")
    assert said.stderr == OTHER_PLACE.format(".github/workflows/normgrade.yml", "the existing file was not written by this command")
    assert path.read_text(encoding="utf-8") == "name: mine\n"


def test_solutions_of_another_course_do_not_reach_learners(invoke: Invoke, here: Path) -> None:
    said = invoke("export", "github", "rms")
    assert (said.returncode, said.stdout, [*here.iterdir()]) == (2, "", [])
    assert said.stderr.startswith('Error: The exercise "rms" is in the course "')
    assert said.stderr.endswith('". Its solutions would be in the repository of each learner. Choose an exercise of the built-in course.\n')


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("gradscope rms", 'No system named "gradscope". Did you mean "gradescope"? Use gradescope or github.'),
        ("gradescope rmss", 'No exercise named "rmss". Did you mean "rms"? `normgrade list` shows them all.'),
        (
            "gradescope rms --index pypi",
            '"pypi" is not the address of a package index. --index must begin with https://.',
        ),
    ],
)
def test_unknown_names_are_refused(words: str, why: str, invoke: Invoke, here: Path) -> None:
    said = invoke("export", *words.split())
    assert (said.returncode, said.stdout, said.stderr, [*here.iterdir()]) == (2, "", f"Error: {why}\n", [])


def test_an_exercise_must_be_named(invoke: Invoke) -> None:
    assert invoke("export", "gradescope").returncode == 2
