"""Tests of grading in processes: the same verdicts as alone, in any order, and nothing lost if a process dies."""

from __future__ import annotations

import os
import signal
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from dataclasses import replace
from multiprocessing import active_children

import pytest
from tiny_class import BROKEN, LOOP, RIGHT, source_of

from normgrade.classes.pool import Graded, Setup, Work, grade_on_cores, grade_over
from normgrade.course.course import Course

KINDS = (RIGHT, "momentum-flipped", "weight-not-applied", BROKEN, "mean-detached", RIGHT)


@pytest.fixture
def setup(tiny: Course, expectations: None) -> Setup:
    return Setup(tiny.root, ("centring", "rms"), timeout_s=20)


@pytest.fixture
def works(tiny: Course) -> list[Work]:
    own = [Work("centring", f"{source_of(tiny, 'centring', kind)}\n# {n}\n".encode(), str(n)) for n, kind in enumerate(KINDS)]
    return [
        *own,
        Work("rms", source_of(tiny, "rms", RIGHT).encode(), "rms"),
        Work("rms", source_of(tiny, "rms", "no-upcast").encode(), "r"),
    ]


def told(graded: Iterable[Graded]) -> dict[str, tuple[str, int, list[str]]]:
    found = {}
    for each in graded:
        report = each.report
        named = [name for diagnosis in report["diagnoses"][:1] for name in diagnosis["mistakes"]]
        found[each.work.name] = report["outcome"], report["score"]["earned"], named
    return found


def test_verdicts_do_not_depend_on_cores_and_order(setup: Setup, works: list[Work]) -> None:
    one = told(grade_on_cores(works, setup, 1))
    assert one == told(grade_on_cores(works[::-1], setup, 2))
    assert [one[str(n)][0] for n in range(6)] == ["passed", "failed", "failed", "failed", "failed", "passed"]
    assert [one[str(n)][2] for n in (1, 2, 4)] == [["momentum-flipped"], ["weight-not-applied"], ["mean-detached"]]


def test_verdicts_are_those_of_any_executor(setup: Setup, works: list[Work]) -> None:
    with ThreadPoolExecutor(3) as executor:
        assert told(grade_over(executor, works, setup=setup, ahead=3)) == told(grade_on_cores(works, setup, 2))


def test_loop_costs_only_its_own_limit(setup: Setup, tiny: Course, works: list[Work]) -> None:
    loop = Work("centring", source_of(tiny, "centring", LOOP).encode(), "loop")
    found = told(grade_on_cores([loop, *works[:2]], replace(setup, timeout_s=2), 1))
    assert {name: value[0] for name, value in found.items()} == {"loop": "failed", "0": "passed", "1": "failed"}


def test_killed_process_loses_nothing(setup: Setup, works: list[Work]) -> None:
    graded, names = grade_on_cores(works, setup, 2), []
    for number, each in enumerate(graded):
        names.append(each.work.name)
        assert each.error == ""
        if number == 0:
            for process in active_children():
                os.kill(process.pid or 0, signal.SIGKILL)
    assert sorted(names) == sorted(work.name for work in works)


def test_work_that_kills_twice_is_told(setup: Setup, works: list[Work], monkeypatch: pytest.MonkeyPatch) -> None:
    class Dying(Executor):
        def submit(self, function: object, /, *arguments: object, **named: object) -> Future[object]:  # type: ignore[override]
            future: Future[object] = Future()
            future.set_exception(BrokenExecutor())
            return future

    [graded] = grade_over(Dying(), works[:1], setup=setup, ahead=1)
    assert (graded.text, graded.error) == ("", "the process that graded it was ended from outside.")


def test_works_are_taken_only_as_they_are_needed(setup: Setup, works: list[Work]) -> None:
    taken = []

    def coming() -> Iterator[Work]:
        for work in works:
            taken.append(work)
            yield work

    with ThreadPoolExecutor(1) as executor:
        graded = grade_over(executor, coming(), setup=setup, ahead=2)
        next(graded)
        assert len(taken) <= 3
        assert isinstance(graded, Generator)
        graded.close()


def test_broken_course_is_an_error_of_each_work(setup: Setup, works: list[Work]) -> None:
    with ThreadPoolExecutor(1) as executor:
        [graded] = grade_over(executor, works[:1], setup=replace(setup, slugs=("qqq",)), ahead=1)
    assert graded.error == 'No exercise named "qqq". `normgrade list` shows them all.'
