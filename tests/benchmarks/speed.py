"""A measurement of how long grading takes, against `python -c "import torch"` in the same run, because the speed of machines varies.

    python tests/benchmarks/speed.py [--rounds 7]

Every round runs each command once, so that all of them meet the same noise; the table shows the median over the rounds of the time and of
its ratio to the import. Promised ratios: 1.1 for a check of any exercise with cached expectations, 1.3 if the answer is wrong and the
mistake is named (another known mistake in each round), and 0.6 and 0.7 in NumPy, when PyTorch is not imported; 2.5 for the very first
check of batch norm, which plays the reference too (first.py measures that of every exercise); 0.25 for a syntax error, which inspection
finds without a play; 0.25 for a whole suite on a warm zygote, and for each further file of one check; 0.3 for `normgrade watch`, from a
save to the verdict. The exit code is 1 if a promise was broken.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from normgrade.course.course import Course
from normgrade.course.mistakes import read_mistakes
from normgrade.grading.grading_options import Options
from normgrade.grading.opening import open_grader
from normgrade.learner.watching import PAUSE_S, Watching

SLUG = "batch_norm"
ALL = Course.find().slugs
OTHERS = [slug for slug in ALL if slug != SLUG]
IN_NUMPY = {exercise.slug for exercise in Course.find() if exercise.written_with == "numpy"}
STRIDE = 7  # from one known mistake to that of the next round
FURTHER = 10  # files of one check beyond the first
PROMISES = {
    "check, cached": 1.1,
    "check, the very first": 2.5,
    "check, a syntax error": 0.25,
    "check, each further file": 0.25,
    "whole suite, warm zygote": 0.25,
    "watched, from save to verdict": 0.3,
    **{f"check of {slug}": 0.6 if slug in IN_NUMPY else 1.1 for slug in OTHERS},
    **{f"wrong {slug}": 0.7 if slug in IN_NUMPY else 1.3 for slug in ALL},
}


def seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def python(folder: Path, cache: Path, *arguments: str, code: int = 0) -> None:
    """Run Python in a folder as a user would. Show its output only if it ends with another code."""
    environment = os.environ | {"NORMGRADE_CACHE": str(cache), "NORMGRADE_CONFIG": f"{cache}-configuration"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed normgrade has its bytecode
    ended = subprocess.run([sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if ended.returncode != code:
        raise SystemExit(f"{' '.join(arguments)} ended with {ended.returncode}, not {code}:\n{ended.stdout}{ended.stderr}")


def check(folder: Path, cache: Path, *files: str, slug: str = SLUG, code: int = 0) -> None:
    python(folder, cache, "-m", "normgrade", "check", "--exercise", slug, *files, code=code)


@contextmanager
def workspace() -> Iterator[Path]:
    """Yield a folder with right answers and one file that is not Python."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number in range(1 + FURTHER):
            shutil.copy(Course.find().exercise(SLUG).reference, folder / f"right{number}.py")
        for slug in OTHERS:
            shutil.copy(Course.find().exercise(slug).reference, folder / f"{slug}.py")
        (folder / "no_python.py").write_text("def forward(:\n", encoding="utf-8")
        yield folder


def check_wrong(folder: Path, cache: Path, slug: str, number: int) -> float:
    """Return the seconds to check an answer with one of the known mistakes, and to name it."""
    mistakes = read_mistakes(Course.find().exercise(slug))
    (folder / "wrong.py").write_text(mistakes[STRIDE * number % len(mistakes)].source, encoding="utf-8")
    return seconds(lambda: check(folder, cache, "wrong.py", slug=slug, code=1))


def one_round(folder: Path, cache: Path, number: int) -> dict[str, float]:
    """Return the seconds of every command."""
    files = [f"right{number}.py" for number in range(1 + FURTHER)]
    empty = folder / "empty-cache"
    shutil.rmtree(empty, ignore_errors=True)
    times = {
        "import torch": seconds(lambda: python(folder, cache, "-c", "import torch")),
        "check, cached": seconds(lambda: check(folder, cache, files[0])),
        "check, the very first": seconds(lambda: check(folder, empty, files[0])),
        "check, a syntax error": seconds(lambda: check(folder, cache, "no_python.py", code=1)),
    }
    for slug in OTHERS:
        times[f"check of {slug}"] = seconds(partial(check, folder, cache, f"{slug}.py", slug=slug))
    for slug in ALL:
        times[f"wrong {slug}"] = check_wrong(folder, cache, slug, number)
    several = seconds(lambda: check(folder, cache, *files))
    return times | {"check, each further file": (several - times["check, cached"]) / FURTHER}


def warm_suites(rounds: int) -> list[float]:
    """Return the seconds of a whole suite on a right answer, from fork to verdict, in each round."""
    exercise = Course.find().exercise(SLUG)
    source = exercise.reference.read_text(encoding="utf-8")

    with open_grader([exercise], Options()) as grader:
        _warm, *others = [seconds(lambda: list(grader.results(exercise, source, exercise.file_name))) for _ in range(rounds + 1)]
        return others


def saves(folder: Path, rounds: int) -> list[float]:
    """Return the seconds from a save to the verdict on a right answer, as `normgrade watch` sees it, in each round."""
    course = Course.find()
    exercise = course.exercise(SLUG)
    source, path = exercise.reference.read_text(encoding="utf-8"), folder / exercise.file_name
    path.write_text(source, encoding="utf-8")

    def wait(watching: Watching) -> None:
        while not watching.begin_if_saved():
            time.sleep(PAUSE_S)
        watching.grade()

    def save_and_wait(watching: Watching, number: int) -> None:
        path.write_text(f"{source}\n# {number}\n", encoding="utf-8")
        wait(watching)

    with open_grader([exercise], Options()) as grader:
        os.chdir(folder)
        watching = Watching(grader, course, exercise)
        wait(watching)
        found = []
        for number in range(rounds):
            wait_s = 0.01 * number  # so that saves come at all phases of the polling
            time.sleep(wait_s % PAUSE_S)
            found.append(seconds(partial(save_and_wait, watching, number)))
        return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    with workspace() as folder:
        cache = folder / "cache"
        for slug in ALL:
            check_wrong(folder, cache, slug, 0)  # fills the cache
        measured = [one_round(folder, cache, number) for number in range(rounds)]
        os.environ["NORMGRADE_CACHE"] = str(cache)
        os.environ["NORMGRADE_CONFIG"] = f"{cache}-configuration"
        for times, warm in zip(measured, warm_suites(rounds), strict=True):
            times["whole suite, warm zygote"] = warm
        for times, saved in zip(measured, saves(folder, rounds), strict=True):
            times["watched, from save to verdict"] = saved
    print(f"{'':30}{'seconds':>9}{'ratio':>9}{'promised':>10}")
    kept = True
    for name in measured[0]:
        ratio = statistics.median(times[name] / times["import torch"] for times in measured)
        promise = PROMISES.get(name)
        kept &= promise is None or ratio <= promise
        verdict = "" if promise is None else f"{promise:>10.2f}  {'held' if ratio <= promise else 'BROKEN'}"
        print(f"{name:30}{statistics.median(times[name] for times in measured):>9.3f}{ratio:>9.3f}{verdict}")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
