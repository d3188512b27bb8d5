"""The command `show`: the task, its answers, and the stub."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

from normgrade.course.course import Course

Invoke = Callable[..., subprocess.CompletedProcess[str]]


def test_show_is_markdown_where_nobody_watches(invoke: Invoke) -> None:
    said = invoke("show", "rms")
    assert said.returncode == 0 and said.stdout.startswith("# Root mean square\n\nDivide every row of `x`")
    assert "the root of 0 has no slope" not in said.stdout and "<details>" not in said.stdout
    assert said.stdout.endswith("**Why is eps inside the root?**\n\n`normgrade show rms --answers` shows the answers too.\n")


def test_show_unfolds_the_answers(invoke: Invoke) -> None:
    said = invoke("show", "rms", "--answers")
    assert said.returncode == 0 and "**Why is eps inside the root?**\n\nBecause the root of 0 has no slope." in said.stdout


def test_show_gives_the_stub_to_begin_with(invoke: Invoke, tiny: Course) -> None:
    assert invoke("show", "rms", "--stub").stdout == tiny.exercise("rms").stub.read_text(encoding="utf-8")
