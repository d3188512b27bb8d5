"""Mechanical mutants: every kind of slip is made, one at a time, and nothing that changes no number is made at all."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from normgrade.course.course import Course
from normgrade.language.errors import CourseError
from normgrade.verify.mutants import Accepted, Mutant, mutants_of, read_accepted

LAYER = '''
"""A layer."""
import torch
from torch import Tensor, nn


class Layer(nn.Module):
    """Shifts and scales."""

    weight: nn.Parameter

    def __init__(self, size: int, eps: float = 1e-5, flag: bool = True) -> None:
        super().__init__()
        if size < 2 and not flag:
            raise ValueError(f"size {size} is too small; 2 is enough")
        self.register_buffer("mean", torch.zeros(size))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        mean = x.mean(dim=-1, keepdim=True)  # (N, C) → (N, 1)
        y = (x - mean.detach()) / torch.sqrt(x.var(-1, correction=0) + self.eps)
        with torch.no_grad():
            self.mean += mean
        return y if self.training else -y

    @torch.no_grad()
    def forget(self) -> None:
        self.mean = self.mean * 0
'''


SIGNATURE = "def __init__(self, size: int, eps: float = 1e-5, flag: bool = True) -> None:"
FORMULA = "y = (x - mean.detach()) / torch.sqrt(x.var(-1, correction=0) + self.eps)"


def changes(source: str) -> set[tuple[str, str]]:
    return {(mutant.was, mutant.now) for mutant in mutants_of(source)}


def expression(text: str) -> set[str]:
    """What becomes of one expression."""
    return {now.removeprefix("print(").removesuffix(")") for _, now in changes(f"print({text})\n") if now.startswith("print(")}


@pytest.mark.parametrize(
    ("text", "mutants"),
    [
        ("a + b", {"a - b"}),
        ("a - b", {"a + b", "b - a"}),
        ("a / b", {"a * b", "b / a"}),
        ("a * (b - c)", {"a / (b - c)", "a * (b + c)", "a * (c - b)"}),
        ("(a - b) ** c", {"(a - b) * c", "(c) ** (a - b)", "(a + b) ** c", "(b - a) ** c"}),
        ("a < b", {"a <= b", "a > b"}),
        ("a is not b", {"a is b"}),
        ("a and b or c", {"a or b or c", "a and b and c"}),
        ("not a", {"a"}),
        ("-a", {"a"}),
        ("-1", {"0", "-2"}),
        ("3", {"4", "2"}),
        ("0.5", {"1.0"}),
        ("True", {"False"}),
        ("'text'", {"'text_'"}),
        ("a if b else c", {"a if True else c", "a if False else c"}),
        ("f(a, b)", {"f(b, a)", "a"}),
        ("torch.promote_types(a, b)", {"a"}),
        ("x.g(k=a)", {"x.g()", "x"}),
        ("x.g(k=a, m=b)", {"x.g(m=b)", "x.g(k=a)", "x"}),
        ("x.g(1, k=True)", {"x.g(2, k=True)", "x.g(0, k=True)", "x.g(1, k=False)", "x.g(1)", "x"}),
        ("x.mean(d)", {"x.sum(d)", "x"}),
        ("(a + b).detach()", {"(a + b)", "(a - b).detach()"}),
    ],
)
def test_an_expression_is_changed_in_every_way(text: str, mutants: set[str]) -> None:
    assert expression(text) == mutants


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("mean = x.mean(dim=-1, keepdim=True)", "mean = x.mean(dim=-2, keepdim=True)"),  # a dimension shifted
        ("mean = x.mean(dim=-1, keepdim=True)", "mean = x.mean(dim=-1)"),  # a keyword left out
        ("mean = x.mean(dim=-1, keepdim=True)", "mean = x.mean(dim=-1, keepdim=True).detach()"),
        ("mean = x.mean(dim=-1, keepdim=True)", "pass"),
        ("@torch.no_grad()", ""),
        ("with torch.no_grad():", "if True:"),
        ("self.mean += mean", "self.mean -= mean"),
        ("self.mean += mean", "self.mean = mean"),
        ("self.mean += mean", "pass"),
        ("if size < 2 and not flag:", "if False:"),
        ("if size < 2 and not flag:", "if size < 3 and not flag:"),
        ('raise ValueError(f"size {size} is too small; 2 is enough")', 'raise RuntimeError(f"size {size} is too small; 2 is enough")'),
        ('raise ValueError(f"size {size} is too small; 2 is enough")', "pass"),
        (SIGNATURE, SIGNATURE.replace("1e-5", "2e-05")),
        ('self.register_buffer("mean", torch.zeros(size))', "self.register_buffer('mean_', torch.zeros(size))"),
        ('self.register_buffer("mean", torch.zeros(size))', 'self.register_buffer("mean", torch.ones(size))'),
        ("return y if self.training else -y", "return y if self.training else y"),
        (FORMULA, FORMULA.replace("mean.detach()", "mean")),
        (FORMULA, FORMULA.replace("torch.sqrt", "")),
    ],
)
def test_a_layer_is_changed_in_every_way(was: str, now: str) -> None:
    assert (was, now) in changes(LAYER)


def test_what_makes_no_difference_is_left_alone() -> None:
    changed = {was for was, _ in changes(LAYER)}
    assert not any(text in was for text in ('"""', "import", "weight: nn.Parameter") for was in changed)
    assert not any(
        ".detach()" in now for was, now in changes(LAYER) if was in ("self.mean += mean", "self.mean = self.mean * 0")
    )  # no gradient


def test_every_mutant_is_one_change_that_can_be_compiled() -> None:
    mutants = mutants_of(LAYER)
    assert len({mutant.source for mutant in mutants}) == len(mutants) > 50
    original = ast.dump(ast.parse(LAYER))
    for mutant in mutants:
        assert ast.dump(ast.parse(mutant.source)) != original
        lines = LAYER.splitlines()
        assert sum(line not in lines for line in mutant.source.splitlines()) <= 1
        assert lines[mutant.line - 1].split("  #")[0].strip() == mutant.was


def test_a_mutant_in_words_has_its_line_and_both_texts() -> None:
    [mutant] = [mutant for mutant in mutants_of("a = b + c  # both\n") if mutant.now == "a = b - c"]
    assert mutant == Mutant(1, "a = b + c", "a = b - c", "a = b - c  # both\n") and str(mutant) == "line 1: `a = b + c` → `a = b - c`"


def test_characters_of_several_bytes_shift_nothing() -> None:
    assert ('f("√ → σ", a - b)', 'f("√ → σ", a + b)') in changes('f("√ → σ", a - b)\n')


def test_of_an_expression_over_several_lines_the_changed_line_is_told() -> None:
    assert ("b - c", "b + c") in changes("f(\n    a,\n    b - c\n)\n")


# What is accepted


def accepted(tiny: Course, text: str | None) -> tuple[Accepted, ...]:
    exercise = tiny.exercise("rms")
    exercise.equivalent.unlink(missing_ok=True)
    if text is not None:
        exercise.equivalent.write_text(text, encoding="utf-8")
    return read_accepted(exercise)


@pytest.fixture
def own(tiny: Course, tmp_path: Path) -> Course:
    import shutil

    return Course(Path(shutil.copytree(tiny.root, tmp_path / "course")))


def test_what_is_accepted_is_read_with_its_reason(own: Course) -> None:
    assert accepted(own, None) == ()
    assert accepted(own, '[[mutant]]\nchange = ["a + b", "b + a"]\nreason = "It is the same."\n') == (
        Accepted("a + b", "b + a", "It is the same."),
    )


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('[[mutant]]\nchange = ["a", "b"]\n', "mutant[1].reason: is missing."),
        ('[[mutant]]\nreason = "r"\n', "mutant[1].change: is missing."),
        (
            '[[mutant]]\nreason = "r"\nchange = ["a"]\n',
            """mutant[1].change: must be a pair of texts, ["what was there", "what is there now"], not ['a'].""",
        ),
        ('[[mutant]]\nreason = ""\nchange = ["a", "b"]\n', "mutant[1].reason: must be a text that is not empty, not ''."),
        ("[[mutants]]\n", "mutants: unknown key; allowed are mutant."),
    ],
)
def test_what_is_wrong_in_the_file_is_named(own: Course, text: str, why: str) -> None:
    with pytest.raises(CourseError) as raised:
        accepted(own, text)
    assert str(raised.value) == f"{own.exercise('rms').equivalent}: {why}"
