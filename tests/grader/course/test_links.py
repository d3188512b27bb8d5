"""Links between prompts: their targets in a course, in a workspace and in a terminal."""

from __future__ import annotations

from pathlib import Path

import pytest

from normgrade.course.course import Course
from normgrade.course.links import by_slug, dead_links, side_by_side
from normgrade.course.package import carried
from normgrade.language import LANGUAGES

LINKED = "| [RMS norm](../rms_norm/README.md), wide | [层归一化](../layer_norm/README.zh.md) | [paper](https://a.org/README.md) |"


def test_side_by_side_prompts_are_named_after_their_exercises() -> None:
    assert (
        side_by_side(LINKED, "batch_norm")
        == "| [RMS norm](rms_norm.md), wide | [层归一化](layer_norm.md) | [paper](https://a.org/README.md) |"
    )


def test_in_a_terminal_a_slug_replaces_the_link() -> None:
    assert by_slug(LINKED) == "| RMS norm `rms_norm`, wide | 层归一化 `layer_norm` | [paper](https://a.org/README.md) |"


def test_a_figure_is_beside_the_prompt_or_its_title() -> None:
    assert side_by_side("![The loss falls](figure.svg)", "rezero") == "![The loss falls](rezero-figure.svg)"
    assert by_slug("![The loss falls](figure.svg)") == "*The loss falls*"


RULED = "See [the rules](../rules.md#gradients) and [共同规则](../rules.zh.md). <!-- test_eps -->"


def test_rules_lie_beside_the_prompts_or_have_a_command() -> None:
    assert side_by_side(RULED, "rms_norm") == "See [the rules](rules.md) and [共同规则](rules.md)."
    assert by_slug(RULED) == "See the rules (`normgrade show rules`) and 共同规则 (`normgrade show rules`)."


def test_other_text_is_unchanged() -> None:
    text = "`x[0](y)` within [0, 1] (a range), and [here](#there)"
    assert side_by_side(text, "batch_norm") == by_slug(text) == text


def test_links_without_a_target_are_dead(tmp_path: Path) -> None:
    (tmp_path / "there.md").touch()
    text = "[a](there.md#part) [b](gone.md) `[c](d)` [e](https://f.org) [g](#h)\n\n```\nx[i](j)\n```\n"
    assert [*dead_links(tmp_path / "prompt.md", text)] == ["gone.md"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_links_between_prompts_keep_their_language(language: str) -> None:
    prompts = {exercise: exercise.prompt_in(language) for exercise in Course(carried())}
    texts = {path: path.read_text(encoding="utf-8") for path in prompts.values()}
    assert {path: dead for path, text in texts.items() if (dead := [*dead_links(path, text)])} == {}
    others = {"README.md" if each == "en" else f"README.{each}.md" for each in LANGUAGES} - {next(iter(prompts.values())).name}
    assert [str(path) for path, text in texts.items() for name in others if f"/{name})" in text] == []
    assert sum("](../" in text for text in texts.values()) >= 20
