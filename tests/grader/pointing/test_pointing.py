"""The mistakes of a diagnosis, each at its line."""

from __future__ import annotations

from dataclasses import replace

from normgrade.course.course import Course
from normgrade.course.files import read_text
from normgrade.course.mistakes import read_mistakes, together
from normgrade.pointing.pointing import spots_of
from normgrade.report.report import Spot

EXERCISE = Course.find().exercise("layer_norm")
REFERENCE = read_text(EXERCISE.reference)
MISTAKES = {mistake.name: mistake for mistake in read_mistakes(EXERCISE)}


def test_each_mistake_has_its_line_and_its_remedy() -> None:
    made = [MISTAKES["unbiased-variance"], MISTAKES["eps-default-1e-6"]]
    source = together(REFERENCE, made)
    assert source is not None
    lines = source.splitlines()
    at = {name: next(number for number, line in enumerate(lines, 1) if name in line) for name in ("var = wide.var", "1e-6")}
    assert spots_of(made, REFERENCE, source) == (
        Spot("eps-default-1e-6", at["1e-6"], 22, 4, "        eps: float = 1e-6,", made[1].remedy),
        Spot("unbiased-variance", at["var = wide.var"], 59, 1, lines[at["var = wide.var"] - 1], made[0].remedy),
    )


def test_a_missing_argument_has_the_line_of_its_call() -> None:
    [spot] = spots_of([MISTAKES["unbiased-variance"]], REFERENCE, REFERENCE.replace(", correction=0", ""))
    assert spot.text.startswith("        var = wide.var(dim=dims, keepdim=True)") and (spot.column, spot.width) == (20, 3)


def test_a_mistake_from_a_file_has_no_place() -> None:
    assert spots_of([replace(MISTAKES["unbiased-variance"], edits=())], REFERENCE, MISTAKES["unbiased-variance"].source) == ()
