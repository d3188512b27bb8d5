"""A program knows its functions by name, the statement of a line, and the import that a dotted name comes from."""

from __future__ import annotations

import ast

import pytest

from normgrade.inspection.program import Program, program_of

SOURCE = """\
import numpy as np, os.path
from torch import nn as n

class Layer(n.Module):
    def forward(self, x):
        def inner(): pass
        return [y for y in
                x]

if True:
    def late(): return 1
def twice(): pass
def twice(): pass
"""


@pytest.fixture
def program() -> Program:
    found = program_of(SOURCE)
    assert found is not None
    return found


def test_functions_have_their_qualified_names(program: Program) -> None:
    names = ["Layer.forward", "Layer.forward.<locals>.inner", "late", "twice", "twice"]
    assert [each.name for each in program.definitions] == names
    owners = [each.owner.name if each.owner else None for each in program.definitions]
    assert owners == ["Layer", None, None, None, None]


def test_a_function_is_found_by_a_unique_name(program: Program) -> None:
    found = program.called("Layer.forward")
    assert found is not None and found.parameters == ["self", "x"]
    assert program.called("twice") is program.called("missing") is None


def test_a_line_belongs_to_its_innermost_function_and_statement(program: Program) -> None:
    names = [around.node.name if (around := program.around(line)) else None for line in (1, 4, 5, 6, 8, 11)]
    assert names == [None, None, "forward", "inner", "forward", "late"]
    assert [type(program.statement(line)) for line in (1, 4, 8, 9)] == [ast.Import, ast.ClassDef, ast.Return, type(None)]


def test_a_dotted_name_includes_its_import(program: Program) -> None:
    spelt = {"np.mean": "numpy.mean", "os.path.join": "os.path.join", "n.Module": "torch.nn.Module", "x": "x", "f().a": ""}
    assert {name: program.dotted(ast.parse(name, mode="eval").body) for name in spelt} == spelt


def test_a_function_body_excludes_inner_functions(program: Program) -> None:
    found = program.called("Layer.forward")
    assert found is not None
    assert not any(isinstance(node, ast.Pass) for node in found.own) and any(isinstance(node, ast.Return) for node in found.own)


def test_an_expression_of_any_depth_is_read() -> None:
    program = program_of(f"def f():\n    x = {'+'.join('1' * 900)}\n")
    assert program is not None and len(program.definitions[0].own) > 900


def test_invalid_python_is_no_program() -> None:
    assert program_of("x = = 1") is None
