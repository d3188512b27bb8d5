"""Scripts that do what a failed check did: they stand alone, and come to the same numbers."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest

from normgrade.cli import repro as command
from normgrade.compare.played import Result
from normgrade.course.course import Course
from normgrade.course.mistakes import read_mistakes
from normgrade.learner.reproduction import SEAL, is_as_made, literal, script, sealed
from normgrade.report.report import ArrayDifference, Outcome
from normgrade.suite.grader import open_grader
from normgrade.suite.options import Options
from normgrade.worker.observation import Array

MISTAKES = [  # by exercise and name, and the part of a check's name that is reproduced
    ("layer_norm", "unbiased-variance", "test_"),
    ("layer_norm", "no-upcast", "test_half_precision"),
    ("layer_norm", "unbiased-variance", "test_any_memory_layout"),
    ("batch_norm", "biased-running-variance", "test_"),
    ("deep_norm", "rms-norm", "test_"),
    ("spectral_norm", "divided-by-sigma-squared", "test_"),
]
Found = Mapping[tuple[str, str, str], tuple[Result, Path, str]]


@pytest.fixture(scope="module")
def found(expectations: Path, tmp_path_factory: pytest.TempPathFactory) -> Found:
    """A failed check of every mistake, the wrong file, and the script."""
    course = Course.find()
    exercises = {slug: course.exercise(slug) for slug, _, _ in MISTAKES}
    made = {}
    with open_grader(list(exercises.values()), Options()) as grader:
        for slug, name, check in MISTAKES:
            exercise, folder = exercises[slug], tmp_path_factory.mktemp("repro")
            [mistake] = [each for each in read_mistakes(exercise) if each.name == name]
            path = folder / exercise.file_name
            path.write_text(mistake.source, encoding="utf-8")
            results = list(grader.results(exercise, mistake.source, path.name))
            failed = [each for each in results if each.check.outcome is Outcome.FAILED and each.check.name.startswith(check)]
            numeric = next(each for each in failed if isinstance(next(iter(each.check.differences), None), ArrayDifference))
            made[slug, name, check] = (numeric, path, script(exercise, path, numeric))
    return made


@pytest.mark.parametrize("which", MISTAKES, ids=lambda which: " ".join(which))
def test_a_script_comes_to_the_numbers_of_the_report(which: tuple[str, str, str], found: Found, tmp_path: Path) -> None:
    result, _, source = found[which]
    assert "normgrade" not in source.replace("Made by `normgrade repro`", "").replace("/normgrade/", "")
    path = tmp_path / "repro.py"
    path.write_text(source, encoding="utf-8")
    done = subprocess.run([sys.executable, "-I", str(path)], cwd="/", capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    difference = result.check.differences[0]
    shown = re.search(rf"^{re.escape(difference.place)}\n.*?off by\s+(\S+) at most", done.stdout, re.MULTILINE | re.DOTALL)
    assert shown is not None, done.stdout
    assert isinstance(difference, ArrayDifference) and float(shown[1]) == pytest.approx(difference.max_abs, rel=1e-3)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "int64", "bool"])
@pytest.mark.parametrize("shape", [(), (0, 3), (2, 3)])
def test_numbers_are_written_exactly(dtype: str, shape: tuple[int, ...]) -> None:
    import torch

    values = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    values = values.astype("float32" if dtype == "bfloat16" else dtype)
    wanted = torch.tensor(values.tolist()).reshape(shape).to(getattr(torch, dtype))
    held = Array(wanted.float().numpy() if dtype == "bfloat16" else wanted.numpy(), dtype)
    assert torch.equal(eval(literal(held), {"torch": torch}), wanted)


def test_other_values_are_written_as_python() -> None:
    assert eval(literal({"a": [1, (2,), None, True], "b": "text"})) == {"a": [1, (2,), None, True], "b": "text"}


# The command

WRONG = "def rms(x, eps=1e-5):\n    return 0.5 * x / (x.float() ** 2).mean(-1, keepdim=True).add(eps) ** 0.5\n"
Run = Callable[..., tuple[int, str, str]]


def test_the_command_writes_a_script_that_runs(run: Run, tmp_path: Path) -> None:
    (tmp_path / "rms.py").write_text(WRONG, encoding="utf-8")
    code, out, err = run("repro", "rms")
    assert (code, err) == (0, "") and out.startswith("repro_rms.py does what test_rows[shape0] does. Run it with `python repro_rms.py`")
    done = subprocess.run([sys.executable, "repro_rms.py"], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and "off by" in done.stdout
    assert run("repro", "rms", "test_alone")[1].startswith("repro_rms.py does what test_alone does.")
    done = subprocess.run([sys.executable, "repro_rms.py"], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and "row 1" in done.stdout


REFUSED = 'Error: "{}" is there already, and not as `normgrade repro` made it. Name another file with --output FILE.'


def test_a_script_is_ours_until_anybody_changes_it(run: Run, tmp_path: Path) -> None:
    made = sealed('"""Made by `normgrade repro`."""\nx = 1\n')
    older = made.rpartition(SEAL)[0]
    assert is_as_made(made)
    changed = [older, made.replace(b"x = 1", b"x = 2"), made + b"y\n", made.replace(b"\n", b"\r\n"), b"", made + made]
    assert not any(map(is_as_made, changed))
    (tmp_path / "rms.py").write_text(WRONG, encoding="utf-8")
    path = tmp_path / "repro_rms.py"
    path.write_bytes(changed[1])
    assert run("repro", "rms") == (2, "", REFUSED.format("repro_rms.py"))
    assert path.read_bytes() == changed[1]


def test_a_script_that_is_edited_while_the_checks_run_is_left_alone(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "rms.py").write_text(WRONG, encoding="utf-8")
    path = tmp_path / "repro_rms.py"
    monkeypatch.setattr(command, "play", lambda *arguments: path.write_text("# mine\n", encoding="utf-8") and ())
    monkeypatch.setattr(command, "chosen", lambda *arguments: "a result")
    assert run("repro", "rms") == (2, "", REFUSED.format("repro_rms.py"))
    assert path.read_text(encoding="utf-8") == "# mine\n"


def test_what_cannot_be_reproduced_is_said(run: Run, tmp_path: Path, tiny: Course, edited_course: Callable[..., Course]) -> None:
    path = tmp_path / "rms.py"
    assert run("repro", "rms")[2].startswith("Error: rms.py cannot be played: rms.py does not exist")
    path.write_text(WRONG, encoding="utf-8")
    assert run("repro", "rms", "test_row")[0] == 0
    assert run("repro", "rms", "test_rovs")[2] == (
        'Error: No check is called "test_rovs". Did you mean "test_rows"? There are test_call, test_rows, test_alone, test_half_precision.'
    )
    assert run("repro", "rms", "test_call")[2] == 'Error: "test_call" does not fail, so there is nothing to reproduce.'
    (tmp_path / "mine.py").write_text("# mine\n", encoding="utf-8")
    assert run("repro", "rms", "--output", "mine.py")[2] == REFUSED.format("mine.py")
    course = edited_course({"course.toml": 'reveal = "claims"\n'})
    kept = 'Error: The course keeps the inputs of rms to itself: it reveals "claims", and not everything.'
    assert run("repro", "rms", "--course", str(course.root))[2] == kept
    path.write_bytes(tiny.exercise("rms").reference.read_bytes())
    again = "Seed 3: `--seed 3` draws the same inputs again."
    assert run("repro", "rms", "--seed", "3")[:2] == (0, f"Nothing to reproduce: every check passes. {again}")
