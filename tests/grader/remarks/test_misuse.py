"""A result of the wrong form is told like an exception: a missing result, a tuple, or a changed input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from normgrade.compare.played import Played
from normgrade.inspection.program import program_of
from normgrade.language.places import Place
from normgrade.oracle.expected import Expectation, Expected
from normgrade.remarks.misuse import misuse
from normgrade.report.report import Raised
from normgrade.worker.wire.observation import Array, Foreign, Observation, Reason, Value
from normgrade.worker.wire.requests import FORWARD_BACKWARD, FUNCTION, FunctionCall, LayerStory, TypedRequest

ZEROS = Array(np.zeros(2), "float64")
CALL = FunctionCall("f", [ZEROS])
TUPLE = Foreign(Reason.TYPE, "tuple")


def told(source: str, request: TypedRequest, expected: dict[str, Value], seen: dict[str, Any]) -> Raised | None:
    program = program_of(source)
    assert program is not None
    places = {
        Place.of(place): Expected(value, "float32" if isinstance(value, Array) else None, np.zeros(2)) for place, value in expected.items()
    }
    return misuse(Played(Observation(seen), Expectation(request, places)), program)


def of_call(body: str, value: Value, request: TypedRequest = CALL) -> Raised | None:
    place = "result" if request is CALL else Place("output", step=1)
    return told(f"def f(x):\n    {body}\n", request, {place: ZEROS}, {place: value})


@pytest.mark.parametrize("request_", [CALL, LayerStory(FUNCTION, ["f"])])
def test_a_missing_return_is_told_at_the_last_line(request_: TypedRequest) -> None:
    found = of_call("y = x", None, request_)
    assert found == Raised("`f` ends without `return`", 2, 5, 5, "    y = x", "f", "Add `return` and the result at the end.")


def test_a_conditional_none_is_told_at_the_definition() -> None:
    found = of_call("if x: return x", None)
    assert found is not None and (found.said, found.line, found.width) == ("`f` returned None", 1, 1)


def test_a_tuple_is_told_at_its_return() -> None:
    found = of_call("return x, 1", TUPLE)
    assert found is not None and (found.said, found.column, found.width) == ("`f` returned a value of type `tuple`", 12, 4)


def test_a_layer_is_told_at_its_forward() -> None:
    source = "class Norm:\n    def forward(self, x):\n        pass\n"
    found = told(source, LayerStory("Norm"), {"output": ZEROS}, {"output": None})
    assert found is not None and (found.said, found.line) == ("`forward` ends without `return`", 3)


@pytest.mark.parametrize(
    ("source", "seen"),
    [
        ("def f(x):\n    return x\n", {"result": Array(np.zeros(2, np.float32), "float32")}),
        ("def f(x):\n    return x\n", {"result": Array(np.ones(2, np.float32), "float32")}),
        ("def f(x):\n    return x\n", {"result": Foreign(Reason.SUBCLASS, "Mine")}),
        ("@g\ndef f(x):\n    pass\n", {"result": None}),
        ("f = g\n", {"result": None}),
        ("def f(x):\n    pass\n", {}),
    ],
)
def test_other_results_are_not_told(source: str, seen: dict[str, Any]) -> None:
    assert told(source, CALL, {"result": ZEROS}, seen) is None


def test_a_changed_input_is_told_at_its_change() -> None:
    changed = Array(np.ones(2, np.float32), "float32")
    for place in ("input left alone", Place("argument {number} left alone", number=1)):
        found = told("def f(x):\n    x -= 1\n    return x\n", CALL, {place: ZEROS}, {place: changed})
        assert found is not None and (found.said, found.text) == ("Your code changes its input in place", "    x -= 1")
    elsewhere = told("def f(x):\n    return g(x)\n", CALL, {"input left alone": ZEROS}, {"input left alone": changed})
    assert elsewhere is not None and elsewhere.line == 0 and elsewhere.advice


@pytest.mark.parametrize(
    ("end", "kind", "said"),
    [
        ("dx = dy", "NoneType", "`backward` ends without `return`"),
        ("return dy", "ndarray", "`backward` returned a value of type `ndarray`"),
    ],
)
def test_gradients_outside_a_tuple_are_told(end: str, kind: str, said: str) -> None:
    source = f"def forward(x):\n    return x, x\ndef backward(dy, cache):\n    {end}\n"
    place = Place("what holds the gradients", step=1)
    found = told(source, LayerStory(FORWARD_BACKWARD, ["forward"]), {place: "tuple"}, {place: kind})
    assert found is not None and (found.said, found.line) == (said, 4)
