"""Tests that what is banned raises: functions written in Python, stand-ins for functions in C, whole libraries, functions of NumPy."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
import pytest

from normgrade.course.ban import Ban
from normgrade.course.tensor_library import Library
from normgrade.worker.trusted.host import Host
from normgrade.worker.untrusted.stopping import (
    Banned,
    BannedImport,
    ByHand,
    banned_functions,
    find_in_numpy,
    raising,
    refuse,
    stop,
    stop_when_imported,
)
from normgrade.worker.wire.observation import BY_HAND, Request

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


BAN = Ban(("colours*", "torch.nn"), ("colours_of_mine",))


def test_a_module_of_a_banned_library_is_refused() -> None:
    with pytest.raises(BannedImport, match=r"this imports `colours.deep`, which the exercise bans \(by the rule `colours\*`\)"):
        refuse(BAN, "colours.deep")
    assert issubclass(BannedImport, ByHand) and issubclass(BannedImport, ImportError)


@pytest.mark.parametrize("name", ["colours_of_mine", "torch.nn", "numpy"])
def test_other_modules_are_not_refused(name: str) -> None:
    refuse(BAN, name)


PREPARED = """
from normgrade.course.ban import Ban
from normgrade.worker.untrusted.stopping import forbid_loading
forbid_loading(Ban(("wave",)))
"""
FINDERS = "import sys\nfrom importlib.machinery import *\nsys.meta_path[:] = [BuiltinImporter, FrozenImporter, PathFinder]\n"


@pytest.mark.parametrize("before", ["", FINDERS])
@pytest.mark.parametrize(("name", "refused"), [("wave", True), ("colorsys", False)])
def test_loading_is_refused_even_with_other_finders(before: str, name: str, refused: bool) -> None:
    done = subprocess.run([sys.executable, "-c", f"{PREPARED}{before}import {name}"], capture_output=True, text=True, check=False)
    assert ("BannedImport: this imports `wave`, which the exercise bans (by the rule `wave`)" in done.stderr) == refused, done.stderr
    assert (done.returncode != 0) == refused


CORRCOEF = Ban(("numpy.*corrcoef", "torch.*corrcoef"))
X = "np.array([[1.0, 2.0, 4.0], [3.0, 1.0, 2.0]])"
SPELLINGS = {
    f"np.corrcoef({X})": "numpy.corrcoef",
    f"getattr(np, 'corr' + 'coef')({X})": "numpy.corrcoef",
    f"np.corrcoef.__wrapped__({X})": "numpy.corrcoef",
    f"np.corrcoef._implementation({X})": "numpy.corrcoef",
    f"np.lib._function_base_impl.corrcoef({X})": "numpy.corrcoef",
    f"np.ma.corrcoef({X})": "numpy.ma.corrcoef",
}


@pytest.mark.parametrize("expression", SPELLINGS)
@pytest.mark.parametrize("written_with", ["numpy", "torch"])
def test_banned_function_raises_in_every_spelling(hosts: dict[str, Host], expression: str, written_with: str) -> None:
    with hosts[written_with].worker(f"import numpy as np\ndef f():\n    return {expression}\n", "f.py", ban=CORRCOEF) as worker:
        error = worker.play(Request("function_call", {"function": "f", "args": [], "kwargs": {}}), 10_000).error
    assert error is not None and error.types[0] == "ByHand"
    rule = "(by the rule `numpy.*corrcoef`): it must be written by hand"
    assert error.message == f"this calls `{SPELLINGS[expression]}`, which the exercise bans {rule}"


@pytest.fixture(scope="module")
def hosts() -> object:
    with Host(bans=[CORRCOEF], written_with=Library.NUMPY) as numpy, Host(bans=[CORRCOEF]) as torch:
        yield {"numpy": numpy, "torch": torch}


def test_statistics_are_allowed(hosts: dict[str, Host]) -> None:
    source = f"import numpy as np\ndef f():\n    return float(np.cov({X}).sum() + np.ma.cov({X}).sum() + np.std({X}))\n"
    with hosts["numpy"].worker(source, "f.py", ban=CORRCOEF) as worker:
        assert worker.play(Request("function_call", {"function": "f", "args": [], "kwargs": {}}), 10_000).error is None


def test_allowed_functions_are_not_banned() -> None:
    found = [name for _function, name, _pattern in find_in_numpy(Ban(("numpy.c*coef", "numpy.cov"), ("numpy.corrcoef",)))]
    assert found == ["numpy.cov"]
    assert list(banned_functions(np.linalg, CORRCOEF)) == []
