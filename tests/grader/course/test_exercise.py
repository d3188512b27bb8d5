"""Exercises, and the properties that follow from their `exercise.toml`."""

from __future__ import annotations

from dataclasses import replace

from normgrade.course.course import Course


def test_situations_can_be_left_out_by_any_name(tiny: Course) -> None:
    exercise = replace(tiny.exercise("rms"), left_out={"all": "a reason"})
    assert exercise.leaves_out("as_built", "all") and not exercise.leaves_out("as_built")


def test_allowed_names_are_not_banned(tiny: Course) -> None:
    ban = replace(tiny.exercise("rms"), banned=("torch.*",), allowed=("torch.norm",)).ban
    assert (ban.against("torch.layer_norm"), ban.against("torch.norm")) == ("torch.*", None)
