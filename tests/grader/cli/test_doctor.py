"""Tests of the command `doctor`: the walls that hold, their guarantees, and the missing ones."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable

import pytest

from normgrade.worker.walls import TIERS, Protection

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
    from normgrade.cli.doctor import how_it_stands

    assert how_it_stands(tier, Protection(standing, 7, (), {"linux": "no Landlock"})) == said
