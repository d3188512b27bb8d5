"""Calls that a user types."""

from __future__ import annotations

import numpy as np
import pytest

from normgrade.course.course import Course
from normgrade.language.errors import UsageError
from normgrade.learner.typed_call import build_of, builders_of
from normgrade.learner.workspace import find_course
from normgrade.suite.story import Build, build, forward_backward, function, identity, linear


@pytest.fixture(scope="module")
def course() -> Course:
    return find_course(None)


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
        ("softmax", "softmax(x)", "x at line 1, column 9 of CALL is not a literal"),
        ("softmax", "softmax(dim=open('a'))", "open('a') at line 1, column 13 of CALL is not a literal"),
    ],
)
def test_any_other_call_is_refused(slug: str, text: str, said: str, course: Course) -> None:
    with pytest.raises(UsageError) as refused:
        build_of(text, course.exercise(slug))
    assert str(refused.value).startswith(said)


def test_builders_are_found_in_the_source_of_the_probes(course: Course, tiny: Course) -> None:
    assert builders_of(course.exercise("spectral_norm")) == ["normed_linear"]
    assert builders_of(tiny.exercise("rms")) == builders_of(tiny.exercise("centring")) == []
