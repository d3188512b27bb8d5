"""The words of a step: the right values before it, and the size of the error. Values made before any call give no step."""

from __future__ import annotations

from steps_case import NORM, edited, located

ODD = edited((", correction=0)", ", correction=0) * 1.234567"))


def test_the_right_value_before_is_told_with_its_line() -> None:
    step = located(edited((", correction=0", "")))
    assert step is not None and [(each.name, each.line) for each in step.right] == [("the mean", 4)]
    assert step.says == (
        "the mean is right (line 4); the variance is wrong (line 5): every value × 7/6, as if divided by n − 1; "
        "all other errors follow from this"
    )


def test_a_factor_is_told_without_a_change() -> None:
    step = located(ODD)
    assert step is not None and step.change is None and step.how == "every value × 1.23457"


def test_right_values_come_before_the_wrong_one() -> None:
    step = located(edited(("torch.sqrt(var + eps)", "(torch.sqrt(var) + eps)")))
    assert step is not None and [each.name for each in step.right] == ["the mean", "the variance"] and step.wrong.name == "the root"
    assert step.change is not None and step.change.base == NORM
    assert (step.line, step.column, step.width) == (6, 23, 21)


def test_a_factor_of_nearly_one_is_no_step() -> None:
    assert located(edited((", correction=0)", ", correction=0) * 0.999876"))) is None
