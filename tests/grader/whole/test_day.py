"""Tests of a learner's first day, typed into a shell in a real terminal of 80 columns. The tour in docs/learn.md is a part of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from session import HEIGHT, ON_POSIX, WIDTH, Session, lines_of

from normgrade.course.course import Course
from normgrade.course.package import carried

pytestmark = ON_POSIX
PAGE = Path(__file__).parents[3] / "docs" / "learn.md"

WRONG = """\
import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__()
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.dims = tuple(range(-len(shape), 0))
        self.eps = eps
        self.register_parameter("weight", nn.Parameter(torch.ones(shape)) if elementwise_affine else None)
        self.register_parameter("bias", nn.Parameter(torch.zeros(shape)) if elementwise_affine and bias else None)

    def forward(self, x):
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        var, mean = torch.var_mean(wide, dim=self.dims, keepdim=True)
        y = (wide - mean) / torch.sqrt(var + self.eps)
        if self.weight is not None:
            y = y * self.weight
        if self.bias is not None:
            y = y + self.bias
        return y.to(x.dtype)
"""
RIGHT = WRONG.replace("keepdim=True)", "keepdim=True, correction=0)")


def day(folder: Path) -> dict[str, str]:
    """Type the commands of a day, and return the output of each step."""
    session, told = Session(folder), {}
    try:
        told["init"] = session.type("normgrade init norms")
        told["cd"] = session.type("cd norms")
        told["next"] = session.type("normgrade")
        (folder / "norms" / "layer_norm.py").write_text(WRONG, encoding="utf-8")
        told["wrong"] = session.type("normgrade check layer_norm")
        told["hint"] = session.type("normgrade hint layer_norm")
        told["explain"] = session.type("normgrade explain unbiased-variance --exercise layer_norm")
        told["too early"] = session.type("normgrade solution layer_norm")
        session.screen.reset()
        session.child.sendline("normgrade watch layer_norm")
        told["watched, wrong"] = session.wait_for(r"unbiased-variance.*all claims")
        (folder / "norms" / "layer_norm.py").write_text(RIGHT, encoding="utf-8")
        told["watched, right"] = session.wait_for(r"20 of 20 points, passed .*Passed\. Press n to continue")
        session.press("q")
        told["left"] = session.wait_for(r"\$$")
        told["solution"] = session.type("normgrade solution layer_norm")
        told["progress"] = session.type("normgrade progress")
        told["next again"] = session.type("normgrade")
    finally:
        session.close()
    return told


@pytest.fixture(scope="module")
def told(expectations: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    yield day(tmp_path_factory.mktemp("home"))


def test_a_workspace_is_begun_and_the_next_step_named(told: dict[str, str]) -> None:
    course = list(Course(carried()))
    exercises, figures = len(course), sum(len(each.figures) for each in course)
    assert f"{2 * exercises + figures + 1} files added" in told["init"] and f"{exercises} stubs" in told["init"]
    assert "Next is layer_norm (level 1," in " ".join(told["next"].split())


def test_the_mistake_is_named_and_helped_with(told: dict[str, str]) -> None:
    assert "\nunbiased-variance  explains all 39 failing claims" in told["wrong"] and "pass correction=0." in told["wrong"]
    assert "pass correction=0." in told["hint"]
    assert "Next: normgrade explain unbiased-variance --exercise layer_norm · -v: all claims" in told["wrong"]
    assert "It shows here" in told["explain"] and "It hides here" in told["explain"]
    assert "No passed attempt" in told["too early"]


def test_a_fix_turns_the_checks_green_under_watch(told: dict[str, str]) -> None:
    assert "✗" in told["watched, wrong"] and "unbiased-variance" in told["watched, wrong"]
    assert "✗" not in told["watched, right"] and told["watched, right"].count("✓") >= 20
    assert "last scores: " in told["watched, right"]
    assert "✓ layer_norm · layer_norm.py · 20 of 20 points · passed" in " ".join(told["left"].split())


def test_the_solution_and_the_progress_are_shown(told: dict[str, str]) -> None:
    solution = told["solution"]
    assert "correction=0" in solution and "Changes from your file to the reference" in solution and "Other right ways" in solution
    assert "passed" in told["progress"] and "unbiased-variance" in told["progress"]
    assert "layer_norm " not in told["next again"] and "Next is rms_norm " in told["next again"]
    assert "Passed. Press n to continue with rms_norm." in told["watched, right"]


@pytest.fixture
def session(expectations: Path, tiny: Course, tmp_path: Path) -> Iterator[Session]:
    session = Session(tmp_path)
    session.type(f"export NORMGRADE_COURSE={tiny.root}")
    yield session
    session.close()


def test_watch_follows_the_size_of_the_terminal(session: Session, tmp_path: Path) -> None:
    (tmp_path / "rms.py").write_text("def rms(x, eps=1e-5):\n    return x\n", encoding="utf-8")
    session.child.sendline("normgrade watch rms")
    session.wait_for(r"not passed .* ✓ It can be called .* ✗✗ Every row is divided")
    session.resize(20, 50)
    low = session.wait_for(r"n next .* rms\.py .* d: all claims$")
    assert max(map(len, low.splitlines())) <= 50 and len(low.splitlines()) <= 20
    session.resize(HEIGHT, WIDTH)
    session.wait_for(r"not passed .* ✓ It can be called .* ✗✗ Every row is divided")
    session.press("q")
    session.wait_for(r"\$$")


def test_wide_terminal_shows_the_solution_beside_the_code(session: Session, tmp_path: Path) -> None:
    (tmp_path / "rms.py").write_text("def rms(x, eps=1e-5):\n    return x\n", encoding="utf-8")
    session.resize(HEIGHT, 140)
    said = session.type("normgrade solution rms --spoil")
    assert re.search(r"^ *rms\.py +reference\.py$", said, re.MULTILINE)
    assert re.search(r"^− +return x +\+", said, re.MULTILINE)
    session.resize(HEIGHT, WIDTH)
    assert "--- rms.py" in session.type("normgrade solution rms --spoil")


COLOUR = re.compile(rb"\x1b\[(?:\d+;)*(?:3[0-7]|9[0-7]|38;)")


@pytest.mark.parametrize(("setting", "coloured"), [("", True), ("NO_COLOR=1 ", False)])
def test_colours_are_shown_unless_they_are_not_wanted(session: Session, tmp_path: Path, setting: str, coloured: bool) -> None:
    (tmp_path / "rms.py").write_text("def rms(x, eps=1e-5):\n    return x\n", encoding="utf-8")
    assert "formula ✗" in session.type(f"{setting}normgrade check rms")
    assert bool(COLOUR.search(session.raw)) is coloured


def test_errors_break_between_words(session: Session) -> None:
    said = session.type("normgrade solution rms")
    assert (
        "Error: No passed attempt at rms is recorded here. "
        "Run `normgrade hint rms` for a hint, or use --spoil to see the answer." in " ".join(said.split())
    )


def test_every_line_of_the_tour_was_shown(told: dict[str, str]) -> None:
    tour = PAGE.read_text(encoding="utf-8").partition("<!-- the tour -->")[2].partition("<!-- its end -->")[0]
    shown = {line for text in told.values() for line in lines_of(text)}
    lines = [line for block in re.findall(r"```console\n(.*?)```", tour, re.DOTALL) for line in lines_of(block)]
    assert len(lines) > 40
    assert [line for line in lines if line and line != "…" and line not in shown] == []
