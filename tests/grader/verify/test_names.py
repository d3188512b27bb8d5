"""The names of a new exercise and of its definitions, and the messages about refused names."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from normgrade.course.course import Course
from normgrade.course.signature import Signature
from normgrade.language.errors import UsageError
from normgrade.verify.names import USUAL, checked_contract, checked_slug, refuse_taken


def said(action: Callable[[], object]) -> str:
    with pytest.raises(UsageError) as caught:
        action()
    return str(caught.value)


@pytest.mark.parametrize("slug", ["softmax", "weight_norm", "l1_batch_norm"])
def test_a_slug_is_a_module_name(slug: str) -> None:
    assert checked_slug(slug) == slug


@pytest.mark.parametrize("slug", ["WeightNorm", "weight-norm", "1st", "", "../x", "a/b", "softmáx", "_x", "x.py", "a b"])
def test_other_slugs_are_refused(slug: str) -> None:
    assert said(lambda: checked_slug(slug)) == (
        f'"{slug}" is not a valid name for an exercise. Use lower-case letters, digits and "_", as in weight_norm.'
    )


def test_a_keyword_is_refused_as_a_slug() -> None:
    assert said(lambda: checked_slug("lambda")) == '"lambda" is a Python keyword, and cannot be imported. Choose another name.'


@pytest.mark.parametrize("slug", ["random", "torch", "numpy"])
def test_a_slug_that_would_hide_a_library_is_refused(slug: str) -> None:
    assert said(lambda: checked_slug(slug)) == (f'"{slug}" is the name of a library, and {slug}.py would shadow it. Choose another name.')


def test_a_contract_is_one_signature_or_more() -> None:
    assert [str(each) for each in checked_contract(["f(x, dim=-1)", "F(x, shape=(1, 2), mode='a')"], numpy=False)] == [
        "f(x, dim=-1)",
        "F(x, shape=(1, 2), mode='a')",
    ]
    assert [each.name for each in checked_contract(USUAL, numpy=True)] == ["forward", "backward"]


@pytest.mark.parametrize(
    ("texts", "numpy", "why"),
    [
        (
            [],
            False,
            'Missing argument: SIGNATURE. Pass the signature of each class or function: `normgrade new SLUG "WeightNorm(weight, dim=0)"`.',
        ),
        (
            ["F(x"],
            False,
            '"F(x" is not a valid signature (\'F(x\' cannot be read). Write it like "LayerNorm(normalized_shape, eps=1e-5)".',
        ),
        (
            ["F(x: int)"],
            False,
            "\"F(x: int)\" is not a valid signature ('F(x: int)' has more than names and defaults). "
            'Write it like "LayerNorm(normalized_shape, eps=1e-5)".',
        ),
        (["F(x=y)"], False, '"F(x=y)": the default of "x" cannot be y. Use a number, a string, a tuple, True, False or None.'),
        (["f(x)", "f(y)"], False, '"f" is given twice. Use a different name for each class and function.'),
        (["F(x)"], True, '"F" is a class, but a NumPy exercise has only functions. Begin the name with a lower-case letter.'),
    ],
)
def test_an_invalid_contract_is_refused(texts: list[str], numpy: bool, why: str) -> None:
    assert said(lambda: checked_contract(texts, numpy)) == why


def test_a_name_is_taken_by_another_exercise(tiny: Course) -> None:
    refuse_taken(tiny, "rms", [Signature.parse("rms(x, eps=1e-5)")])
    refuse_taken(tiny, "other", [Signature.parse("rms(x)")])
    assert said(lambda: refuse_taken(tiny, "rms", [Signature.parse("RMS(x)")])) == (
        'The exercise "rms" already exists, and defines rms(x, eps=1e-05). '
        "Choose another name, or pass the same signature to add its missing files."
    )
