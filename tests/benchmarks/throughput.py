"""The cost of one grading when a grader is open: gradings per second and core, and which process takes the time.

    python tests/benchmarks/throughput.py [--rounds 9] [SLUG …]

A right answer is graded again and again, from the fork of its worker to the verdict. The processor time is split into the grader's own
code, the worker's, and the kernel for both (forks, pages, pipes, walls). Every round imports PyTorch once, and grades ten times. The
table has medians over the rounds; the ratio is that of a grading to the import. Promised are a ratio of 0.14 from fork to verdict of
layer_norm, and 60 ms of processor time for its trusted side. The exit code is 1 if a promise was broken.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.course.files import read_text
from normgrade.grading.grader import Grader
from normgrade.grading.grading_options import Options
from normgrade.grading.opening import open_grader
from normgrade.report.report import Outcome
from normgrade.worker.trusted.launch import Zygote

SLUG = "layer_norm"
GRADINGS = 10  # of each round
FORK_TO_VERDICT = 0.14  # relative to the import of PyTorch
TRUSTED_MS = 60.0
TICK_S = 1 / os.sysconf("SC_CLK_TCK")


class Cost(NamedTuple):
    """The seconds of one grading: by the clock, and of processor time in the grader, in the worker, and in the kernel for both.

    `ratio` is the clock time relative to an import of PyTorch.
    """

    ratio: float
    clock: float
    grader: float
    worker: float
    kernel: float

    @property
    def cores(self) -> float:
        return self.grader + self.worker + self.kernel


def of_zygote(pid: int) -> tuple[float, float]:
    """Return the processor seconds of a zygote and all its descendants, in their own code and in the kernel."""
    stat, children = (Path(f"/proc/{pid}/{name}").read_text(encoding="utf-8") for name in ("stat", f"task/{pid}/children"))
    user, kernel, reaped_user, reaped_kernel = (int(field) * TICK_S for field in stat.rpartition(")")[2].split()[11:15])
    below = [of_zygote(int(child)) for child in children.split()]
    return user + reaped_user + sum(each[0] for each in below), kernel + reaped_kernel + sum(each[1] for each in below)


def one_round(grader: Grader, exercise: Exercise) -> Cost:
    """Return the mean cost of some gradings of the reference, after an import of PyTorch."""
    import_s = import_torch_s()
    source, starter = read_text(exercise.reference), grader.hosts["torch"].starter
    assert isinstance(starter, Zygote), "workers are not forked here"
    clock, before, worker = time.perf_counter(), os.times(), of_zygote(starter.process.pid)
    for _ in range(GRADINGS):
        outcomes = {result.check.outcome for result in grader.results(exercise, source, exercise.file_name)}
        assert outcomes == {Outcome.PASSED}
    after, worker_after = os.times(), of_zygote(starter.process.pid)
    kernel = after.system - before.system + worker_after[1] - worker[1]
    clock_s = time.perf_counter() - clock
    total = (clock_s / import_s, clock_s, after.user - before.user, worker_after[0] - worker[0], kernel)
    return Cost(*(part / GRADINGS for part in total))


def import_torch_s() -> float:
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import torch"], check=True)
    return time.perf_counter() - started


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("slugs", nargs="*", metavar="SLUG", default=[SLUG])
    options = parser.parse_args()
    course = Course.find()
    exercises, kept = [course.exercise(slug) for slug in options.slugs], True
    print(f"{'':18}{'clock':>9}{'ratio':>8}{'grader':>9}{'worker':>9}{'kernel':>9}{'gradings/s/core':>17}")
    with open_grader(exercises, Options()) as grader:
        for exercise in exercises:
            one_round(grader, exercise)  # computes expectations, reads files
            found = Cost(*map(statistics.median, zip(*(one_round(grader, exercise) for _ in range(options.rounds)), strict=True)))
            columns = (f"{seconds * 1000:>6.1f} ms" for seconds in (found.grader, found.worker, found.kernel))
            print(f"{exercise.slug:18}{found.clock * 1000:>6.1f} ms{found.ratio:>8.3f}{''.join(columns)}{1 / found.cores:>17.1f}")
            if exercise.slug == SLUG:
                kept &= said("fork to verdict", found.ratio, FORK_TO_VERDICT) & said("grader, in ms", found.grader * 1000, TRUSTED_MS)
    return 0 if kept else 1


def said(what: str, found: float, promised: float) -> bool:
    held = found <= promised
    print(f"  {what}: {found:.3g}, promised {promised:g}: {'held' if held else 'BROKEN'}")
    return held


if __name__ == "__main__":
    sys.exit(main())
