"""Values in words, in both languages."""

from __future__ import annotations

import numpy as np
import pytest

from normgrade.compare.value_words import in_words
from normgrade.language import ENGLISH, speak
from normgrade.language.places import Absent
from normgrade.worker.wire.observation import Array, Foreign, Reason, Value

DENSE = ("torch.strided", "cpu")
VALUES: list[tuple[Value, str, str]] = [
    (Array(np.ones((2, 3)), "float64"), "a float64 tensor of shape (2, 3)", "形状为 (2, 3) 的 float64 张量"),
    (Foreign(Reason.TYPE, "list"), "a list", "一个 list"),
    (Foreign(Reason.TYPE, "object"), "an object", "一个 object"),
    (Foreign(Reason.TYPE, "Odd"), "an Odd", "一个 Odd"),
    (Foreign(Reason.SUBCLASS, "Mine"), "a Mine, not a plain torch.Tensor", "一个 Mine，不是普通的 torch.Tensor"),
    (Foreign(Reason.SUBCLASS, "Own"), "an Own, not a plain torch.Tensor", "一个 Own，不是普通的 torch.Tensor"),
    (
        Foreign(Reason.FORM, "Tensor", "complex64", (2,), "torch.strided", "cpu"),
        "a complex64 tensor of shape (2,), torch.strided on cpu",
        "形状为 (2,) 的 complex64 张量，torch.strided，位于 cpu",
    ),
    (Foreign(Reason.SIZE, "int"), "a huge int", "一个极大的整数"),
    (
        Foreign(Reason.SIZE, "Tensor", "float32", (2, 3), *DENSE),
        "a float32 tensor of shape (2, 3), too large to inspect",
        "形状为 (2, 3) 的 float32 张量，太大，无法查看",
    ),
    (
        Foreign(Reason.SIZE, "ndarray", "float32", ()),
        "a float32 array of shape (), too large to inspect",
        "形状为 () 的 float32 数组，太大，无法查看",
    ),
    (Absent("bias"), "no bias; the layer has no parameters and no buffers", "没有 bias；该层既没有参数也没有缓冲区"),
    (Absent("weight", ("gamma",)), "no weight; the layer has gamma", "没有 weight；该层有 gamma"),
    (Absent("weight", ("gamma", "beta")), "no weight; the layer has gamma, beta", "没有 weight；该层有 gamma, beta"),
]


@pytest.fixture(params=[ENGLISH, "zh"])
def language(request: pytest.FixtureRequest) -> str:
    speak(request.param)
    return str(request.param)


@pytest.mark.parametrize(("value", "english", "chinese"), VALUES)
def test_every_kind_of_value_has_its_words(language: str, value: Value, english: str, chinese: str) -> None:
    assert in_words(value) == (english if language == ENGLISH else chinese)


@pytest.mark.parametrize("value", [None, True, 0, 0.5, "text", "nothing", "a list", "no weight; the layer has gamma"])
def test_scalars_and_texts_are_their_own_words(language: str, value: Value) -> None:
    assert in_words(value) == value and type(in_words(value)) is type(value)


def test_numbers_can_be_given_the_native_dtype() -> None:
    assert in_words(Array(np.ones(2), "float64"), "float32") == "a float32 tensor of shape (2,)"


@pytest.mark.parametrize("reason", Reason)
def test_an_empty_description_has_words_too(reason: Reason) -> None:
    """Describe values without any detail, as a forged answer may contain them."""
    for shape in (None, (), (2**62,) * 32):
        for dtype in (None, "", "[bold red]"):
            words = in_words(Foreign(reason, "", dtype, shape))
            assert isinstance(words, str) and words


def test_names_from_outside_are_made_visible() -> None:
    assert in_words(Foreign(Reason.TYPE, "\x1b[31mRed")) == "a ·[31mRed"
    assert in_words(Absent("weight", ("g\r", "b"))) == "no weight; the layer has g·, b"
