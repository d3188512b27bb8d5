"""Tests of mechanical mutants: the changes of a tree, the mutants of a reference, and those that are accepted."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from normgrade.course.course import Course
from normgrade.course.files import read_text
from normgrade.course.package import carried
from normgrade.language.errors import CourseError
from normgrade.verify.mutants import Accepted, Mutant, changes_of, mutants_of, read_accepted


def changes(source: str) -> set[tuple[str, str]]:
    return {(mutant.was, mutant.now) for mutant in mutants_of(source)}


def test_every_mutant_is_one_change_that_compiles() -> None:
    source = read_text(Course(carried()).exercise("layer_norm").reference)
    mutants, tree = mutants_of(source), ast.parse(source)
    assert len({mutant.source for mutant in mutants}) == len({(each.line, each.was, each.now) for each in mutants}) == len(mutants) > 50
    lines = ast.unparse(tree).splitlines()
    for mutant in mutants:
        assert ast.dump(ast.parse(mutant.source)) != ast.dump(tree)
        assert sum(line not in lines for line in mutant.source.splitlines()) <= 1
        around = [
            node for node in ast.walk(tree) if isinstance(node, ast.stmt) and mutant.line in range(node.lineno, (node.end_lineno or 0) + 1)
        ]
        assert ast.unparse(around[-1]).splitlines()[0] == mutant.was  # the innermost comes last


def test_mutants_come_in_the_order_of_their_lines() -> None:
    lines = [mutant.line for mutant in mutants_of("a = b + c\nd = -a\n\nif d < 2:\n    e = 1\n")]
    assert lines == sorted(lines) and set(lines) == {1, 2, 4, 5}


def test_equal_programs_are_one_mutant() -> None:
    nows = [mutant.now for mutant in mutants_of("a = b.c().c()\n")]  # whichever call is removed
    assert sorted(nows) == ["a = b.c()", "a = b.c().c().detach()", "pass"]


def test_mutant_as_text_has_line_and_both_texts() -> None:
    [mutant] = [mutant for mutant in mutants_of("a = b + c  # both\n") if mutant.now == "a = b - c"]
    assert mutant == Mutant(1, "a = b + c", "a = b - c", "a = b - c") and str(mutant) == "line 1: `a = b + c` → `a = b - c`"


def test_multibyte_characters_do_not_shift_columns() -> None:
    assert ("f('√ → σ', a - b)", "f('√ → σ', a + b)") in changes('f("√ → σ", a - b)\n')


def test_multiline_expression_gives_the_changed_line() -> None:
    [mutant] = [mutant for mutant in mutants_of("f(\n    a,\n    b - c\n)\n") if mutant.now == "f(a, b + c)"]
    assert (mutant.line, mutant.was) == (3, "f(a, b - c)")


@pytest.mark.parametrize(
    ("source", "was", "now", "line"),
    [
        ("if a:\n    b = 1\n    c = 2\n", "if a:", "if False:", 1),
        ("with f():\n    b = 1\n", "with f():", "if True:", 1),
        ("@f\n@g\ndef h():\n    a\n", "@g", "", 1),
        ("a = 1\nb = 1\nb = 1\n", "b = 1", "b = 2", 3),
    ],
)
def test_compound_statement_gives_its_head(source: str, was: str, now: str, line: int) -> None:
    assert (was, now, line) in [(mutant.was, mutant.now, mutant.line) for mutant in mutants_of(source)]


# Accepted mutants


def accepted(tiny: Course, text: str) -> tuple[Accepted, ...]:
    exercise = tiny.exercise("rms")
    exercise.mistakes.write_text(text, encoding="utf-8")
    return read_accepted(exercise)


@pytest.fixture
def own(tiny: Course, tmp_path: Path) -> Course:
    import shutil

    return Course(Path(shutil.copytree(tiny.root, tmp_path / "course")))


def test_accepted_mutant_is_read_with_its_reason(own: Course) -> None:
    assert accepted(own, "") == ()
    assert accepted(own, '[[equivalent]]\nchange = ["a + b", "b + a"]\nreason = "It is the same."\n') == (
        Accepted("a + b", "b + a", "It is the same."),
    )


def test_accepted_mutant_may_be_formatted_freely(own: Course) -> None:
    [found] = accepted(own, """[[equivalent]]\nchange = ['a, b = f("x"),1e-5', 'if a == "x":']\nreason = "r"\n""")
    assert (found.was, found.now) == (ast.unparse(ast.parse('a, b = f("x"), 1e-5')), 'if a == "x":')


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('[[equivalent]]\nchange = ["a", "b"]\n', "equivalent[1].reason: is missing."),
        ('[[equivalent]]\nreason = "r"\n', "equivalent[1].change: is missing."),
        (
            '[[equivalent]]\nreason = "r"\nchange = ["a"]\n',
            """equivalent[1].change: must be a pair of texts, ["the old code", "the new code"], not ['a'].""",
        ),
        ('[[equivalent]]\nreason = ""\nchange = ["a", "b"]\n', "equivalent[1].reason: must be a text that is not empty, not ''."),
    ],
)
def test_error_in_the_file_is_named(own: Course, text: str, why: str) -> None:
    with pytest.raises(CourseError) as raised:
        accepted(own, text)
    assert str(raised.value) == f"{own.exercise('rms').mistakes}: {why}"


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


SIGNATURE = "def __init__(self, size: int, eps: float=1e-05, flag: bool=True) -> None:"
REFUSAL = "raise ValueError(f'size {size} is too small; 2 is enough')"
BUFFER = "self.register_buffer('mean', torch.zeros(size))"
FORMULA = "y = (x - mean.detach()) / torch.sqrt(x.var(-1, correction=0) + self.eps)"


def expression(text: str) -> set[str]:
    """Return the mutants of one expression."""
    return {now.removeprefix("print(").removesuffix(")") for _, now in changes(f"print({text})\n") if now.startswith("print(")}


@pytest.mark.parametrize(
    ("text", "mutants"),
    [
        ("a + b", {"a - b"}),
        ("a - b", {"a + b", "b - a"}),
        ("a / b", {"a * b", "b / a"}),
        ("a * (b - c)", {"a / (b - c)", "a * (b + c)", "a * (c - b)"}),
        ("(a - b) ** c", {"(a - b) * c", "c ** (a - b)", "(a + b) ** c", "(b - a) ** c"}),
        ("a < b", {"a <= b", "a > b"}),
        ("a is not b", {"a is b"}),
        ("a and b or c", {"(a or b) or c", "(a and b) and c"}),
        ("a and b and c", {"(a or b) and c", "a and (b or c)"}),
        ("a < b < c", {"a <= b < c", "a > b < c", "a < b <= c", "a < b > c"}),
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
        ("(a + b).detach()", {"a + b", "(a - b).detach()"}),
    ],
)
def test_an_expression_is_changed_in_every_way(text: str, mutants: set[str]) -> None:
    assert expression(text) == mutants


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("mean = x.mean(dim=-1, keepdim=True)", "mean = x.mean(dim=-2, keepdim=True)"),  # another dimension
        ("mean = x.mean(dim=-1, keepdim=True)", "mean = x.mean(dim=-1)"),  # a keyword removed
        ("mean = x.mean(dim=-1, keepdim=True)", "mean = x.mean(dim=-1, keepdim=True).detach()"),
        ("mean = x.mean(dim=-1, keepdim=True)", "pass"),
        ("@torch.no_grad()", ""),
        ("with torch.no_grad():", "if True:"),
        ("self.mean += mean", "self.mean -= mean"),
        ("self.mean += mean", "self.mean = mean"),
        ("self.mean += mean", "pass"),
        ("if size < 2 and (not flag):", "if False:"),
        ("if size < 2 and (not flag):", "if size < 3 and (not flag):"),
        (REFUSAL, REFUSAL.replace("ValueError", "RuntimeError")),
        (REFUSAL, "pass"),
        (SIGNATURE, SIGNATURE.replace("1e-05", "2e-05")),
        (BUFFER, BUFFER.replace("mean", "mean_")),
        (BUFFER, BUFFER.replace("zeros", "ones")),
        ("return y if self.training else -y", "return y if self.training else y"),
        (FORMULA, FORMULA.replace("mean.detach()", "mean")),
        (FORMULA, "y = (x - mean.detach()) / (x.var(-1, correction=0) + self.eps)"),
    ],
)
def test_a_layer_is_changed_in_every_way(was: str, now: str) -> None:
    assert (was, now) in changes(LAYER)


def test_code_that_changes_no_number_is_left_alone() -> None:
    changed = {was for was, _ in changes(LAYER)}
    assert not any(text in was for text in ('"""', "import", "weight: nn.Parameter") for was in changed)
    assert not any(
        ".detach()" in now for was, now in changes(LAYER) if was in ("self.mean += mean", "self.mean = self.mean * 0")
    )  # no gradient is recorded there


def test_tree_itself_is_not_changed() -> None:
    tree = ast.parse(LAYER)
    before, nodes = ast.dump(tree), set(ast.walk(tree))
    assert all(node in nodes and node is not other for node, other in changes_of(tree))
    assert ast.dump(tree) == before
