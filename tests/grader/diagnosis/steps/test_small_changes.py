"""Small changes of right code that lead to the learner's outputs and gradients."""

from __future__ import annotations

import pytest
from steps_case import NORM, edited, search

from normgrade.diagnosis.steps.in_a_row import in_a_row
from normgrade.diagnosis.steps.small_changes import Change, change_for_several, changes_for, changes_without_value

HIDDEN = """import torch

def norm(x, weight, bias, eps):
    n = x.shape[-1]
    c = x - x.sum(-1)[..., None] / n
    v = (c * c).sum(-1) / {count}
    return c / ({root})[..., None] * weight + bias
"""


def found_for(source: str) -> Change | None:
    found = search(source)
    links = found.proved()
    return next(changes_for(found, links[0]) if links else changes_without_value(found, 80), None)


@pytest.mark.parametrize(
    ("source", "words", "edits"),
    [
        (HIDDEN.format(count="(n - 1)", root="(v + eps).sqrt()"), "as if divided by n − 1", [["correction=0", "correction=1"]]),
        (
            HIDDEN.format(count="n", root="v.sqrt() + eps"),
            "with eps outside the root",
            [["torch.sqrt(var + eps)", "(torch.sqrt(var) + eps)"]],
        ),
        (HIDDEN.format(count="n", root="v.sqrt()"), "without eps", None),
        (HIDDEN.format(count="n", root="v + eps"), "without the root", None),
        (HIDDEN.format(count="1", root="(v + eps).sqrt()"), "× n", None),
        (HIDDEN.format(count="n", root="(v + eps).sqrt()").replace("c /", "x /"), "without the mean", None),
        (HIDDEN.format(count="n", root="(v + eps).sqrt()").replace("* weight + bias", "* weight - bias"), "− instead of +", None),
        (edited(("y * weight + bias", "(y + bias) * weight")), "the bias before the weight", None),
        (edited(("x.mean(-1,", "x.mean((0, 2),")), "over (0, 2) instead of (2,)", None),
    ],
)
def test_a_change_gives_the_learners_outputs(source: str, words: str, edits: list[list[str]] | None) -> None:
    change = found_for(source)
    assert change is not None and change.words == words and change.base == NORM
    assert edits is None or change.edits == edits
    text = NORM
    for old, new in change.edits:
        assert text.count(old) == 1
        text = text.replace(old, new)
    assert text == change.source


def test_a_change_must_give_the_gradients_too() -> None:
    detached = edited((", correction=0)", ", correction=1).detach()"))
    found = search(detached)
    [link] = found.proved()
    assert next(changes_for(found, link), None) is None


def test_several_changes_are_made_together() -> None:
    right = edited(("    y =", "    scale = weight + 1\n    y ="), ("y * weight", "y * scale"))
    found = search(right.replace(", correction=0", "").replace("weight + 1", "weight - 1"), right)
    links = found.proved()
    assert links == []
    change = change_for_several(found, in_a_row(found))
    assert change is not None and change.words == "as if divided by n − 1 and − instead of +" and len(change.edits) == 2


def test_no_change_is_found_for_large_differences() -> None:
    assert found_for(edited(("(x - mean)", "(x.sin() - mean.cos())"))) is None
