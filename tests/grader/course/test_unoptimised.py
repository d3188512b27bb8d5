"""PYTHONOPTIMIZE changes no verdict and no text: suites, helpers, references and normgrade keep their asserts and docstrings."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from plain_pytest import pytest_on

import normgrade
from normgrade.course.course import Course
from normgrade.course.unoptimised import unoptimised

LEVELS = ("0", "1", "2")
SUITE = '''
import numpy as np
from shared import at_most


@claim("edge", points=0)
@pytest.mark.parametrize("by", ["assert", "helper"])
def test_ones(observe, by):
    """Ones give no more than one."""
    largest = observe(call("rms", np.ones((2, 3), np.float32)))["result"].values.max()
    if by == "helper":
        at_most(largest, 1)
    else:
        assert largest <= 1, f"{largest} is more than 1"
'''
HELPER = 'def at_most(number, most):\n    """A helper."""\n    assert number <= most and at_most.__doc__, f"{number} is more than {most}"\n'
RIGHT = "import torch\n\n\ndef rms(x, eps=1e-5):\n    return x / torch.sqrt((x.float() ** 2).mean(-1, keepdim=True) + eps).to(x.dtype)\n"
WRONG = RIGHT.replace("    return", "    if (x == 1).all():\n        return x * 2\n    return")


@pytest.fixture(scope="module")
def course(edited_course: Callable[..., Course], tiny: Course) -> Course:
    """Return a course with a claim that only asserts can refute: one in the suite, one in a helper."""
    suite = (tiny.root / "tests/hidden/test_rms.py").read_text(encoding="utf-8")
    return edited_course({"tests/hidden/test_rms.py": suite + SUITE, "tests/hidden/shared.py": HELPER})


def ran(level: str, *arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run Python with these arguments at this level of optimisation."""
    environment = os.environ | {"PYTHONOPTIMIZE": level, "PYTHONPATH": str(Path(normgrade.__file__).parents[1])}
    return subprocess.run([sys.executable, *arguments], env=environment, cwd=folder, capture_output=True, text=True, timeout=300)


def without_times(told: Any) -> Any:
    match told:
        case dict():
            return {name: without_times(value) for name, value in told.items() if name != "duration_s"}
        case list():
            return [*map(without_times, told)]
    return told


@pytest.mark.parametrize(("source", "lost"), [(RIGHT, 0), (WRONG, 2)], ids=["right", "wrong"])
def test_optimisation_does_not_change_a_report(source: str, lost: int, course: Course, tmp_path: Path, expectations: Path) -> None:
    (tmp_path / "rms.py").write_text(source, encoding="utf-8")
    check = partial(ran, folder=tmp_path)
    done = [
        check(level, "-m", "normgrade", "check", "rms.py", "--course", str(course.root), "--format", "json", "--lang", "en")
        for level in LEVELS
    ]
    assert [(each.returncode, each.stderr) for each in done] == [(int(lost > 0), "")] * 3
    plain, *others = (without_times(json.loads(each.stdout)) for each in done)
    assert others == [plain, plain]
    failed = {check["name"]: check["message"] for check in plain["reports"][0]["checks"] if check["outcome"] == "failed"}
    assert failed == ({"test_ones[assert]": "2.0 is more than 1", "test_ones[helper]": "2.0 is more than 1"} if lost else {})
    assert all(check["claim"] for check in plain["reports"][0]["checks"])


@pytest.mark.parametrize("option", ["--assert=rewrite", "--assert=plain"])
@pytest.mark.parametrize("level", ["1", "2"])
def test_plain_pytest_gives_the_same_verdicts(
    level: str, option: str, course: Course, tmp_path: Path, expectations: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONOPTIMIZE", level)
    (tmp_path / "rms.py").write_text(WRONG, encoding="utf-8")
    done = pytest_on(course.root / "tests/hidden/test_rms.py", tmp_path / "rms.py", "-q", option, folder=tmp_path)
    assert "2 failed, 5 passed, 1 warning in" in done.stdout, done.stdout  # pytest itself warns
    assert done.stdout.count("\n2.0 is more than 1\n") == 2


def test_optimisation_does_not_change_the_help(tmp_path: Path) -> None:
    for arguments in (["--help"], ["check", "--help"]):
        said = {ran(level, "-m", "normgrade", *arguments, "--lang", "en", folder=tmp_path).stdout for level in LEVELS}
        assert len(said) == 1 and "Grade" in said.pop()


def test_a_reference_keeps_its_asserts(tmp_path: Path) -> None:
    program = "from normgrade.worker.untrusted.play import load; load('assert False, 2', 'reference.py')"
    for level in LEVELS:
        assert ran(level, "-c", program, folder=tmp_path).stderr.endswith("AssertionError: 2\n")


def test_modules_outside_the_folder_are_optimised(tmp_path: Path) -> None:
    for name in ("inside", "outside"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.py").write_text('def f():\n    """It has one."""\n    assert False\n', encoding="utf-8")
    program = f"""
import sys; from pathlib import Path; from normgrade.course.unoptimised import unoptimised
sys.path += {[str(tmp_path / name) for name in ("inside", "outside")]}
before = [*sys.meta_path]
with unoptimised(Path({str(tmp_path / "inside")!r})): import inside, outside
print(inside.f.__doc__, outside.f.__doc__, sys.meta_path == before, inside.__loader__.__class__.__name__)
"""
    assert ran("0", "-c", program, folder=tmp_path).stdout == "It has one. It has one. True SourceFileLoader\n"
    for _again in range(2):  # the bytecode that Python caches for other programs is not used
        assert ran("2", "-c", program, folder=tmp_path).stdout == "It has one. None True Loader\n"
        assert ran("2", "-c", f"import sys; sys.path.append({str(tmp_path / 'inside')!r}); import inside", folder=tmp_path).returncode == 0


def test_nothing_changes_without_optimisation(tmp_path: Path) -> None:
    before = [*sys.meta_path]
    with unoptimised(tmp_path):
        assert sys.meta_path == before
