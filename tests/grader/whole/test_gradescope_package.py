"""Tests of the package for Gradescope as a whole: unpacked, set up and run as Gradescope does, in a folder in place of /autograder.

If this user may make a control group, the gradings have the memory and the half core of a container there.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import ZipFile

import pytest
from hostile_texts import HOSTILE_TEXTS, commands_in, steering_in
from schemas import faults

from normgrade.classes.systems import autograder
from normgrade.course.course import Course
from normgrade.grading.grading_options import Options

MEMORY_BYTES = 768 * 1024**2
GROUPS = Path("/sys/fs/cgroup")
LIMITS = {"memory": ("memory.limit_in_bytes", MEMORY_BYTES), "cpu": ("cpu.cfs_quota_us", 50_000)}
RIGHT = "def rms(x, eps=1e-5):\n    return x / (x.double().square().mean(-1, keepdim=True) + eps).sqrt().to(x.dtype)\n"
WRONG = RIGHT.replace("mean(-1, keepdim=True)", "sum(-1, keepdim=True)")
FLOOD = f"""TEXTS = {[*HOSTILE_TEXTS]!a}
def rms(x, eps=1e-5):
    for text in TEXTS:
        print(text.encode(errors="replace").decode())
    return x
"""
UNFINISHED = "The grading was ended before its result was known, by a lack of time, memory or disk."
Run = Callable[[dict[str, str]], dict[str, Any]]

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="a container of Gradescope is Linux")


@pytest.fixture(scope="module")
def limits() -> Iterator[list[Path]]:
    """Yield the control groups of a container; none if they cannot be made."""
    made = []
    with suppress(OSError):
        for kind, (name, value) in LIMITS.items():
            group = GROUPS / kind / f"normgrade-{os.getpid()}"
            group.mkdir()
            made.append(group)
            (group / name).write_text(str(value))
    yield made
    for group in made:
        group.rmdir()


class SetUp(NamedTuple):
    """A folder in place of /autograder after its setup, the entries of the cache in the package, and those that are there then."""

    root: Path
    shipped: set[str]
    kept: set[str]


@pytest.fixture(scope="module")
def after_setup(tmp_path_factory: pytest.TempPathFactory, tiny: Course) -> SetUp:
    """Unpack the package of one exercise as /autograder/source, and run its setup."""
    root = tmp_path_factory.mktemp("autograder")
    package = tmp_path_factory.mktemp("package") / "autograder.zip"
    package.write_bytes(autograder(tiny, [tiny.exercise("rms")], Options()))
    (root / "source").mkdir()
    with ZipFile(package) as archive:
        shipped = {name for name in archive.namelist() if name.startswith("cache/")}
        archive.extractall(root / "source")  # without modes, as the most careless program does
    done = subprocess.run(["bash", root / "source" / "setup.sh"], env=environment(root), capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    shutil.copy(root / "source" / "run_autograder", root / "run_autograder")
    home = root / "normgrade"
    return SetUp(root, shipped, {path.relative_to(home).as_posix() for path in (home / "cache").rglob("*") if path.is_file()})


@pytest.fixture
def set_up(after_setup: SetUp) -> Path:
    """Return the folder in place of /autograder."""
    return after_setup.root


@pytest.fixture
def run(set_up: Path, limits: list[Path]) -> Run:
    """Return a function that grades the files of a submission, and returns the results."""

    def ran(files: dict[str, str]) -> dict[str, Any]:
        for folder in ("submission", "results"):
            shutil.rmtree(set_up / folder, ignore_errors=True)
        (set_up / "submission").mkdir()
        for name, content in files.items():
            (set_up / "submission" / name).parent.mkdir(parents=True, exist_ok=True)
            (set_up / "submission" / name).write_text(content, encoding="utf-8")
        return grade(set_up, limits)

    return ran


def grade(root: Path, limits: list[Path], before: str = "") -> dict[str, Any]:
    """Run `run_autograder` after another command, and return the results that it wrote."""
    enter = "".join(f"echo $$ > {group}/tasks; " for group in limits) + before
    command = ["bash", "-c", f"{enter}exec bash {root}/run_autograder"]
    done = subprocess.run(command, cwd=root, env=environment(root), capture_output=True, text=True, timeout=300)
    assert done.returncode == 0
    assert (commands_in(done.stdout), steering_in(done.stdout)) == ([], set())
    results: dict[str, Any] = json.loads((root / "results" / "results.json").read_text(encoding="utf-8"))
    assert faults(results, "gradescope") == []
    return results


def environment(root: Path) -> dict[str, str]:
    """Return the variables of a container, with this Python in place of a new one."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
    return kept | {"NORMGRADE_AUTOGRADER": str(root), "NORMGRADE_PYTHON": sys.executable}


def first_line(results: dict[str, Any]) -> str:
    return str(results["output"].partition("\n")[0])


def test_setup_leaves_no_copy_of_the_key(set_up: Path) -> None:
    assert [path.relative_to(set_up).as_posix() for path in set_up.rglob("*.key")] == ["normgrade/config/cache.key"]
    assert {path.stat().st_mode & 0o077 for path in (set_up / "normgrade" / "cache", set_up / "normgrade" / "config")} == {0}


def test_the_kept_expectations_are_found(after_setup: SetUp) -> None:
    """Otherwise setup would have computed and kept them once more, under other names."""
    assert after_setup.kept == after_setup.shipped != set()


@pytest.mark.parametrize(
    ("source", "score", "said"),
    [
        (RIGHT, 8, "rms: 8 of 8 points, passed"),
        (WRONG, None, "rms: "),
        ("def rms(x, eps=1e-5):\n    while True: pass\n", 0, "rms: "),
        (FLOOD, None, "rms: "),
        ("def rms(x:\n", 0, "rms: 0 of 8 points, not passed"),
        ("x = bytearray(10**10)\n" + RIGHT, 0, "rms: "),
        ("import os; os._exit(0)\n", 0, "rms: "),
    ],
    ids=["right", "wrong", "hangs", "floods", "no Python", "takes memory", "ends"],
)
def test_submission_gets_a_result(source: str, score: int | None, said: str, run: Run) -> None:
    results = run({"rms.py": source})
    assert first_line(results).startswith(said)
    assert score is None or results["score"] == score
    assert sum(test.get("score", 0) for test in results["tests"]) <= results["score"] < 8 or source == RIGHT


def test_the_mistake_is_named(run: Run) -> None:
    assert run({"rms.py": WRONG})["extra_data"]["reports"][0]["mistakes"] == ["sum-for-mean"]


@pytest.mark.parametrize("name", ["week 3/deep/rms.py", "my answer.py", "-rf.py"])
def test_the_file_is_found(name: str, run: Run) -> None:
    assert (
        first_line(run({name: RIGHT, "__MACOSX/rms.py": "no", ".hidden/rms.py": "no", "notes.txt": "no"})) == "rms: 8 of 8 points, passed"
    )


def test_the_highest_file_counts(run: Run) -> None:
    assert run({"old/rms.py": WRONG, "rms.py": RIGHT})["score"] == 8


@pytest.mark.parametrize("files", [{}, {"rms.ipynb": "{}"}, {"a.py": RIGHT, "b.py": RIGHT}], ids=["nothing", "a notebook", "two files"])
def test_a_missing_file_is_told(files: dict[str, str], run: Run) -> None:
    results = run(files)
    assert results["score"] == 0 and "file: rms.py does not exist" in results["output"]


# A broken autograder


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("normgrade/program/normgrade/cli/check.py", UNFINISHED),
        ("normgrade/program", UNFINISHED),
        ("normgrade/python.sh", UNFINISHED),
        ("normgrade/settings.sh", UNFINISHED),
        ("normgrade", "The autograder is not set up."),
    ],
)
def test_a_broken_autograder_gives_no_points_and_a_sentence(path: str, said: str, set_up: Path, tmp_path: Path) -> None:
    broken = tmp_path / "autograder"
    shutil.copytree(set_up, broken, symlinks=True)
    (shutil.rmtree if (broken / path).is_dir() else os.unlink)(broken / path)
    (broken / "submission" / "rms.py").write_text(RIGHT, encoding="utf-8")
    results = grade(broken, [])
    assert results["score"] == 0 and results["output"].startswith(said)


def test_a_full_disk_gives_a_sentence(set_up: Path, tmp_path: Path) -> None:
    """A limit for the size of files has the same effect: the results are larger than a kilobyte."""
    full = tmp_path / "autograder"
    shutil.copytree(set_up, full, symlinks=True)
    (full / "submission" / "rms.py").write_text(RIGHT, encoding="utf-8")
    assert grade(full, [], "ulimit -f 1; ")["output"].startswith(UNFINISHED)


def test_a_grading_without_time_gives_a_sentence(set_up: Path, tmp_path: Path) -> None:
    hurried = tmp_path / "autograder"
    shutil.copytree(set_up, hurried, symlinks=True)
    with (hurried / "normgrade" / "settings.sh").open("a", encoding="utf-8") as settings:
        settings.write("seconds=0.2\n")
    (hurried / "submission" / "rms.py").write_text(RIGHT, encoding="utf-8")
    assert grade(hurried, [])["output"].startswith(UNFINISHED)
