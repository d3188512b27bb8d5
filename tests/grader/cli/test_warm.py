"""Tests of the command `warm`: it keeps its results and reports them."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

from normgrade.cli.warm import size_of

Invoke = Callable[..., subprocess.CompletedProcess[str]]


def test_the_exercises_that_are_named_are_ready_afterwards(invoke: Invoke, empty_cache: Path) -> None:
    said = invoke("warm", "rms", "rms", "--cores", "1")
    assert (said.returncode, said.stderr) == (0, "") and size_of(empty_cache) > 0
    text = " ".join(said.stdout.split())
    assert re.fullmatch(
        rf"1 exercise is ready after \d+\.\d s\. The cache in {empty_cache} uses 0\.\d MB\. Running this again takes no time\.", text
    )


def test_a_name_that_no_exercise_has_is_refused(invoke: Invoke, empty_cache: Path) -> None:
    said = invoke("warm", "rmss")
    assert (said.returncode, said.stdout) == (2, "") and said.stderr.startswith('Error: No exercise named "rmss". Did you mean "rms"?')
    assert size_of(empty_cache) == 0


def test_the_help_has_examples(invoke: Invoke) -> None:
    assert "normgrade warm --cores 2 " in invoke("warm", "--help").stdout
    assert "命令" in invoke("--help", "--lang", "zh").stdout
