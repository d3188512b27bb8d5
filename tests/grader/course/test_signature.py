"""Signatures as a contract writes them."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from normgrade.course.signature import Parameter, Signature, parameters_of
from normgrade.language.visible import visible

NAMES = st.sampled_from(["x", "eps", "num_features", "é", "_"])
DEFAULTS = st.sampled_from(["1e-05", "0.1", "None", "-1", "'same'", "(1, 2)", "torch.float32"])


def test_names_and_defaults_are_read() -> None:
    signature = Signature.parse("LayerNorm(normalized_shape, eps=1e-5, bias = True)")
    assert signature.name == "LayerNorm"
    assert signature.parameters == (Parameter("normalized_shape"), Parameter("eps", "1e-05"), Parameter("bias", "True"))


def test_a_signature_may_have_no_parameters() -> None:
    assert Signature.parse("  build( ) ") == Signature("build", ())


@pytest.mark.parametrize(("text", "is_class"), [("LayerNorm(dim)", True), ("DyT(dim)", True), ("min_max(x)", False), ("_hidden(x)", False)])
def test_a_capital_first_letter_means_a_class(text: str, is_class: bool) -> None:
    assert Signature.parse(text).is_class is is_class


def test_a_signature_is_written_in_normal_form() -> None:
    assert str(Signature.parse("softmax( x,dim = -1 )")) == "softmax(x, dim=-1)"


@pytest.mark.parametrize("text", ["", "layer_norm", "f(x", "f(x))", "f(a=1, b)", "1f(x)", "async f(x)", "f.g(x)", "f(x)\ng(x)", "f(\0)"])
def test_other_text_is_no_signature(text: str) -> None:
    with pytest.raises(ValueError) as caught:
        Signature.parse(text)
    assert str(caught.value) == f"{visible(text)!r} cannot be read"


@pytest.mark.parametrize(
    "text", ["f(*args)", "f(**kwargs)", "f(*, eps)", "f(x: int)", "f(x) -> int", "f(x): int", "f(x): return 1 #", "f(x): ...; g"]
)
def test_nothing_is_dropped_silently(text: str) -> None:
    with pytest.raises(ValueError) as caught:
        Signature.parse(text)
    assert str(caught.value) == f"{text!r} has more than names and defaults"


def test_keyword_only_parameters_are_left_out() -> None:
    [function] = ast.parse("def f(a, /, b, c=1, *args, d=2, **kwargs): ...").body
    assert isinstance(function, ast.FunctionDef)
    assert parameters_of(function.args) == (Parameter("a"), Parameter("b"), Parameter("c", "1"))


@given(st.lists(NAMES, unique=True), st.lists(DEFAULTS, max_size=5))
@settings(max_examples=50, deadline=None, derandomize=True)
def test_a_written_signature_is_read_back(names: list[str], defaults: list[str]) -> None:
    written = [None] * (len(names) - len(defaults)) + defaults
    parameters = tuple(Parameter(name, default) for name, default in zip(names, written, strict=False))
    signature = Signature("f", parameters, len(parameters) // 2)
    assert Signature.parse(str(signature)) == signature
