"""Two quantities that went wrong one after the other."""

from __future__ import annotations

from steps_case import edited, search

from normgrade.diagnosis.steps.in_a_row import in_a_row

RIGHT = edited(("    y =", "    scale = weight.abs() + 1\n    y ="), ("y * weight", "y * scale"))


def test_two_quantities_go_wrong_one_after_the_other() -> None:
    wrong = RIGHT.replace(", correction=0", "").replace("weight.abs() + 1", "weight.abs() + 2")
    found = search(wrong, RIGHT)
    assert found.proved() == []
    links = in_a_row(found)
    learner = found.learner.source
    assert [learner.text_of(learner.spots[link.held.record.place]) for link in links] == ["x.var(-1, keepdim=True)", "weight.abs() + 2"]


def test_unexplained_outputs_are_no_row() -> None:
    assert in_a_row(search(edited(("(x - mean)", "(x * x)")))) == []
