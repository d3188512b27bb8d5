"""The command `list`: the exercises, and where one stands."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from normgrade.course.course import Course

Invoke = Callable[..., subprocess.CompletedProcess[str]]
Put = Callable[..., None]


def test_list_shows_the_exercises_and_where_one_stands(invoke: Invoke, here: Path, tiny: Course, put: Put) -> None:
    put("rms")
    first = invoke("list")
    shutil.copy(tiny.exercise("centring").stub, here)
    second = invoke("list")
    rows = [" ".join(line.split()) for line in (first.stdout + second.stdout).splitlines()]
    assert (first.returncode, second.returncode) == (0, 0)
    assert rows.count("rms Functions 1 8 started") == 2
    assert "centring Layers 2 10 –" in rows and "centring Layers 2 10 not started" in rows
    assert rows.index("rms Functions 1 8 started") < rows.index("centring Layers 2 10 –")
