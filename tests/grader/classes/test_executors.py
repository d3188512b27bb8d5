"""Tests of the choice of an executor."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tiny_class import RIGHT, source_of

from normgrade.classes.executors import Choice, executor_named, opened, without_network
from normgrade.classes.pool import Setup, Work
from normgrade.course.course import Course
from normgrade.language.errors import UsageError
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
