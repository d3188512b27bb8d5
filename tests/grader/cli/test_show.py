"""Tests of the command `show`: the task, its answers, the stub, and prompts in a terminal."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hostile_texts import COLOUR
from rich.console import Console

from normgrade.cli.show import folded, rendered, unfolded
from normgrade.course.course import Course

EditedCourse = Callable[..., Course]
Invoke = Callable[..., subprocess.CompletedProcess[str]]


def test_show_prints_markdown_without_a_terminal(invoke: Invoke) -> None:
    said = invoke("show", "rms")
    assert said.returncode == 0 and said.stdout.startswith("# Root mean square\n\nDivide every row of `x`")
    assert "the root of 0 has no slope" not in said.stdout and "<details>" not in said.stdout
    assert said.stdout.endswith("**Why is eps inside the root?**\n\nRun `normgrade show rms --answers` to see the answers too.\n")


def test_show_unfolds_the_answers(invoke: Invoke) -> None:
    said = invoke("show", "rms", "--answers")
    assert said.returncode == 0 and "**Why is eps inside the root?**\n\nBecause the root of 0 has no slope." in said.stdout


def test_show_gives_the_stub_to_begin_with(invoke: Invoke, tiny: Course) -> None:
    assert invoke("show", "rms", "--stub").stdout == tiny.exercise("rms").stub.read_text(encoding="utf-8")


def test_rules_of_a_course_are_shown(edited_course: EditedCourse, invoke: Invoke) -> None:
    page = "# Rules\n\n- See [RMS](../rms/README.md). <!-- test_rows -->\n"
    course = edited_course({"exercises/rules.md": page, "exercises/rules.zh.md": "# 规则\n"})
    assert invoke("show", "rules", "--course", str(course.root)).stdout == "# Rules\n\n- See RMS `rms`.\n"
    assert invoke("show", "rules", "--course", str(course.root), "--lang", "zh").stdout == "# 规则\n"


def test_course_without_rules_has_no_such_page(invoke: Invoke) -> None:
    said = invoke("show", "rules")
    assert (said.returncode, said.stdout) == (2, "") and said.stderr.startswith('Error: No exercise named "rules".')


def test_without_a_slug_the_exercises_are_listed(invoke: Invoke) -> None:
    said, listed = invoke("show"), invoke("list")
    assert (
        said.returncode == 0 and said.stdout == listed.stdout and "Run `normgrade show SLUG` to see a task" in " ".join(said.stdout.split())
    )
    assert (invoke("show", "--stub").returncode, invoke("show", "--answers").stderr) == (2, "Error: Missing argument: SLUG.\n")


def test_pager_shows_a_task_longer_than_the_screen(here: Path, tiny: Course) -> None:
    pexpect = pytest.importorskip("pexpect", reason="the terminal is pexpect's")
    pager = here / "pager"
    pager.write_text("#!/bin/sh\nsed 's/^/paged: /'\n", encoding="utf-8")
    pager.chmod(0o755)
    shown = {}
    for option in ("", " --no-pager"):
        environment = dict(os.environ) | {"NORMGRADE_COURSE": str(tiny.root), "PAGER": str(pager), "TERM": "xterm"}
        for name in ("MANPAGER", "LINES", "COLUMNS"):
            environment.pop(name, None)
        command = f"{sys.executable} -m normgrade show rms{option}"
        shown[option] = pexpect.run(command, env=environment, dimensions=(5, 80), timeout=60).decode()
    assert "paged: " in shown[""] and "Divide every row" in shown[" --no-pager"] and "paged" not in shown[" --no-pager"]


# Prompts in a terminal

PROMPT = """# RMS norm

<details>
<summary>Why is there an `eps`?</summary>

Because of zeros.
</details>

What is the mean of a row?

<details><summary>Answer</summary>
It is not subtracted.
</details>

The end.
"""


def test_a_prompt_without_folds_stays_as_it_is() -> None:
    assert folded("# RMS norm\n", "rms") == unfolded("# RMS norm\n") == "# RMS norm\n"


def test_questions_are_shown_without_answers() -> None:
    shown = folded(PROMPT, "rms")
    assert "**Why is there an `eps`?**" in shown and "What is the mean of a row?" in shown and "The end." in shown
    assert "Because of zeros." not in shown and "It is not subtracted." not in shown
    assert shown.endswith("\n\nRun `normgrade show rms --answers` to see the answers too.\n")


def test_unfolded_every_answer_stands_below_its_question() -> None:
    shown = unfolded(PROMPT)
    assert "**Why is there an `eps`?**\n\nBecause of zeros.\n" in shown
    assert "What is the mean of a row?\n\nIt is not subtracted.\n" in shown


def test_link_to_an_exercise_is_shown_as_its_slug() -> None:
    table = "| [layer](../layer_norm/README.md) | position |\n"
    assert folded(table, "rms") == unfolded(table) == "| layer `layer_norm` | position |\n"


def test_summary_that_says_only_answer_is_no_question() -> None:
    chinese = "问题？\n\n<details><summary>答案</summary>\n是。\n</details>\n"
    assert "答案" not in folded(chinese, "rms") and unfolded(chinese) == "问题？\n\n是。\n\n"
    assert "Answer" not in unfolded(PROMPT) and "details" not in unfolded(PROMPT)


def test_no_address_is_hidden_under_a_link() -> None:
    console = Console(file=io.StringIO(), width=80, force_terminal=True, legacy_windows=False)
    console.print(rendered("[the paper](https://example.org/a), <https://example.org/b>"))
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    assert "the paper" in shown and "(https://example.org/a)" in COLOUR.sub("", shown) and "\x1b]8" not in shown
