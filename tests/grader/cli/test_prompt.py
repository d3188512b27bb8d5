"""Prompts in a terminal: folded answers are left out or written out."""

from __future__ import annotations

from normgrade.cli.prompt import folded, unfolded

PROMPT = """# Task

<details>
<summary>Why?</summary>

Because.
</details>

And how?

<details>
<summary>Answer</summary>

So.
</details>
"""


def test_answers_are_left_out_and_the_command_for_them_is_named() -> None:
    assert folded(PROMPT, "rms") == "# Task\n\n**Why?**\n\nAnd how?\n\n`normgrade show rms --answers` shows the answers too.\n"


def test_answers_are_written_below_their_questions() -> None:
    assert unfolded(PROMPT) == "# Task\n\n**Why?**\n\nBecause.\n\nAnd how?\n\nSo.\n\n"


def test_a_prompt_without_answers_stays_as_it_is() -> None:
    assert folded("# Task\n", "rms") == unfolded("# Task\n") == "# Task\n"
