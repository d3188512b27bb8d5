"""Tests that banned functions raise: the function objects themselves, or stand-ins for functions in C."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import pytest

from normgrade.worker.untrusted.stopping import Banned, ByHand, raising, stop, stop_when_imported
from normgrade.worker.wire.observation import BY_HAND

THREAD = """
from concurrent.futures import ThreadPoolExecutor
from normgrade.worker.untrusted.stopping import forbid_threads
forbid_threads()
ThreadPoolExecutor(1).submit(int)
"""
SAYS = r"^this calls `colours\.red`, which the exercise bans \(by the rule `colours\.\*`\): it must be written by hand$"


def closing_over(shade: int) -> Callable[..., Any]:
    return lambda tone=1, *, depth=2: shade + tone + depth


@pytest.mark.parametrize("function", [lambda: 1, closing_over(3)], ids=["plain", "with a free variable"])
def test_stopped_function_raises_under_every_name(function: FunctionType) -> None:
    other_name = function
    stop(function, "colours.red", "colours.*")
    for arguments in ((), (1, 2, 3)):
        with pytest.raises(ByHand, match=SAYS):
            other_name(*arguments, depth=4)


def test_function_in_c_gets_a_stand_in() -> None:
    with pytest.raises(ByHand, match=SAYS):
        raising("colours.red", "colours.*")(1, depth=2)


def test_module_imported_later_is_stopped_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "colours_for_once.py").write_text("def red():\n    return 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(SourceFileLoader, "exec_module", SourceFileLoader.exec_module)

    def banned(module: ModuleType) -> Iterator[Banned]:
        if module.__name__ == "colours_for_once":
            yield module.red, "colours.red", "colours.*"

    stop_when_imported(banned)
    for _attempt in "ab":
        with pytest.raises(ByHand, match=SAYS):
            importlib.import_module("colours_for_once").red()
        del sys.modules["colours_for_once"]


def test_exception_has_the_name_that_the_grader_knows() -> None:
    assert ByHand.__name__ == BY_HAND


def test_no_thread_can_start() -> None:
    done = subprocess.run([sys.executable, "-c", THREAD], capture_output=True, text=True, check=False)
    assert "RuntimeError: can't start new thread" in done.stderr
