"""A measurement of `normgrade grade` on a made-up class, from outside: speed, two cores, memory, and if marks are always the same.

    python tests/benchmarks/classes.py [--size 40] [SLUG …]

Four classes are graded: one of right answers, one of right and wrong ones (four to five; the wrong ones have one to three known mistakes),
the same with two cores and in another order, and one that is several times as large. Hostile answers are graded by themselves, because a
loop costs its own time limit. A rate counts from the first result on, so that it leaves out the start, which a class pays once; it is given
per core and second, and as answers in the time of an import of PyTorch, which is measured just before. Promised are 4 right and 2 mixed
answers per core and second, 1.9 times as many on two cores, the same rate for a class of another size (at least 0.8 times), 450 MiB per
core, and the same marks on one core, on two and in another order. The exit code is 1 if a promise was broken.
"""

from __future__ import annotations

import argparse
import csv
import io
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from normgrade.course.course import Course

sys.path.insert(0, str(Path(__file__).parents[1] / "grader" / "harness"))

from made_up_class import TEN, Kind, MadeUp, backwards, forwards, made_up_class, write_folders

sys.path.insert(0, str(Path(__file__).parent))

from first import import_s, share_mib, tree

SLUGS = ("layer_norm",)
LARGER = 4  # times as many students
LOOK_S = 0.2  # between two looks at the memory
RIGHT_RATE, MIXED_RATE, SECOND_CORE, FLAT, MOST_MIB = 4.0, 2.0, 1.9, 0.8, 450.0
MIXED = tuple(kind for kind in TEN if kind is not Kind.HOSTILE)
COLUMNS = "{:34}{:>6}{:>9}{:>9}{:>12}{:>12}{:>12}{:>9}"


@dataclass(frozen=True)
class Graded:
    """One run of the command: seconds until each result, processor seconds, the largest memory in MiB, cores, marks by id and exercise."""

    at: Sequence[float]
    processor_s: float
    mib: float
    cores: int
    marks: dict[str, list[str]]
    unit_s: float

    @property
    def rate(self) -> float:
        """Answers per second, from the first result on."""
        return (len(self.at) - 1) / max(self.at[-1] - self.at[0], 1e-9)

    @property
    def per_core(self) -> float:
        return self.rate / self.cores


def run(title: str, answers: Sequence[MadeUp], cores: int, folder: Path, name: Callable[[int], str] = forwards) -> Graded:
    """Grade a class with the command, and print a row."""
    hand_ins, gradebook = folder / title / "hand-ins", folder / title / "gradebook.db"
    write_folders(answers, hand_ins, name)
    unit_s = import_s()
    before, started, at, shares, ended = processor_s(), time.perf_counter(), list[float](), [0.0], threading.Event()
    command = ["grade", str(hand_ins), "--cores", str(cores), "--gradebook", str(gradebook), "--format", "jsonl"]
    with subprocess.Popen(normgrade(*command), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        looking = threading.Thread(target=look, args=(process.pid, shares, ended))
        looking.start()
        assert process.stdout is not None
        for _line in process.stdout:
            at.append(time.perf_counter() - started)
        ended.set()
        looking.join()
    if process.returncode or len(at) != len(answers):
        raise SystemExit(f"{title}: {len(at)} of {len(answers)} graded, exit code {process.returncode}")
    found = Graded(at, processor_s() - before, max(shares), cores, marks_in(gradebook), unit_s)
    print(row(title, found), flush=True)
    return found


def normgrade(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "normgrade", *arguments]


def processor_s() -> float:
    """Return the processor seconds of all processes that this one started and that ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def look(pid: int, shares: list[float], ended: threading.Event) -> None:
    """Note the proportional share of memory of a process and its descendants, again and again."""
    while not ended.wait(LOOK_S):
        shares.append(sum(map(share_mib, tree(pid))))


def marks_in(gradebook: Path) -> dict[str, list[str]]:
    """Return the marks by the number of the student, whatever the name."""
    exported = subprocess.run(
        normgrade("gradebook", "export", "--gradebook", str(gradebook)), capture_output=True, text=True, check=True
    ).stdout
    _title, *rows = csv.reader(io.StringIO(exported))
    return {id: marks for _student, id, *marks in rows}


def row(title: str, found: Graded) -> str:
    memory, each = f"{found.mib / found.cores:.0f}", f"{found.processor_s / len(found.at):.2f}"
    rates = f"{found.per_core:.2f}", f"{found.per_core * found.unit_s:.2f}"
    return COLUMNS.format(title, len(found.at), f"{found.at[0]:.1f}", f"{found.at[-1]:.1f}", each, *rates, memory)


def said(what: str, found: float, promised: float, most: bool = False) -> bool:
    held = found <= promised if most else found >= promised
    print(f"  {what}: {found:.3g}, promised {promised:g}: {'held' if held else 'BROKEN'}")
    return held


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=40, help="students of the smaller classes")
    parser.add_argument("slugs", nargs="*", metavar="SLUG", default=SLUGS)
    options = parser.parse_args()
    exercises = [Course.find().exercise(slug) for slug in options.slugs]
    right = made_up_class(exercises, options.size, [Kind.RIGHT])
    mixed, many = (made_up_class(exercises, students, MIXED) for students in (options.size, LARGER * options.size))
    hostile = made_up_class(exercises, max(options.size // 10, 1), [Kind.HOSTILE])
    print(f"load of the machine: {os.getloadavg()[0]:.1f}")
    print(COLUMNS.format("class", "n", "first, s", "last, s", "CPU s each", "n/s/core", "n/import", "MiB/core"))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        right_ones = run("right", right, 1, folder)
        once = run("mixed", mixed, 1, folder)
        two_cores = run("mixed, two cores", mixed, 2, folder)
        other_order = run("mixed, two cores, other order", mixed, 2, folder, backwards)
        large = run("mixed, large, two cores", many, 2, folder)
        run("hostile, two cores", hostile, 2, folder)
    print(f"load of the machine: {os.getloadavg()[0]:.1f}")
    held = said("right answers per core and second", right_ones.per_core, RIGHT_RATE)
    held &= said("mixed answers per core and second", large.per_core, MIXED_RATE)
    held &= said("times as many on two cores", two_cores.rate / once.rate, SECOND_CORE)
    held &= said(f"rate of a class {LARGER} times as large", large.rate / two_cores.rate, FLAT)
    held &= said("MiB per core", max(each.mib / each.cores for each in (right_ones, once, two_cores, large)), MOST_MIB, most=True)
    same = once.marks == two_cores.marks == other_order.marks
    print(f"  the marks on one core, on two and in another order are {'the same: held' if same else 'not the same: BROKEN'}")
    return 0 if held and same else 1


if __name__ == "__main__":
    sys.exit(main())
