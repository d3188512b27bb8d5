"""Tests of the examples in docstrings: they hold."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import normgrade
from normgrade.suite import build

HOUSE = Path(normgrade.__file__).parent
WITH_EXAMPLES = [
    ".".join(("normgrade", *path.relative_to(HOUSE).with_suffix("").parts))
    for room in sorted(HOUSE.iterdir())
    if room.is_dir() and room.name != "_course"
    for path in sorted(room.rglob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
]


def test_there_are_examples() -> None:
    assert len(WITH_EXAMPLES) >= 10


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_the_examples_of_a_module_hold(name: str) -> None:
    module = import_module(name)
    of_suites = {"np": np, "build": build}
    found = doctest.testmod(module, extraglobs={word: value for word, value in of_suites.items() if not hasattr(module, word)})
    assert found.attempted and not found.failed
