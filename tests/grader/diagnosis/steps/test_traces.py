"""Known mistakes are found by their intermediate values, even if another deviation changes all outputs."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from steps_case import CALL, NORM, edited, failed, in_this_process, played

from normgrade.course.mistakes import Mistake, combined, edits_of
from normgrade.diagnosis.steps.traces import traced

EDITS = {
    "unbiased": (", correction=0)", ")"),
    "eps-outside": ("torch.sqrt(var + eps)", "(torch.sqrt(var) + eps)"),
    "not-centred": ("(x - mean)", "x"),
    "no-bias": ("weight + bias", "weight"),
    "other-mean": ("x.mean(-1", "x.mean(0"),
}
MISTAKES = [Mistake(name, name, edited(edit), edits_of([edit], NORM)) for name, edit in EDITS.items()]


def found(source: str, *beside: str) -> list[str]:
    """Return the names of the mistakes that leave traces in a source."""

    def combine(members: Sequence[int]) -> str | None:
        return combined(NORM, [MISTAKES[member] for member in members]) if members else NORM

    results, every = [failed(played(source, NORM, CALL))], range(len(MISTAKES))
    members = traced(
        results, lambda key: every, combine, source, in_this_process(source), in_this_process(""), [[*EDITS].index(name) for name in beside]
    )
    return [MISTAKES[member].name for member in members]


@pytest.mark.parametrize("names", [("unbiased",), ("no-bias",), ("unbiased", "eps-outside"), ("unbiased", "eps-outside", "no-bias")])
def test_several_mistakes_are_found_together(names: tuple[str, ...]) -> None:
    assert {*found(edited(*(EDITS[name] for name in names)))} == {*names}


def test_a_mistake_is_found_beside_an_unknown_one() -> None:
    source = edited(EDITS["unbiased"], ("y * weight", "y.abs() ** 1.3 * weight"))
    assert found(source) == ["unbiased"]


def test_an_unknown_mistake_leaves_no_traces() -> None:
    assert found(edited(("y * weight", "y.abs() ** 1.3 * weight"))) == []


def test_an_unused_wrong_value_is_no_trace() -> None:
    assert found(edited(("    y =", "    spread = x.var(-1, keepdim=True)\n    y ="), ("y * weight", "y.abs() ** 1.3 * weight"))) == []


def test_an_unrecordable_submission_leaves_no_traces() -> None:
    assert found(edited(EDITS["unbiased"], ("    mean =", "    jit = 1\n    mean ="))) == []


def test_named_mistakes_are_combined_with_the_others() -> None:
    assert found(edited(EDITS["unbiased"], EDITS["no-bias"]), "no-bias") == ["no-bias", "unbiased"]
