"""A pytest plugin that plays hidden suites: `pytest tests/hidden/test_layer_norm.py --submission layer_norm.py`.

It leaves all other tests as they are: without --submission it only registers two options and three fixtures. With it, the checks of one
suite are played as the grader plays them, in a worker within walls, and pytest's own options work: -k, -x, --junitxml.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from normgrade.language import _
from normgrade.suite.helpers import found_in, is_hidden


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("normgrade", "hidden suites of normgrade")
    group.addoption("--submission", type=Path, metavar="FILE", help="play the collected hidden suite on this file")
    group.addoption("--submission-seed", type=int, default=0, metavar="N", help="seed of the inputs (default: 0)")


def pytest_configure(config: pytest.Config) -> None:
    path = config.getoption("--submission")
    if path is not None:
        from normgrade.grading.examiner import Examiner  # loads NumPy

        # Hypothesis warns if trio, which another plugin may import, is imported while the oracle's objects are frozen.
        config.addinivalue_line("filterwarnings", "ignore:It looks like `register_random`")
        config.pluginmanager.register(Examiner(path.absolute(), config.getoption("--submission-seed")), "normgrade.examiner")


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Let a hidden suite find the helpers of its course while it is imported."""
    with found_in(collector.path.parent) if is_hidden(collector.path) else nullcontext():
        return (yield)


@pytest.fixture
def agree(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Check that the submission and the reference make the same observations."""
    return the_word("agree", request.config)


@pytest.fixture
def observe(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Return the observations of the submission."""
    return the_word("observe", request.config)


@pytest.fixture
def refuses(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Check that the submission refuses the same calls as the reference."""
    return the_word("refuses", request.config)


def the_word(name: str, config: pytest.Config) -> Callable[..., Any]:
    """Return the function that a fixture gives to a test. Without a submission, the test fails before it begins."""
    from normgrade.suite.collection import FIXTURES  # loads NumPy

    if config.getoption("--submission") is None:
        pytest.fail(_("This test of a hidden suite needs a submission. Pass its file: pytest … --submission FILE."), pytrace=False)
    return FIXTURES[name]
