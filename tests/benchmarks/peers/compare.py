"""A comparison with plain pytest, nbgrader and otter: the same answers to layer_norm, and the same nine plain assertions for these three.

    python tests/benchmarks/peers/compare.py [--peers FOLDER] [--answers 30]

Half of the answers are right, half have one known mistake. FOLDER is the `bin` of an environment with the extra `peers`; without it, only
normgrade and plain pytest are compared. Plain pytest has a process for each answer; nbgrader and otter run as their commands do. The
table has the processor seconds for an answer, with the start of the command; how many right answers each rejects; and the wrong ones that
each lets pass. Promised is that the best of the others takes at least five times as much. The exit code is 1 if the promise was broken.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from normgrade.course.course import Course
from normgrade.course.files import read_text
from normgrade.course.mistakes import read_mistakes

ASSERTIONS = Path(__file__).with_name("assertions.py")
HEAD, TESTS = ASSERTIONS.read_text(encoding="utf-8").split("from layer_norm import LayerNorm\n")
HELPERS, *CHECKS = re.split(r"\n\n\n(?=def test_)", TESTS)
TIMES = 5.0
COLUMNS = "{:14}{:>12}{:>12}{:>18}{:>14}  {}"


@dataclass(frozen=True)
class Answer:
    """An answer, and whether it is right."""

    name: str
    source: str
    right: bool


Passed = Callable[[list[Answer], Path], set[str]]  # grades answers in an empty folder, and returns the names of those that pass


def answers(number: int) -> list[Answer]:
    """Return right answers and as many with a known mistake, each of another kind."""
    exercise = Course.find().exercise("layer_norm")
    right = [exercise.reference, *exercise.alternatives][: number // 2]
    mistakes = read_mistakes(exercise)
    wrong = mistakes[:: max(len(mistakes) // (number - len(right)), 1)][: number - len(right)]
    return [
        *(Answer(path.stem, read_text(path), True) for path in right),
        *(Answer(each.name, each.source, False) for each in wrong),
    ]


def run(*command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(Path(command[0]).parent), os.environ["PATH"]])
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, env=os.environ | {"PATH": path})


def by_normgrade(given: list[Answer], folder: Path) -> set[str]:
    for answer in given:
        (folder / answer.name).mkdir()
        (folder / answer.name / "layer_norm.py").write_text(answer.source, encoding="utf-8")
    said = run(sys.executable, "-m", "normgrade", "grade", ".", "--cores", "1", folder=folder)
    assert said.returncode == 0, said.stderr
    with sqlite3.connect(folder / "gradebook.db") as gradebook:
        return {name for name, outcome in gradebook.execute("SELECT student, outcome FROM results") if outcome == "passed"}


def by_pytest(given: list[Answer], folder: Path) -> set[str]:
    for answer in given:
        (folder / f"test_{answer.name}.py").write_text(f"{answer.source}\n{HEAD}\n{TESTS}", encoding="utf-8")
    command = partial(run, sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", folder=folder)
    return {answer.name for answer in given if command(f"test_{answer.name}.py").returncode == 0}


def called(check: str) -> str:
    """Return a check with a call of it, as a notebook runs it."""
    return f"{check}\n\n{check.split('(')[0].removeprefix('def ')}()\n"


def by_nbgrader(tools: Path, given: list[Answer], folder: Path) -> set[str]:
    write_notebook(folder / "source" / "hw" / "layer_norm.ipynb", "### BEGIN SOLUTION\n### END SOLUTION", checks=True)
    (folder / "nbgrader_config.py").write_text("c = get_config()\nc.CourseDirectory.course_id = 'course'\n", encoding="utf-8")
    made = run(str(tools / "nbgrader"), "generate_assignment", "hw", folder=folder)
    assert made.returncode == 0, made.stderr
    for answer in given:
        write_notebook(folder / "submitted" / answer.name / "hw" / "layer_norm.ipynb", answer.source, checks=True)
    run(str(tools / "nbgrader"), "autograde", "hw", folder=folder)
    passed = set()
    for answer in given:
        graded = folder / "autograded" / answer.name / "hw" / "layer_norm.ipynb"
        cells = json.loads(graded.read_text(encoding="utf-8"))["cells"] if graded.exists() else [{"outputs": [{"output_type": "error"}]}]
        if not any(output["output_type"] == "error" for cell in cells for output in cell.get("outputs", ())):
            passed.add(answer.name)
    return passed


def write_notebook(path: Path, source: str, checks: bool) -> None:
    """Write a notebook with an answer, and the cells of nbgrader with the checks."""
    path.parent.mkdir(parents=True, exist_ok=True)
    cells = [cell(source, "answer", solution=True, locked=False)]
    if checks:
        cells.append(cell(HEAD + HELPERS, "helpers", locked=True))
        cells += [cell(called(check), f"check{number}", grade=True, points=1, locked=True) for number, check in enumerate(CHECKS)]
    content = {"cells": cells, "metadata": {"kernelspec": KERNEL}, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(content), encoding="utf-8")


KERNEL = {"name": "python3", "display_name": "Python 3", "language": "python"}


def cell(source: str, name: str, **options: object) -> dict[str, object]:
    described = {"schema_version": 3, "grade_id": name, "grade": False, "solution": False, "task": False} | options
    base = {"cell_type": "code", "id": name, "outputs": [], "execution_count": None}
    return base | {"source": source, "metadata": {"nbgrader": described}}


def by_otter(tools: Path, given: list[Answer], folder: Path) -> set[str]:
    (folder / "tests").mkdir()
    for number, check in enumerate(CHECKS):
        name = check.split("(")[0].removeprefix("def ")
        begins = f'OK_FORMAT = False\nname = "q{number}"\npoints = 1\nfrom otter.test_files import test_case\n'
        body = re.sub(r"\b(LayerNorm)\(", r"env['LayerNorm'](", f"{HEAD}{HELPERS}\n\n{check}\n".replace("def test_", "def plain_"))
        plain = name.replace("test_", "plain_")
        own = body.replace(f"def {plain}():", f"@test_case()\ndef {name}(env):")
        (folder / "tests" / f"q{number}.py").write_text(begins + own, encoding="utf-8")
    made = run(str(tools / "otter"), "generate", "-t", "tests", "-o", "autograder.zip", "--no-environment", folder=folder)
    assert (folder / "autograder.zip").exists(), made.stderr + made.stdout
    passed = set()
    for answer in given:
        write_notebook(folder / f"{answer.name}.ipynb", answer.source, checks=False)
        out = folder / answer.name
        out.mkdir()
        run(str(tools / "otter"), "run", f"{answer.name}.ipynb", "-a", "autograder.zip", "-o", str(out), "--no-logo", folder=folder)
        results = out / "results.json"
        tests = json.loads(results.read_text(encoding="utf-8"))["tests"] if results.exists() else []
        if tests and all(each.get("score") == each.get("max_score") for each in tests):
            passed.add(answer.name)
    return passed


def measured(name: str, grade: Passed, given: list[Answer]) -> float:
    """Grade all answers, print a row, and return the processor seconds for an answer."""
    with tempfile.TemporaryDirectory() as folder:
        before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        passed = grade(given, Path(folder))
        wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    each = (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / len(given)
    rejected = [answer.name for answer in given if answer.right and answer.name not in passed]
    missed = [answer.name for answer in given if not answer.right and answer.name in passed]
    caught = sum(not answer.right for answer in given) - len(missed)
    shown = ", ".join([*(f"rejects {each}" for each in rejected), *missed])
    print(COLUMNS.format(name, f"{each:.2f}", f"{wall / len(given):.2f}", len(rejected), caught, shown), flush=True)
    return each


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", type=Path, help="folder with the commands nbgrader and otter")
    parser.add_argument("--answers", type=int, default=30)
    options = parser.parse_args()
    given, tools = answers(options.answers), options.peers
    others: Mapping[str, Passed] = {"plain pytest": by_pytest}
    if tools is not None:
        others = {**others, "nbgrader": partial(by_nbgrader, tools.resolve()), "otter": partial(by_otter, tools.resolve())}
    with tempfile.TemporaryDirectory() as folder:  # what normgrade computes once for an exercise
        by_normgrade(given[-1:], Path(folder))
    print(f"{len(given)} answers, {sum(not each.right for each in given)} of them wrong; load of the machine {os.getloadavg()[0]:.1f}")
    print(COLUMNS.format("", "CPU s each", "s each", "right, rejected", "wrong, caught", "not caught"))
    own = measured("normgrade", by_normgrade, given)
    best = min(measured(name, grade, given) for name, grade in others.items())
    held = best >= TIMES * own
    print(f"  the best of the others: {best / own:.1f} times as much, promised {TIMES:g}: {'held' if held else 'BROKEN'}")
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
