"""The arguments for `normgrade check` in exported files."""

from __future__ import annotations

import doctest

from normgrade.classes.export import check_arguments as module
from normgrade.classes.export.check_arguments import arguments
from normgrade.grading.grading_options import Options


def test_example_of_arguments_runs() -> None:
    found = doctest.testmod(module)
    assert found.attempted == 1 and found.failed == 0


def test_without_a_timeout_none_is_passed() -> None:
    assert arguments(Options(required="container")) == ["--require-isolation", "container"]
