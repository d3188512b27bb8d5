"""Questions about a syntax tree."""

from __future__ import annotations

import ast

import pytest

from normgrade.pointing.syntax import ends, imported, is_autograd_function, is_slice, last_name, parameters, records, registered, state_name


def expression(source: str) -> ast.expr:
    return ast.parse(source, mode="eval").body


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("import torch.nn.functional as F", ["F"]),
        ("import torch.nn", ["torch"]),
        ("from torch import nn, Tensor", ["nn"]),
    ],
)
def test_modules_are_imported_under_a_name(source: str, names: list[str]) -> None:
    [statement] = ast.parse(source).body
    assert isinstance(statement, ast.Import | ast.ImportFrom) and list(imported(statement)) == names


def test_parameters_and_buffers_are_registered() -> None:
    source = "self.register_buffer('mean', x)\nself.weight = nn.Parameter(x)\nself.register_parameter('bias', None)\nself.eps = 1\n"
    assert dict(registered(ast.parse(source))) == {"mean": "register_buffer", "weight": "Parameter", "bias": "register_parameter"}


def test_an_autograd_function_is_known_by_its_base() -> None:
    one, other = ast.parse("class A(torch.autograd.Function): pass\nclass B(torch.nn.Module): pass\n").body
    assert isinstance(one, ast.ClassDef) and isinstance(other, ast.ClassDef)
    assert is_autograd_function(one) and not is_autograd_function(other)


def test_each_parameter_has_its_default() -> None:
    [function] = ast.parse("def f(self, a, /, b=1, *rest, c, d=2): pass").body
    assert isinstance(function, ast.FunctionDef)
    found = [(name, default and ast.unparse(default)) for name, default in parameters(function)]
    assert found == [("a", None), ("b", "1"), ("c", None), ("d", "2")]


@pytest.mark.parametrize(("source", "expected"), [("return 1", True), ("x = 1\nraise x", True), ("x = 1", False), ("", False)])
def test_nothing_follows_a_return_or_raise(source: str, expected: bool) -> None:
    assert ends(ast.parse(source).body) is expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("torch.no_grad", False),
        ("no_grad()", False),
        ("torch.autograd.inference_mode()", False),
        ("torch.inference_mode(False)", True),
        ("torch.inference_mode(mode=False)", True),
        ("torch.set_grad_enabled(False)", False),
        ("torch.enable_grad()", True),
        ("torch.set_grad_enabled(self.training)", None),
        ("torch.no_grad() if x else nullcontext()", None),
        ("self.no_grad.lock()", None),
        ("open(False)", None),
    ],
)
def test_a_mode_may_turn_gradients_off_or_on(source: str, expected: bool | None) -> None:
    assert records(expression(source)) is expected


@pytest.mark.parametrize(("source", "name"), [("torch.nn.init", "init"), ("x", "x"), ("f(x)", "")])
def test_the_last_name_of_a_dotted_name(source: str, name: str) -> None:
    assert last_name(expression(source)) == name


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("self.mean", "mean"),
        ("self.mean[0]", "mean"),
        ("self.mean.data", "mean"),
        ("self.mean.mul_(2)", "mean"),
        ("self.mean.mul(2)", None),
        ("mean", None),
    ],
)
def test_the_attribute_whose_tensor_is_meant(source: str, name: str | None) -> None:
    assert state_name(expression(source)) == name


@pytest.mark.parametrize(("source", "expected"), [(":", True), ("1:2", True), ("...", True), ("None", True), ("0", False), ("i", False)])
def test_an_index_that_keeps_a_dimension(source: str, expected: bool) -> None:
    found = expression(f"x[{source}]")
    assert isinstance(found, ast.Subscript) and is_slice(found.slice) is expected
