"""Tests of prompts in a terminal: parts that are folded on a page are left out or unfolded."""

from __future__ import annotations

import io

from hostile_texts import COLOUR
from rich.console import Console

from normgrade.cli.prompt import folded, rendered, unfolded

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
