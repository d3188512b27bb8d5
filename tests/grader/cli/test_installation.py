"""Tests of `normgrade doctor`, `warm` and `demo`."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from normgrade.cli.installation import size_of
from normgrade.worker.walls import TIERS, Protection

# Doctor


Invoke = Callable[..., subprocess.CompletedProcess[str]]


def test_doctor_tells_of_every_tier(invoke: Invoke) -> None:
    said = invoke("doctor")
    assert (said.returncode, said.stderr) == (0, "")
    assert "normgrade" in said.stdout and "torch" in said.stdout
    for tier in TIERS:
        assert re.search(rf"^[✓✗] {tier}  (active: |included |not available: |not tested: )", said.stdout, re.MULTILINE), tier
    walls = [line for line in said.stdout.splitlines() if line.startswith(("✓", "✗"))]
    assert "  active: " in walls[0]  # it leads, and a tier that it includes loses nothing
    assert ("− network: your code can use it" in said.stdout) == walls[0].startswith("✓ process")
    assert len(re.findall(r"active: all \d+ probes of the self-test passed", said.stdout)) == 1
    plainly = "Suites and references are hidden from the graded code, not from the owner of this disk."
    assert plainly in " ".join(said.stdout.split())
    assert all(len(line) <= 80 for line in said.stdout.splitlines())


@pytest.mark.parametrize(
    ("tier", "standing", "said"),
    [
        ("namespaces", "container", "included in the active tier"),
        ("namespaces", "linux", "not tested: linux is stronger"),
        ("linux", "namespaces", "not available: no Landlock"),
        ("namespaces", "namespaces", "active: all 7 probes of the self-test passed"),
    ],
)
def test_doctor_claims_only_tested_tiers(tier: str, standing: str, said: str) -> None:
    from normgrade.cli.installation import how_it_stands

    assert how_it_stands(tier, Protection(standing, 7, (), {"linux": "no Landlock"})) == said


# Warm


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


# Demo


def test_the_demo_names_both_mistakes(here: Path, expectations: Path, in_a_process: Invoke) -> None:
    said = in_a_process("demo")
    assert (said.returncode, said.stderr) == (0, "")
    assert "1. eps-outside-root: " in said.stdout and "2. biased-running-variance: " in said.stdout
    assert "20 of 20 points, passed" in said.stdout
