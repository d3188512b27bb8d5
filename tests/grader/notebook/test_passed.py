"""The things that are passed to `check`: their names, and the exercise to which they belong."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, partial
from types import GenericAlias, ModuleType
from typing import Any

import pytest

from normgrade.course.course import Course
from normgrade.language.errors import UsageError
from normgrade.notebook.passed import exercise_for, name_of


class Norm:
    def __call__(self) -> None: ...

    def forward(self) -> None: ...


class Shy:
    def __getattr__(self, name: str) -> object:
        raise RuntimeError(name)

    def __call__(self) -> None: ...


def plain(x: Any) -> Any:
    return x


@cache
def cached(x: Any) -> Any:
    return x


named = lambda x: x  # noqa: E731


def refusal(function: Callable[..., object], *arguments: object) -> str:
    with pytest.raises(UsageError) as raised:
        function(*arguments)
    return str(raised.value)


@pytest.mark.parametrize(("thing", "name"), [(Norm, "Norm"), (plain, "plain"), (cached, "cached"), (named, "named")])
def test_a_thing_has_the_name_of_its_definition(thing: object, name: str) -> None:
    assert name_of(thing) == name


@pytest.mark.parametrize("thing", [3, None, "LayerNorm", math, ModuleType("mine"), object(), [Norm], GenericAlias(list, int)])
def test_other_things_are_refused(thing: object) -> None:
    said = refusal(name_of, thing)
    assert said.startswith("Cannot grade ")
    assert said.endswith(": it is neither a class nor a function. Pass the class or function that you defined, as in check(…, LayerNorm).")


@pytest.mark.parametrize(
    ("thing", "name"),
    [
        (Norm(), "Norm"),
        (Norm().forward, "Norm"),
        (partial(Norm), "Norm"),
        (partial(plain, 1), "plain"),
        pytest.param(Shy(), "Shy", id="shy"),
    ],
)
def test_an_instance_is_refused_and_its_definition_named(thing: object, name: str) -> None:
    assert refusal(name_of, thing).endswith(f"Pass the class or function that you defined, as in check(…, {name}).")


@pytest.mark.parametrize(
    ("thing", "name"), [(len, "len"), (dict, "dict"), (math.sqrt, "sqrt"), (pytest.raises, "raises"), (str.join, "join")]
)
def test_library_definitions_are_refused(thing: object, name: str) -> None:
    assert refusal(name_of, thing) == f'"{name}" comes with Python or a library. Pass a class or a function that you wrote.'


def test_a_lambda_without_a_name_is_refused() -> None:
    assert refusal(name_of, lambda x: x) == "A lambda without a name cannot be graded. Write it as a function: `def softmax(…): …`."


@pytest.mark.parametrize(
    ("names", "slug"),
    [
        (["LayerNorm"], "layer_norm"),
        (["Helper", "softmax", "normalised"], "softmax"),
        (["PreNorm"], "pre_post_norm"),
        (["DeepNorm", "deepnorm_coefficients", "deepnorm_init_"], "deep_norm"),
    ],
)
def test_names_tell_the_exercise(names: list[str], slug: str) -> None:
    assert exercise_for(names, Course.find()) == slug


def test_names_of_several_exercises_are_refused() -> None:
    said = refusal(exercise_for, ["forward", "backward"], Course.find())
    assert said.startswith("Several exercises ask for forward, backward: softmax_backward, rms_norm_backward, ")
    assert said.endswith('. Choose one, as in check("softmax_backward", forward, backward).')


@pytest.mark.parametrize(("names", "meant"), [(["Layernorm"], ' Did you mean "LayerNorm"?'), (["Wavelet", "mask"], "")])
def test_names_of_no_exercise_are_refused(names: list[str], meant: str) -> None:
    passed = ", ".join(names)
    said = f'No exercise asks for {passed}.{meant} Pass the exercise too, as in check("layer_norm", {passed}).'
    assert refusal(exercise_for, names, Course.find()) == said
