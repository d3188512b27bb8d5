"""Tests of the executors: one of the user's own, reports for Python from any iterable, a real cluster, and processes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from multiprocessing import active_children
from pathlib import Path

import dask
import pytest
from tiny_class import BROKEN, LOOP, RIGHT, source_of

import normgrade
from normgrade.classes.executors import (
    Choice,
    Graded,
    Setup,
    Work,
    compared,
    executor_named,
    grade_on_cores,
    grade_over,
    open_cluster,
    opened,
    origins_of,
    refusal,
    report_of,
    without_network,
)
from normgrade.course.course import Course
from normgrade.language.errors import GraderError, UsageError
from normgrade.worker.walls import TIERS, walls_of


def test_executor_of_this_folder_grades(here: Path, tiny: Course, expectations: None) -> None:
    (here / "own_cluster.py").write_text("from concurrent.futures import ThreadPoolExecutor\ndef one(): return ThreadPoolExecutor(1)\n")
    said: list[str] = []
    work = Work("rms", source_of(tiny, "rms", RIGHT).encode(), "a")
    with opened(Choice(1, executor="own_cluster:one"), Setup(tiny.root, ("rms",)), said.append) as grade:
        assert [each.report["outcome"] for each in grade([work])] == ["passed"]
    assert said == []


def test_function_of_a_library_is_found() -> None:
    assert executor_named("concurrent.futures:ThreadPoolExecutor") is ThreadPoolExecutor


@pytest.mark.parametrize("name", ["nothing_there:one", "concurrent.futures:Nothing", "", "a b"])
def test_missing_executor_is_told(name: str) -> None:
    with pytest.raises(UsageError) as error:
        executor_named(name)
    assert str(error.value).startswith(f'There is no executor "{name}" (')
    assert str(error.value).endswith('. Name a function that returns one, as in "my_cluster:executor".')


def test_other_thing_is_no_executor() -> None:
    with pytest.raises(UsageError) as error:
        executor_named("os:sep")
    assert str(error.value) == '"os:sep" is not a function that returns an executor. Name one, as in "my_cluster:executor".'


def test_a_cluster_needs_walls_without_network() -> None:
    assert [without_network(tier) for tier in TIERS] == ["namespaces", "namespaces", "linux", "container"]
    assert not any("network" in each for tier in TIERS[1:] for each in walls_of(tier).loses)


# From Python


def test_reports_come_from_a_generator(tiny: Course, expectations: None) -> None:
    kinds = {"a": RIGHT, "b": "momentum-flipped"}
    answers = (normgrade.Answer("centring", source_of(tiny, "centring", kind), name) for name, kind in kinds.items())
    with ThreadPoolExecutor(1) as executor:
        reports = {each["submission"]: each for each in normgrade.grade_many(answers, course=tiny.root, executor=executor)}
    assert {name: each["outcome"] for name, each in reports.items()} == {"a": "passed", "b": "failed"}
    assert reports["b"]["diagnoses"][0]["mistakes"] == ["momentum-flipped"]


def test_reports_come_from_processes(tiny: Course, expectations: None) -> None:
    [report] = normgrade.grade_many([normgrade.Answer("rms", source_of(tiny, "rms", RIGHT))], course=str(tiny.root), cores=1)
    assert (report["submission"], report["outcome"]) == ("answer", "passed")


def test_unknown_exercise_is_an_error(tiny: Course) -> None:
    with ThreadPoolExecutor(1) as executor, pytest.raises(UsageError, match=r'No exercise named "rsm"\. Did you mean "rms"'):
        list(normgrade.grade_many([normgrade.Answer("rsm", "")], course=tiny.root, executor=executor))


def test_broken_grader_is_an_error() -> None:
    with pytest.raises(GraderError, match="a: no memory"):
        report_of(Graded(Work("rms", b"", "a"), "", "no memory"))


def test_package_has_no_other_names() -> None:
    with pytest.raises(AttributeError, match="module 'normgrade' has no attribute 'grade_all'"):
        getattr(normgrade, "grade_all")  # noqa: B009


# A cluster: a scheduler and two workers, one of which is killed on the way


@contextmanager
def process(*arguments: str, told: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start a program of Dask, and yield it with the line in which it tells that it is ready."""
    command = [sys.executable, "-m", *arguments]
    running = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
    assert running.stderr is not None
    try:
        yield running, next(line for line in running.stderr if told in line)
    finally:
        os.killpg(running.pid, signal.SIGKILL)
        running.communicate()


@contextmanager
def scheduler() -> Iterator[str]:
    with process("distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard", "--host", "127.0.0.1", told="Scheduler at:") as (
        _,
        line,
    ):
        yield line.split()[-1]


def worker(address: str) -> tuple[str, ...]:
    return ("distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard")


@pytest.fixture
def setup(tiny: Course, expectations: Path) -> Setup:
    return Setup(tiny.root, ("centring",))


def works_of(tiny: Course, number: int) -> list[Work]:
    """Return right and wrong works, no two of which are alike."""
    right, stub = (path.read_bytes() for path in (tiny.exercise("centring").reference, tiny.exercise("centring").stub))
    return [Work("centring", (stub if each % 3 == 0 else right) + b"\n# %d\n" % each, str(each)) for each in range(number)]


def marks(graded: Iterator[Graded]) -> list[tuple[str, int, str]]:
    return sorted((each.work.name, each.report["score"]["earned"], each.report["outcome"]) for each in graded)


def test_killed_worker_loses_and_doubles_nothing(tiny: Course, setup: Setup) -> None:
    works = works_of(tiny, 40)
    with (
        scheduler() as address,
        process(*worker(address), told="Registered to"),
        process(*worker(address), told="Registered to") as (victim, _),
        open_cluster(address, setup, pytest.fail) as grade,
    ):

        def killing() -> Iterator[Graded]:
            for number, each in enumerate(grade(works)):
                if number == 10:
                    victim.kill()
                yield each

        assert marks(killing()) == marks(grade_on_cores(works, setup, 1))


def forged(works: Sequence[Work]) -> Iterator[Graded]:
    """Yield full points for every submission, as a strange worker can."""
    return (Graded(work, json.dumps({"outcome": "passed", "score": {"earned": 10}})) for work in works)


def test_worker_that_gives_other_points_is_noticed(tiny: Course, setup: Setup) -> None:
    [wrong, right] = works_of(tiny, 2)
    assert [each.work for each in compared(forged, [right], setup)] == [right]
    with pytest.raises(UsageError, match=r"0 is 0 not started here, and 10 passed on the cluster: look for a strange worker"):
        next(compared(forged, [wrong], setup))


def test_address_without_a_scheduler_is_told(setup: Setup) -> None:
    told = r'There is no scheduler of Dask at "tcp://127\.0\.0\.1:9".*Start one with `dask scheduler`'
    with dask.config.set({"distributed.comm.timeouts.connect": "0.5s"}), pytest.raises(UsageError, match=told):
        open_cluster("tcp://127.0.0.1:9", setup, print).__enter__()


def test_other_course_is_refused(setup: Setup) -> None:
    wanted = {slug: replace(each, course="other") for slug, each in origins_of(setup).items()}
    assert refusal(setup, wanted) == f'its course in "{setup.course}" has another "centring". Copy the course there.'


def test_other_version_is_refused(setup: Setup) -> None:
    wanted = {slug: replace(each, versions={"normgrade": "9.9"}) for slug, each in origins_of(setup).items()}
    assert refusal(setup, wanted).endswith("with other sources or versions than normgrade 9.9 here. Install the same there.")


def test_missing_course_is_refused(setup: Setup, tmp_path: Path) -> None:
    assert refusal(replace(setup, course=tmp_path), {}).startswith(f'No course at "{tmp_path}"')


def test_equal_worker_is_not_refused(setup: Setup) -> None:
    assert refusal(setup, origins_of(setup)) == ""


# Processes: the same verdicts as alone, in any order, and nothing lost if one dies


KINDS = (RIGHT, "momentum-flipped", "weight-not-applied", BROKEN, "mean-detached", RIGHT)


@pytest.fixture
def pool_setup(tiny: Course, expectations: None) -> Setup:
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


def test_verdicts_do_not_depend_on_cores_and_order(pool_setup: Setup, works: list[Work]) -> None:
    one = told(grade_on_cores(works, pool_setup, 1))
    assert one == told(grade_on_cores(works[::-1], pool_setup, 2))
    assert [one[str(n)][0] for n in range(6)] == ["passed", "failed", "failed", "failed", "failed", "passed"]
    assert [one[str(n)][2] for n in (1, 2, 4)] == [["momentum-flipped"], ["weight-not-applied"], ["mean-detached"]]


def test_verdicts_are_those_of_any_executor(pool_setup: Setup, works: list[Work]) -> None:
    with ThreadPoolExecutor(3) as executor:
        assert told(grade_over(executor, works, setup=pool_setup, ahead=3)) == told(grade_on_cores(works, pool_setup, 2))


def test_loop_costs_only_its_own_limit(pool_setup: Setup, tiny: Course, works: list[Work]) -> None:
    loop = Work("centring", source_of(tiny, "centring", LOOP).encode(), "loop")
    found = told(grade_on_cores([loop, *works[:2]], replace(pool_setup, timeout_s=2), 1))
    assert {name: value[0] for name, value in found.items()} == {"loop": "failed", "0": "passed", "1": "failed"}


def test_killed_process_loses_nothing(pool_setup: Setup, works: list[Work]) -> None:
    graded, names = grade_on_cores(works, pool_setup, 2), []
    for number, each in enumerate(graded):
        names.append(each.work.name)
        assert each.error == ""
        if number == 0:
            for process in active_children():
                os.kill(process.pid or 0, signal.SIGKILL)
    assert sorted(names) == sorted(work.name for work in works)


def test_work_that_kills_twice_is_told(pool_setup: Setup, works: list[Work], monkeypatch: pytest.MonkeyPatch) -> None:
    class Dying(Executor):
        def submit(self, function: object, /, *arguments: object, **named: object) -> Future[object]:  # type: ignore[override]
            future: Future[object] = Future()
            future.set_exception(BrokenExecutor())
            return future

    [graded] = grade_over(Dying(), works[:1], setup=pool_setup, ahead=1)
    assert (graded.text, graded.error) == ("", "the process that graded it was ended from outside.")


def test_works_are_taken_only_as_they_are_needed(pool_setup: Setup, works: list[Work]) -> None:
    taken = []

    def coming() -> Iterator[Work]:
        for work in works:
            taken.append(work)
            yield work

    with ThreadPoolExecutor(1) as executor:
        graded = grade_over(executor, coming(), setup=pool_setup, ahead=2)
        next(graded)
        assert len(taken) <= 3
        assert isinstance(graded, Generator)
        graded.close()


def test_broken_course_is_an_error_of_each_work(pool_setup: Setup, works: list[Work]) -> None:
    with ThreadPoolExecutor(1) as executor:
        [graded] = grade_over(executor, works[:1], setup=replace(pool_setup, slugs=("qqq",)), ahead=1)
    assert graded.error == 'No exercise named "qqq". `normgrade list` shows them all.'
