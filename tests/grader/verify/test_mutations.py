"""Tests of mutations: every kind of change is made, one at a time, unless it cannot change a number."""

from __future__ import annotations

import ast

import pytest

from normgrade.verify.mutants import mutants_of
from normgrade.verify.mutations import changes_of

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


def changes(source: str) -> set[tuple[str, str]]:
    return {(mutant.was, mutant.now) for mutant in mutants_of(source)}


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
