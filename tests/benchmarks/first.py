"""A measurement of the time and the memory that the first answer of an exercise takes, against `python -c "import torch"` in the same run.

    python tests/benchmarks/first.py [--exercises SLUG…]

It measures for every exercise, each time with an empty cache: a right answer; a wrong one, with a known mistake, until its verdict is known
and until the mistake is named; then the largest proportional share of memory of the process tree, in two separate runs, since reading it
takes time. Promised are the median and, in brackets, the worst: 1.6 (2.5) for a right answer, 1.8 (2.5) for a verdict and 2.5 (4) for a
name, or 0.6 if answers are in NumPy; and 400 MiB, or 120 MiB in NumPy. The exit code is 1 if a promise was broken.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.course.mistakes import read_mistakes

STRIDE = 5  # from the known mistake of one exercise to that of the next
LOOK_S = 0.03  # between two looks at the memory
MIB = 1024**2
DRIVER = """
import sys, time
from pathlib import Path
from normgrade.course.course import Course
from normgrade.grading.grade import Submission, grade
from normgrade.grading.grading_options import Options, available

submission = Submission(Course.find().exercise(sys.argv[1]), Path(sys.argv[2]), sys.argv[2])
[report] = grade([submission], Options(cores=available()), lambda report: print(report.searching, time.time(), flush=True))
print(report.outcome, *(name for diagnosis in report.diagnoses for name in diagnosis.mistakes))
"""
COLUMNS = ("right", "verdict", "name", "MiB right", "MiB wrong")
PROMISED = {"right": (1.6, 2.5), "verdict": (1.8, 2.5), "name": (2.5, 4.0), "MiB right": (400, 400), "MiB wrong": (400, 400)}
IN_NUMPY = {"right": (0.6, 0.6), "verdict": (0.6, 0.6), "name": (0.6, 0.6), "MiB right": (120, 120), "MiB wrong": (120, 120)}


def graded(folder: Path, exercise: Exercise, source: str) -> Iterator[tuple[float, str]]:
    """Grade a source with an empty cache, in a new process. Yield its process number, then every line of output, each with its seconds."""
    cache = folder / "cache"
    shutil.rmtree(cache, ignore_errors=True)
    (folder / exercise.file_name).write_text(source, encoding="utf-8")
    environment = os.environ | {"NORMGRADE_CACHE": str(cache), "NORMGRADE_CONFIG": str(folder / "configuration")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, "-c", DRIVER, exercise.slug, exercise.file_name]
    started = time.time()
    with subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield 0.0, str(process.pid)
        for line in process.stdout:
            yield time.time() - started, line.strip()
    if process.returncode:
        raise SystemExit(f"{exercise.slug}: grading ended with {process.returncode}")


def right_s(folder: Path, exercise: Exercise) -> float:
    """Return the seconds until a right answer has passed."""
    *lines, (_s, said) = graded(folder, exercise, exercise.reference.read_text(encoding="utf-8"))
    assert said == "passed", f"{exercise.slug}: the reference {said}"
    return lines[-1][0]


def wrong_s(folder: Path, exercise: Exercise, number: int) -> tuple[float, float]:
    """Return the seconds until the verdict on a wrong answer is known, and until its mistake is named."""
    mistakes = read_mistakes(exercise)
    mistake = mistakes[STRIDE * number % len(mistakes)]
    _pid, *reports, (_s, said) = graded(folder, exercise, mistake.source)
    assert said == f"failed {mistake.name}", f"{exercise.slug}: {mistake.name} is {said}"
    return reports[0][0], reports[-1][0]


def peak_mib(folder: Path, exercise: Exercise, source: str) -> float:
    """Return the largest proportional share of memory of all processes together, in MiB, while a source is graded."""
    coming = graded(folder, exercise, source)
    pid, shares, ended = int(next(coming)[1]), [0.0], threading.Event()

    def look() -> None:
        while not ended.wait(LOOK_S):
            shares.append(sum(map(share_mib, tree(pid))))

    looking = threading.Thread(target=look)
    looking.start()
    for _line in coming:
        pass
    ended.set()
    looking.join()
    return max(shares)


def tree(pid: int) -> Iterable[int]:
    """Yield the number of a process and those of all its descendants."""
    yield pid
    try:
        children = [child for task in Path(f"/proc/{pid}/task").iterdir() for child in (task / "children").read_text().split()]
    except OSError:
        return
    for child in children:
        yield from tree(int(child))


def share_mib(pid: int) -> float:
    """Return the proportional share of memory of a process, in MiB; 0 if it has ended."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) * 1024 / MIB for line in lines if line.startswith("Pss:")), 0.0)


def import_s() -> float:
    """Return the seconds that the import of PyTorch takes now."""
    started = time.time()
    subprocess.run([sys.executable, "-c", "import torch"], check=True)
    return time.time() - started


def measured(folder: Path, exercise: Exercise, number: int) -> dict[str, float]:
    """Return the row of an exercise: ratios to the import just before, and MiB."""
    unit = import_s()
    right = right_s(folder, exercise)
    verdict, name = wrong_s(folder, exercise, number)
    mistakes = read_mistakes(exercise)
    return {
        "right": right / unit,
        "verdict": verdict / unit,
        "name": name / unit,
        "MiB right": peak_mib(folder, exercise, exercise.reference.read_text(encoding="utf-8")),
        "MiB wrong": peak_mib(folder, exercise, mistakes[STRIDE * number % len(mistakes)].source),
    }


def summary(title: str, rows: dict[str, dict[str, float]], promised: dict[str, tuple[float, float]]) -> bool:
    """Print the medians and the worst values of some rows. Return True if every promise was kept."""
    kept = True
    for column in COLUMNS if rows else ():
        values = {slug: row[column] for slug, row in rows.items()}
        worst = max(values, key=lambda slug: values[slug])
        median, (most, limit) = statistics.median(values.values()), promised[column]
        held = median <= most and values[worst] <= limit
        kept &= held
        print(f"{title} {column:10}{median:9.2f} ({values[worst]:.2f}, {worst}){most:9g} ({limit:g})  {'held' if held else 'BROKEN'}")
    return kept


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--exercises", nargs="*", default=Course.find().slugs, metavar="SLUG")
    chosen = parser.parse_args().exercises
    rows: dict[str, dict[str, float]] = {}
    print(f"{'':24}" + "".join(f"{column:>11}" for column in COLUMNS))
    with tempfile.TemporaryDirectory() as name:
        for number, slug in enumerate(chosen):
            rows[slug] = measured(Path(name), Course.find().exercise(slug), number)
            print(f"{slug:24}" + "".join(f"{rows[slug][column]:11.2f}" for column in COLUMNS), flush=True)
    numpy = {slug for slug in rows if Course.find().exercise(slug).written_with == "numpy"}
    kept = summary("PyTorch", {slug: row for slug, row in rows.items() if slug not in numpy}, PROMISED)
    kept &= summary("NumPy  ", {slug: row for slug, row in rows.items() if slug in numpy}, IN_NUMPY)
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
