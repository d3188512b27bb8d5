"""The search: if a value of the learner, put into right code, gives the learner's outputs and is smaller than these, it is proof."""

from __future__ import annotations

import pytest
from steps_case import NORM, edited, search

from normgrade.diagnosis.steps.substitution import StepSearch

BY_HAND = """import torch

def norm(x, weight, bias, eps):
    n = x.shape[-1]
    m = x.sum(-1) / n
    c = x - m[..., None]
    v = (c * c).sum(-1) / {count}
    r = 1 / {root}
    return c * r[..., None] * weight + bias
"""


def link(found: StepSearch) -> tuple[str, str, bool]:
    """Return the wrong quantity, the learner's value, and if this value is put in unchanged."""
    [link] = found.proved()
    base, learner = found.base.source, found.learner.source
    quantity = base.text_of(base.spots[link.quantity.records[0].place])
    return quantity, learner.text_of(learner.spots[link.held.record.place]), link.plain


@pytest.mark.parametrize(
    ("source", "proof"),
    [
        (edited((", correction=0", "")), ("x.var(-1, keepdim=True, correction=0)", "x.var(-1, keepdim=True)", True)),
        (edited(("x.mean(-1,", "x.mean(1,")), ("x.mean(-1, keepdim=True)", "x.mean(1, keepdim=True)", True)),
        (
            BY_HAND.format(count="(n - 1)", root="(v + eps).sqrt()"),
            ("x.var(-1, keepdim=True, correction=0)", "(c * c).sum(-1) / (n - 1)", True),
        ),
        (BY_HAND.format(count="n", root="(v.sqrt() + eps)"), ("torch.sqrt(var + eps)", "v.sqrt() + eps", True)),
        (BY_HAND.format(count="n", root="v.sqrt()"), ("var + eps", "(c * c).sum(-1) / n", True)),
    ],
)
def test_a_small_value_proves_the_wrong_quantity(source: str, proof: tuple[str, str, bool]) -> None:
    assert link(search(source)) == proof


def test_a_reciprocal_is_told_from_its_argument() -> None:
    source = BY_HAND.format(count="n", root="(v + eps).sqrt()").replace(
        "    r = 1 / (v + eps).sqrt()", "    r = torch.rsqrt(v + eps * eps)"
    )
    assert link(search(source))[1:] == ("v + eps * eps", True)


@pytest.mark.parametrize("edit", [("(x - mean)", "x"), ("y * weight + bias", "(y + bias) * weight"), ("y * weight", "y / weight")])
def test_a_value_as_large_as_the_output_proves_nothing(edit: tuple[str, str]) -> None:
    assert search(edited(edit)).proved() == []


def test_the_earliest_proof_is_taken() -> None:
    right = edited(("y = (x - mean) / torch.sqrt(var + eps)", "s = torch.sqrt(var + eps)\n    y = (x - mean) / s"))
    found = search(right.replace("correction=0)", "correction=0) / 3"), right)
    assert link(found)[1] == "x.var(-1, keepdim=True, correction=0) / 3"


def test_a_proof_changes_only_wrong_places() -> None:
    found = search(edited((", correction=0", "")))
    [link] = found.proved()
    assert not found.hopeless(link.quantity) and found.reach[link.quantity] == found.wrong == {"result"}
    assert found.tolerance == 1e-8 and found.limit == 70 and (2, 5, 7) in found.shapes
    assert found.base.source.text == NORM
