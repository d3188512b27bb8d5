"""Calls and inputs that a user types."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
import pytest

from normgrade.course.course import Course
from normgrade.language.errors import UsageError
from normgrade.learner.typed_play import build_of, builders_of, expression, inputs_of, value_of
from normgrade.learner.workspace import find_course
from normgrade.suite.story import Build, build, forward_backward, function, identity, linear


@pytest.fixture(scope="module")
def course() -> Course:
    return find_course(None)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3),
        (" -1e-5 ", -1e-5),
        ("[True, None, 'a']", [True, None, "a"]),
        ("(1, (2,), -inf)", (1, (2,), -inf)),
        ("identity()", identity()),
    ],
)
def test_literals_have_values(text: str, value: Any) -> None:
    assert value_of(expression(text, "HERE"), "HERE") == value


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[1, 2", "HERE cannot be read: '[' was never closed."),
        ("\0", "HERE cannot be read: source code"),
        ("[1, x]", "x in HERE is not a literal. Write a number, a string, True, False, None or a list."),
        ("1 + 2", "1 + 2 in HERE is not a literal."),
        ("-'a'", "-'a' in HERE is not a literal."),
        ("1j", "1j in HERE is not a literal."),
        ("open('a')", "open('a') in HERE is not a literal."),
        ("linear(1, 2, 3, 4)", "linear(1, 2, 3, 4) in HERE cannot be created: "),
        ("linear(**{})", "** in HERE is not a literal. Write each argument with its name."),
    ],
)
def test_nothing_else_is_evaluated(text: str, said: str) -> None:
    with pytest.raises(UsageError) as refused:
        value_of(expression(text, "HERE"), "HERE")
    assert str(refused.value).startswith(said)


def test_inputs_have_the_requested_dtype() -> None:
    [plain], [wide], [half] = (inputs_of(["[[0.1, 2, True]]"], dtype) for dtype in (None, "float64", "bfloat16"))
    assert plain.dtype == "float32" and plain.values.tolist() == [[np.float32(0.1), 2.0, 1.0]]
    assert wide.dtype == "float64" and wide.values[0, 0] == 0.1
    assert half.dtype == "bfloat16" and half.values.dtype == np.float32
    assert [each.values.shape for each in inputs_of(["3", "[]", "[[], []]"], None)] == [(), (0,), (2, 0)]


@pytest.mark.parametrize(
    "text", ["[[1, 2], [3]]", "[[1], [2, 3], 4]", "[[1, '2']]", "[None]", "None", "[1" + "0" * 400 + "]", "identity()"]
)
def test_an_input_is_a_nested_list_of_numbers(text: str) -> None:
    with pytest.raises(UsageError) as refused:
        inputs_of([text], None)
    assert str(refused.value) == "INPUT must be a nested list of numbers. Lists beside each other have the same length."


@pytest.mark.parametrize(
    ("slug", "text", "meant"),
    [
        ("layer_norm", "LayerNorm((2, 3), eps=-1e-5)", build((2, 3), eps=-1e-5).named("LayerNorm")),
        ("softmax", "softmax(dim=0)", function("softmax", dim=0)),
        ("layer_norm_backward", "forward(eps=0.1)", forward_backward(eps=0.1)),
        ("pre_post_norm", "PreNormStack(6, [linear(6, 6), identity()])", build(6, [linear(6, 6), identity()]).named("PreNormStack")),
        ("spectral_norm", "normed_linear(2, 3)", build(2, 3).named("normed_linear")),
    ],
)
def test_a_call_begins_a_story(slug: str, text: str, meant: Build, course: Course) -> None:
    assert build_of(text, course.exercise(slug)) == meant


def test_a_tensor_can_be_an_argument(course: Course) -> None:
    [weight] = build_of("with_weight(tensor([[3., 4.]]))", course.exercise("weight_norm")).args
    assert weight.dtype == np.float32 and weight.tolist() == [[3.0, 4.0]]


@pytest.mark.parametrize(
    ("slug", "text", "said"),
    [
        ("layer_norm", "LayerNrom(4)", 'layer_norm has no "LayerNrom" to call. Did you mean "LayerNorm"? Choose from LayerNorm.'),
        ("layer_norm_backward", "backward(1)", 'layer_norm_backward has no "backward" to call. Choose from forward.'),
        ("softmax", "softmax", "CALL must be a call such as `softmax(x, dim=-1)`."),
        ("softmax", "torch.softmax()", "CALL must be a call such as"),
        ("softmax", "softmax(dim=open('a'))", "open('a') in CALL is not a literal"),
    ],
)
def test_any_other_call_is_refused(slug: str, text: str, said: str, course: Course) -> None:
    with pytest.raises(UsageError) as refused:
        build_of(text, course.exercise(slug))
    assert str(refused.value).startswith(said)


def test_builders_are_found_in_the_source_of_the_probes(course: Course, tiny: Course) -> None:
    assert builders_of(course.exercise("spectral_norm")) == ["normed_linear"]
    assert builders_of(tiny.exercise("rms")) == builders_of(tiny.exercise("centring")) == []
