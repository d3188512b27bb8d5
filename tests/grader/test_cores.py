"""Work over several cores: every result in its place, every unit counted, every error told."""

from __future__ import annotations

import os
from functools import partial

import pytest

from normgrade.cores import Job, Tick, available, over_cores
from normgrade.errors import CourseError


def work(number: int, units: int, tick: Tick) -> tuple[int, int]:
    for _ in range(units):
        tick(f"job {number}")
    return number, os.getpid()


def broken(tick: Tick) -> tuple[int, int]:
    raise CourseError("this course is broken.")


def jobs(*sizes: int) -> list[Job[tuple[int, int]]]:
    return [Job(units, partial(work, number, units)) for number, units in enumerate(sizes)]


@pytest.mark.parametrize("cores", [1, 2])
def test_results_come_in_the_order_of_the_jobs_and_every_unit_is_counted(cores: int) -> None:
    told: list[tuple[str, int, int]] = []
    results = over_cores(jobs(1, 3, 2), cores, lambda *what: told.append(what))
    assert [number for number, _ in results] == [0, 1, 2]
    assert [(done, total) for _, done, total in told] == [(number, 6) for number in range(1, 7)]
    assert sorted(what for what, _, _ in told) == ["job 0", "job 1", "job 1", "job 1", "job 2", "job 2"]
    assert all((process == os.getpid()) == (cores == 1) for _, process in results)


def test_a_single_job_stays_in_this_process() -> None:
    [(_, process)] = over_cores(jobs(1), 4, lambda *what: None)
    assert process == os.getpid()


@pytest.mark.parametrize("cores", [1, 2])
def test_an_error_of_a_job_is_raised(cores: int) -> None:
    with pytest.raises(CourseError, match=r"^this course is broken\.$"):
        over_cores([*jobs(1), Job(1, broken), *jobs(1)], cores, lambda *what: None)


def test_nothing_to_do_is_done() -> None:
    assert over_cores([], 4, lambda *what: None) == []


def test_there_is_a_core() -> None:
    assert 1 <= available() <= (os.cpu_count() or 1)
