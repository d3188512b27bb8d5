"""Clues in classes, names and loops: the places to which they point, if any."""

from __future__ import annotations

import ast
import re

import pytest

from normgrade.course.signature import Signature
from normgrade.inspection.program import program_of
from normgrade.remarks.pitfalls import clues
from normgrade.remarks.pitfalls.pitfalls import Clue, Crash, Spotted

CONTRACT = (Signature.parse("Norm(size, eps=1e-5)"),)


def found(clue: Clue, source: str, line: int = 0, **groups: str) -> Spotted | None:
    """Look for a clue in a source, with these groups of a pattern."""
    program = program_of(source)
    assert program is not None
    match = re.fullmatch("".join(f"(?P<{name}>{re.escape(text)})" for name, text in groups.items()), "".join(groups.values()))
    assert match is not None
    around = program.around(line)
    return clue(Crash(program, "raised", (), "", line, around.node.name if around and line else "", contract=CONTRACT), match)


def at(clue: Clue, source: str, line: int = 0, **groups: str) -> str | None:
    """Return the first line of the place to which a clue points."""
    seen = found(clue, source, line, **groups)
    return None if seen is None or seen.at is None else ast.unparse(seen.at).split("\n")[0]


INIT = "class A(Module):\n    def __init__(self):\n        {call}\n        self.w = 1\n"


@pytest.mark.parametrize(
    ("call", "missing", "of_a_class", "late"),
    [
        ("pass", "def __init__(self):", None, None),
        ("super().__init__()", None, None, "super().__init__()"),
        ("super(A, self).__init__()", None, None, "super(A, self).__init__()"),
        ("super(A).__init__()", None, "super(A).__init__()", None),
        ("nn.Module.__init__(self)", None, None, None),
    ],
)
def test_calls_of_super(call: str, missing: str | None, of_a_class: str | None, late: str | None) -> None:
    source = INIT.format(call=call)
    assert [at(clue, source, 4) for clue in (clues.no_super, clues.super_of_a_class, clues.late_super)] == [missing, of_a_class, late]
    assert at(clues.no_super, source, owner="A") == missing


@pytest.mark.parametrize(
    ("source", "sure"),
    [
        ("class A:\n    def f(x): pass\n", True),
        ("class A:\n    def f(self): pass\n", False),
        ("class A:\n    @staticmethod\n    def f(x): pass\n", False),
        ("class A:\n    @classmethod\n    def f(cls): pass\n", False),
    ],
)
def test_a_method_without_self(source: str, sure: bool) -> None:
    seen = found(clues.without_self, source, called="A.f")
    assert (seen is not None) is sure
    if seen is not None:
        assert seen.words == {"name": "f", "parameters": "self, x"}


def test_a_method_whose_self_is_a_contract_parameter() -> None:
    assert at(clues.method_without_self, "class Norm:\n    def __init__(size, eps):\n        size.x = 1\n", 3) == "def __init__(size, eps):"
    assert found(clues.method_without_self, "class Norm:\n    def __init__(this, size):\n        this.x = 1\n", 3) is None
    assert found(clues.method_without_self, "def f(size):\n    1 / 0\n", 2) is None


def test_a_missing_or_misplaced_forward() -> None:
    assert at(clues.nearly_forward, "class A:\n    def Forward(self): pass\n", owner="A") == "def Forward(self):"
    assert at(clues.nearly_forward, "class A:\n    def __call__(self): pass\n", owner="A") == "def __call__(self):"
    assert found(clues.nearly_forward, "class A:\n    def apply(self): pass\n", owner="A") is None
    assert at(clues.forward_within, "class A:\n    def f(self):\n        def forward(x): pass\n", owner="A") == "def forward(x):"
    assert found(clues.forward_within, "class B:\n    def forward(self): pass\n", owner="A") is None


def test_a_debugger_is_found_by_its_import() -> None:
    assert at(clues.debugger, "from pdb import set_trace as stop\nstop()\n") == "stop()"
    assert found(clues.debugger, "def set_trace(): pass\nset_trace()\n") is None


def test_a_name_of_another_method_of_the_class() -> None:
    source = "class A:\n    def __init__(self, eps): pass\n    def f(self):\n        return eps\nclass B:\n    def g(self, eps): pass\n"
    seen = found(clues.of_another_method, source, 4, name="eps")
    assert seen is not None and seen.words == {"method": "__init__"}
    assert found(clues.of_another_method, source, 4, name="other") is None


def test_an_attribute_may_be_set_indirectly() -> None:
    source = "class A:\n    def f(self):\n        self.register_buffer('b', x)\n        setattr(self, 'c', 1)\n"
    assert [found(clues.never_set, source, owner="A", name=name) is not None for name in "bcd"] == [False, False, True]


def test_text_and_calls_of_the_statement() -> None:
    source = "import numpy as np\nif x:\n    y = np.mean(\n        z)\n"
    assert found(clues.in_text(r"\bz\b"), source, 3) is not None and found(clues.in_text(r"\bz\b"), source, 1) is None
    assert found(clues.calls("numpy"), source, 4) is not None and found(clues.calls("torch"), source, 4) is None
    assert found(clues.calls("numpy"), source, 0) is None
    assert at(clues.anywhere("numpy.mean"), source) == "np.mean" and found(clues.anywhere("numpy.m"), source) is None
