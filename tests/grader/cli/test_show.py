"""Tests of `normgrade show`, and of its pager in a real terminal."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

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


pexpect = pytest.importorskip("pexpect", reason="the terminal is pexpect's")
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a terminal as POSIX has it")
LATEST_S = 30.0
SHOWN = """
import sys
from rich.text import Text
from normgrade.cli.show import page
from normgrade.report.render.terminal import open_console
lines = [Text.assemble((f"line {number}", "bold")) for number in range(1, int(sys.argv[1]) + 1)]
page(open_console(), Text("\\n").join(lines), wanted=sys.argv[2] == "True")
print("the end")
"""
PATIENT = """#!/bin/sh
trap "echo; echo interrupted; exit" INT
echo ready
while :; do sleep 0.1; done
"""


class Shown:
    """Bold lines that are given to `page` in a terminal of 10 lines."""

    def __init__(self, folder: Path, lines: int, wanted: bool = True, **environment: str) -> None:
        script = folder / "shown.py"
        script.write_text(SHOWN, encoding="utf-8")
        kept = {name: value for name, value in os.environ.items() if name not in ("LESS", "PAGER", "NO_COLOR", "LINES", "COLUMNS")}
        usual = {"TERM": "xterm", "PYTHONPATH": os.pathsep.join(sys.path)}
        arguments: list[Any] = [str(script), str(lines), str(wanted)]
        self.terminal = pexpect.spawn(
            sys.executable, arguments, env=kept | usual | environment, dimensions=(10, 40), timeout=LATEST_S, encoding="utf-8"
        )

    def all(self) -> str:
        """Return all output when the process has ended, with exit code 0."""
        self.terminal.expect(pexpect.EOF)
        self.terminal.close()
        assert self.terminal.exitstatus == 0
        return str(self.terminal.before).replace("\r", "")

    def lines(self) -> list[str]:
        return self.all().splitlines()


@pytest.fixture
def pager(tmp_path: Path) -> str:
    """Return the command of a pager that prints its name and then all its input."""
    path = tmp_path / "my pager"
    path.write_text('#!/bin/sh\necho "paged by $1"\ncat\n', encoding="utf-8")
    path.chmod(0o755)
    return f"'{path}'"


def test_text_longer_than_the_screen_is_paged(tmp_path: Path, pager: str) -> None:
    lines = Shown(tmp_path, 10, PAGER=f"{pager} PAGER").lines()
    assert lines == ["paged by PAGER", *(f"line {number}" for number in range(1, 11)), "the end"]


def test_text_that_fits_is_printed(tmp_path: Path, pager: str) -> None:
    assert "paged" not in Shown(tmp_path, 9, PAGER=pager).all()


@pytest.mark.parametrize("environment", [{"TERM": "dumb"}, {"PAGER": "cat"}, {"PAGER": "no-such-pager -R", "PATH": "/nowhere"}])
def test_nothing_is_paged_without_a_usable_pager(tmp_path: Path, pager: str, environment: dict[str, str]) -> None:
    shown = Shown(tmp_path, 30, True, **{"PAGER": pager} | environment).all()
    assert "paged" not in shown and "no-such-pager" not in shown and "line 30" in shown


def test_nothing_is_paged_if_unwanted(tmp_path: Path, pager: str) -> None:
    assert "paged" not in Shown(tmp_path, 30, wanted=False, PAGER=pager).all()


def test_a_pager_may_be_left_before_the_end(tmp_path: Path) -> None:
    assert Shown(tmp_path, 100_000, PAGER="head -n 3").lines() == ["line 1", "line 2", "line 3", "the end"]


def test_ctrl_c_is_left_to_the_pager(tmp_path: Path) -> None:
    path = tmp_path / "patient"
    path.write_text(PATIENT, encoding="utf-8")
    path.chmod(0o755)
    shown = Shown(tmp_path, 30, PAGER=str(path))
    shown.terminal.expect("ready")
    shown.terminal.sendintr()
    assert shown.lines()[-2:] == ["interrupted", "the end"]


def test_colours_go_to_less_only(tmp_path: Path, pager: str) -> None:
    (tmp_path / "less").symlink_to(pager.strip("'"))
    assert "\x1b[1m" not in Shown(tmp_path, 30, PAGER=pager).all()
    assert "\x1b[1mline 1\x1b[0m" in Shown(tmp_path, 30, PAGER=str(tmp_path / "less")).all()
