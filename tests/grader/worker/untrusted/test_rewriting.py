"""Tests of rewriting: every sub-expression in a function reports its value, and the source behaves as before."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from normgrade.worker.untrusted import rewriting
from normgrade.worker.untrusted.rewriting import REPORT, SpotKind, rewritten

LAYER = """
import functools

class Layer:
    gain = 2

    def __init__(self, x, *, shift=1):
        super().__init__()
        self.x, self.shift = x, shift

    @property
    def doubled(self):
        return self.x * self.gain

    def run(self, numbers):
        total = 0
        for number in numbers:
            total += number * self.doubled if number % 2 else -number
        a, b = divmod(total, 7)
        self.x -= 1
        table = [[each + self.__dict__["x"] for each in numbers], {"b": b}]
        lifted = lambda z, w=3: z * w + self.shift
        return f"{lifted(a)} {table[0][-1]} {table[1]['b'] if a > 0 else not b} {max(*numbers)} {0 < a < 9}"
"""


def run(source: str, call: str) -> tuple[Any, list[tuple[str, Any]]]:
    """Return the result of a call in a rewritten source, and the reported texts with their values, in order."""
    new, lines = rewritten(source), source.splitlines()
    seen: list[tuple[str, Any]] = []

    def report(place: int, value: Any) -> Any:
        spot = new.spots[place]
        assert spot.line == spot.end_line
        seen.append((lines[spot.line - 1].encode()[spot.column : spot.end_column].decode(), value))
        return value

    names: dict[str, Any] = {REPORT: report}
    exec(compile(new.tree, "file", "exec"), names)
    return eval(call, names), seen


def test_every_sub_expression_reports_value_and_place() -> None:
    value, seen = run("def f(x, y):\n    é = 'é'; return (x - y) / abs(-y)\n", "f(6, 2)")
    assert value == 2
    assert seen == [("x", 6), ("y", 2), ("x - y", 4), ("y", 2), ("-y", -2), ("abs(-y)", 2), ("(x - y) / abs(-y)", 2)]


def test_behaviour_of_a_source_stays_the_same() -> None:
    names: dict[str, Any] = {}
    exec(LAYER, names)
    call = "Layer(5, shift=4).run([1, 2, 3, 5, 8])"
    assert run(LAYER, call)[0] == eval(call, names)


def test_a_loop_reports_each_iteration() -> None:
    _value, seen = run("def f(xs):\n    return [x * 2 for x in xs]\n", "f([1, 2, 3])")
    assert [value for text, value in seen if text == "x * 2"] == [2, 4, 6]


def test_updated_target_reports_its_new_value() -> None:
    _value, seen = run("def f(x):\n    x += 1\n    return x\n", "f(2)")
    assert seen[0] == ("x += 1", 3)


def test_assigned_item_reports_the_whole_container() -> None:
    _value, seen = run("def f(x):\n    x[0] = 5\n    x[1] += 1\n    return 1\n", "f([1, 2])")
    assert [text for text, _value in seen] == ["x[0] = 5", "x[1] += 1"] and seen[0][1] == [5, 3]


def test_the_names_of_a_tuple_report_their_values() -> None:
    value, seen = run("def f(x):\n    a, (b, c) = x\n    return a + b + c\n", "f((1, (2, 3)))")
    assert value == 6 and ("a", 1) in seen


def test_replaced_name_keeps_its_new_value() -> None:
    new = rewritten("def f(x):\n    a, b = x\n    return a + a * b\n")
    [place] = [number for number, spot in enumerate(new.spots) if spot.kind is SpotKind.UNPACKED][:1]
    names: dict[str, Any] = {REPORT: lambda number, value: 10 if number == place else value}
    exec(compile(new.tree, "file", "exec"), names)
    assert names["f"]((1, 2)) == 30


@pytest.mark.parametrize(
    "source",
    [
        "x = 1 + 2\n",
        "class A:\n    x = 1 + 2\n",
        "@torch.jit.script\ndef f(x):\n    return x + 1\n",
        "@torch.compile\ndef f(x):\n    return x + 1\n",
        "def f(x: a.b = c + 1):\n    raise ValueError(x + 1)\n",
        "def f(x):\n    assert x + 1\n    del x\n",
        "async def f(x):\n    return x + 1\n",
    ],
)
def test_code_outside_plain_functions_is_left_alone(source: str) -> None:
    new = rewritten(source)
    assert new.spots == () and ast.dump(new.tree) == ast.dump(ast.parse(source))


def test_places_are_numbered_reproducibly() -> None:
    assert rewritten(LAYER).spots == rewritten(LAYER).spots


def test_the_lines_of_a_traceback_stay_the_same() -> None:
    source = "def f(x):\n    y = (x +\n         1)\n    return y / 0\n"
    names: dict[str, Any] = {REPORT: lambda place, value: value}
    exec(compile(rewritten(source).tree, "file", "exec"), names)
    with pytest.raises(ZeroDivisionError) as raised:
        names["f"](1)
    assert raised.traceback[-1].lineno == 3


def test_a_source_of_too_many_places_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rewriting, "MOST_PLACES", 3)
    assert rewritten("def f(x):\n    return x + x\n").spots and not rewritten("def f(x):\n    return x + x + x\n").spots


def test_invalid_python_is_a_syntax_error() -> None:
    with pytest.raises(SyntaxError):
        rewritten("def")
