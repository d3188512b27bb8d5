"""Tests of the command `demo`: both mistakes are named, and the reference passes."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

Invoke = Callable[..., subprocess.CompletedProcess[str]]


def test_the_demo_names_both_mistakes(here: Path, expectations: Path, in_a_process: Invoke) -> None:
    said = in_a_process("demo")
    assert (said.returncode, said.stderr) == (0, "")
    assert "1. eps-outside-root: " in said.stdout and "2. biased-running-variance: " in said.stdout
    assert "20 of 20 points, passed" in said.stdout
