"""Live values: their owners, their origins, and their source."""

from __future__ import annotations

import ast
import collections
import math
import os.path
import sys
from functools import cached_property, wraps
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
import pytest

from normgrade.notebook.live_objects import (
    attached_later,
    described,
    found_in_library,
    functions,
    home,
    imports,
    is_library,
    is_own,
    is_plain,
    literal,
    same,
    unsendable,
    unwrapped,
)


def decorated(function: Any) -> Any:
    @wraps(function)
    def wrapper() -> Any:
        return function()

    return wrapper


def outside() -> None: ...


class Mine:
    taken = outside

    def method(self) -> None: ...

    @property
    def prop(self) -> int:
        return 1

    @cached_property
    def cached(self) -> int:
        return 1

    @staticmethod
    def static() -> None: ...

    @classmethod
    def of_class(cls) -> None: ...

    @decorated
    def wrapped() -> None: ...


@decorated
def wrapped() -> None: ...


def test_functions_of_a_class_are_those_of_its_body() -> None:
    assert {function.__name__ for function in functions(Mine)} == {"method", "prop", "cached", "static", "of_class", "wrapped"}


def test_a_function_is_found_inside_its_wrapper() -> None:
    [function] = functions(wrapped)
    assert isinstance(function, FunctionType) and function.__code__.co_name == "wrapped"
    assert list(functions(3)) == []


def test_a_value_that_cannot_be_unwrapped_is_unchanged() -> None:
    class Shy:
        def __getattr__(self, name: str) -> object:
            raise RuntimeError(name)

    def circle() -> None: ...

    circle.__wrapped__ = circle  # type: ignore[attr-defined]
    shy = Shy()
    assert unwrapped(shy) is shy and unwrapped(circle) is circle and unwrapped(wrapped) is not wrapped


def test_a_method_attached_later_is_named() -> None:
    body = ast.parse("class Late:\n    taken = outside\n").body[0]
    late = type("Late", (), {"taken": outside, "__module__": __name__})
    assert attached_later(late, body) is None
    late.added = outside  # type: ignore[attr-defined]
    assert attached_later(late, body) == "added"


def test_home_is_the_module_of_a_definition() -> None:
    assert home(wrapped, {}) is globals() and home(Mine, {})["Mine"] is Mine
    other: dict[str, Any] = {}
    assert home(3, other) is other


@pytest.mark.parametrize(("module", "library"), [("os.path", True), ("numpy.linalg", True), ("normgrade", False), ("mine", False)])
def test_a_library_is_python_itself_or_installed(module: str, library: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, file in (("normgrade", "/home/me/normgrade/__init__.py"), ("mine", "/home/me/mine.py")):
        place = ModuleType(name)
        place.__file__ = file
        monkeypatch.setitem(sys.modules, name, place)
    assert is_library(module) == library
    assert is_own(type("Thing", (), {"__module__": module})) != library


def test_a_library_value_is_imported_by_name() -> None:
    assert found_in_library("OD", collections.OrderedDict) == [("collections", "OrderedDict as OD")]
    assert found_in_library("np", np) == [("", "numpy as np")] and found_in_library("math", math) == [("", "math")]
    assert found_in_library("Mine", Mine) == () and found_in_library("three", 3) == ()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "None"),
        (True, "True"),
        (-2.5, "-2.5"),
        (math.inf, 'float("inf")'),
        ("a'b", '"a\'b"'),
        ((), "()"),
        ((1,), "(1,)"),
        ((1, (2, 3)), "(1, (2, 3))"),
    ],
)
def test_plain_values_are_literals(value: object, text: str) -> None:
    assert is_plain(value) and literal(value) == text and eval(text) == value


@pytest.mark.parametrize("value", [[1], {"a": 1}, 1j, np.float64(1), (1, [2]), Mine, math])
def test_other_values_are_not_plain(value: object) -> None:
    assert not is_plain(value)


def test_plain_values_are_compared_by_their_literals() -> None:
    assert same((1, "a"), (1, "a")) and same(math.nan, math.nan)
    assert not same(1, True) and not same(1, 1.0) and not same([1], [1])


def test_a_value_is_described_in_a_few_words() -> None:
    assert described(3) == "3" and described(math) == "math" and described(dict) == "dict"
    assert described(os.path.join).endswith("path.join") and described([1]) == "a value of type list"


def test_unsendable_values_have_advice() -> None:
    assert unsendable("m", ModuleType("mine"), "LayerNorm").endswith("Import the names that you use: `from mine import …`.")
    assert unsendable("f", outside, "LayerNorm").endswith("Define it at the top level of a cell or file.")
    assert unsendable("x", [1], "LayerNorm").startswith('"LayerNorm" uses "x", a value of type list, but only source code can be sent.')


@pytest.mark.parametrize(
    ("text", "name", "value", "found"),
    [
        ("import numpy as np", "np", np, [("", "numpy as np")]),
        ("import os\nimport os.path", "os", os, [("", "os"), ("", "os.path")]),
        ("from collections import OrderedDict as OD", "OD", collections.OrderedDict, [("collections", "OrderedDict as OD")]),
        ("from collections import *", "OrderedDict", collections.OrderedDict, [("collections", "OrderedDict")]),
        ("from collections import OrderedDict", "OrderedDict", dict, []),
        ("from .collections import OrderedDict", "OrderedDict", collections.OrderedDict, []),
        ("import mine", "mine", math, []),
    ],
)
def test_the_imports_of_a_value_are_found(text: str, name: str, value: object, found: list[tuple[str, str]]) -> None:
    assert imports(text, name, value) == found
