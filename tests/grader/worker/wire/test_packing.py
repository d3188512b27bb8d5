"""Tests of packing: a packed value is unpacked unchanged, and any other bytes raise a ProtocolError."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

from normgrade.language.places import Absent
from normgrade.worker.wire.codec import DEPTH
from normgrade.worker.wire.framing import ProtocolError
from normgrade.worker.wire.observation import Array, Foreign, Reason
from normgrade.worker.wire.packing import DTYPES, pack, unpack

TENSOR = Foreign(Reason.FORM, "Tensor", "complex64", (2, 0), "torch.strided", "cpu")


def back(value: Any) -> Any:
    """Return a value after packing and unpacking."""
    header, arrays = pack(value)
    return unpack(header, b"".join(arrays))


def array_back(array: Array) -> Array:
    found = back([array])[0]
    assert isinstance(found, Array)
    return found


def refuse(value: Any, message: str, body: bytes = b"") -> None:
    header = value if isinstance(value, bytes) else json.dumps(value).encode()
    with pytest.raises(ProtocolError, match=message):
        unpack(header, body)


@pytest.mark.parametrize("dtype", [name for name in DTYPES if name != "bfloat16"])
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3), (2, 0, 5), (1, 2, 3, 4)])
def test_arrays_come_back_as_they_were(dtype: str, shape: tuple[int, ...]) -> None:
    values = np.random.default_rng(0).integers(0, 2, shape).astype(dtype)
    array = array_back(Array(values, dtype))
    assert array.dtype == dtype
    assert array.values.dtype == values.dtype and array.values.shape == shape and (array.values == values).all()


def test_arrays_come_back_writable_and_owned() -> None:
    first, second = back([Array(np.ones(3, np.int8), "int8"), Array(np.arange(3.0), "float64")])
    assert second.values.flags.writeable and second.values.flags.aligned and second.values.flags.owndata
    first.values[:] = 2
    assert second.values.tolist() == [0, 1, 2]


@pytest.mark.parametrize("values", [np.arange(12.0).reshape(3, 4).T, np.arange(12.0)[::-2]])
def test_memory_order_does_not_matter(values: np.ndarray[Any, Any]) -> None:
    assert (array_back(Array(values, "float64")).values == values).all()


def test_numbers_of_another_byte_order_are_refused() -> None:
    with pytest.raises(ProtocolError, match="declared as float64 that contains >f8"):
        pack(Array(np.ones(2, ">f8"), "float64"))


def test_bfloat16_takes_two_bytes_and_is_exact() -> None:
    values = np.array([1.0, -2.5, 3.3895314e38, math.inf, -0.0, 9.2e-41], np.float32)
    values = (values.view(np.uint32) & 0xFFFF0000).view(np.float32)
    assert [len(each) for each in pack(Array(values, "bfloat16"))[1]] == [12]
    array = array_back(Array(values, "bfloat16"))
    assert array.dtype == "bfloat16" and array.values.tobytes() == values.tobytes()
    assert array_back(Array(values.reshape(2, 3).T, "bfloat16")).values.tobytes() == values.reshape(2, 3).T.tobytes()


def test_a_nan_stays_nan_in_bfloat16() -> None:
    values = np.array([0x7F800001, 0xFFC00000], np.uint32).view(np.float32)
    assert np.isnan(array_back(Array(values, "bfloat16")).values).all()


def test_a_number_that_bfloat16_cannot_hold_is_refused() -> None:
    with pytest.raises(ProtocolError, match=r"0\.1.* in an array of bfloat16, which cannot represent it"):
        pack(Array(np.array([1.0, 0.1], np.float32), "bfloat16"))


@pytest.mark.parametrize(
    "value",
    [
        None, True, False, 0, -(2**63), 2**63 - 1, 0.1, math.inf, -math.inf, "", "σ² ≥ 0\n", [], (), {},
        [[()]], {"": [1, (2, {"a": None})]}, Foreign(Reason.TYPE, "list"), TENSOR, Absent("weight"), Absent("weight", ("gamma", "beta")),
    ],
)  # fmt: skip
def test_other_values_come_back_with_their_type(value: Any) -> None:
    assert back(value) == value and type(back(value)) is type(value)


def test_a_scalar_nan_comes_back() -> None:
    assert math.isnan(back(math.nan))


def test_a_lone_surrogate_becomes_a_question_mark() -> None:
    assert back({"x": "\udc80"}) == {"x": "?"}


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({1, 2}, "a set cannot be sent"),
        ([np.float32(1)], "a float32 cannot be sent; send numbers as an Array"),
        ((np.ones(2),), "a ndarray cannot be sent; send numbers as an Array"),
        ({"$array": 1}, r"the name '\$array'"),
        ({"x": {3: 1}}, "the name 3"),
        (2**63, "an int of more than 64 bits"),
        (Array(np.ones(2), "complex64"), "an array of dtype 'complex64'"),
        (Array(np.ones(2), "float32"), "declared as float32 that contains float64"),
    ],
)
def test_unpackable_value_is_named(value: Any, message: str) -> None:
    with pytest.raises(ProtocolError, match=message):
        pack(value)


@pytest.mark.parametrize(
    ("header", "message"),
    [
        (b"", "cannot be read"),
        (b"\xff\xfe", "cannot be read"),
        (b"\xef\xbb\xbf{}", "cannot be read"),
        (b"{", "cannot be read"),
        (b"[" * 60000, "cannot be read"),
        (b'{"values":' * 6000, "cannot be read"),
        (b'{"x":' + b"9" * 5000 + b"}", "cannot be read"),
        (b'{"x":1,"x":2}', "a duplicate field"),
        (b'{"x":[{"y":1,"y":1}]}', "a duplicate field"),
        (b'{"\\ud800":1}', "expected a text"),
        (b'"\\udfff"', "expected a text"),
        (b"[9223372036854775808]", "an int of more than 64 bits"),
        (b"-9223372036854775809", "an int of more than 64 bits"),
        (b"[" * (DEPTH + 2) + b"]" * (DEPTH + 2), "values nested more than 32 levels deep"),
        (b'{"x":' * (DEPTH + 1) + b"0" + b"}" * (DEPTH + 1), "values nested more than 32 levels deep"),
        (b'{"$tuple":[' * (DEPTH + 1) + b"0" + b"]}" * (DEPTH + 1), "values nested more than 32 levels deep"),
        (b'{"$other":1}', r"the name '\$other'"),
        (b'{"$array":["int8",[0]],"y":1}', r"the name '\$array'"),
        (b'{"$tuple":[],"y":1}', r"the name '\$tuple'"),
        (b'{"$tuple":{}}', "a list of any number"),
    ],
)
def test_a_wrong_header_is_refused(header: bytes, message: str) -> None:
    refuse(header, message)


def test_values_may_have_the_greatest_depth() -> None:
    nested: Any = 0
    for _ in range(DEPTH):
        nested = [nested]
    assert back(nested) == nested


@pytest.mark.parametrize(
    ("description", "message"),
    [
        (None, "a list of 2 items"),
        (["int8"], "a list of 2 items"),
        ([1, [1]], "expected a text"),
        ([[], [1]], "expected a text"),
        (["object", [1]], "dtype 'object'"),
        (["|O", [1]], r"dtype '\|O'"),
        (["int8", 4], "a list of any number"),
        (["int8", [-4]], "non-negative integer"),
        (["int8", [True, 4]], "non-negative integer"),
        (["int8", [4.0]], "non-negative integer"),
        (["int8", [2**63]], "non-negative integer"),
        (["int8", [1] * 33 + [4]], "34 dimensions; at most 32 are allowed"),
        (["int8", [5]], "an array of 5 bytes, but only 4 bytes are left"),
        (["int8", [3]], "1 bytes that do not belong to an array"),
        (["float64", [2**32, 2**31]], "more bytes than the address space"),
        (["int8", [0, 2**62, 2**62]], "more bytes than the address space"),
        (["bool", [4]], "a bool that is neither 0 nor 1"),
    ],
)
def test_a_wrong_array_is_refused(description: Any, message: str) -> None:
    refuse({"$array": description}, message, b"\1\0\1\2")


def test_empty_array_of_huge_shape_is_accepted() -> None:
    array = unpack(b'{"$array":["int8",[0,4611686018427387904]]}', b"")
    assert isinstance(array, Array) and array.values.shape == (0, 2**62)


def test_two_arrays_cannot_share_their_bytes() -> None:
    one = {"$array": ["int8", [4]]}
    refuse({"x": one, "y": one}, "an array of 4 bytes, but only 0 bytes are left", b"\0\0\0\0")


def test_bytes_without_an_array_are_refused() -> None:
    refuse([], "4 bytes that do not belong to an array", b"\0\0\0\0")


@pytest.mark.parametrize(
    ("at", "wrong"), [(0, "other"), (0, None), (1, None), (1, 3), (2, 1), (3, 3), (3, [-1]), (3, "2"), (4, 1), (5, ["cpu"]), (5, "\ud800")]
)
def test_a_wrong_description_is_refused(at: int, wrong: Any) -> None:
    described = ["form", "Tensor", "complex64", [2], "torch.strided", "cpu"]
    assert unpack(json.dumps({"$foreign": described}).encode(), b"").shape == (2,)
    described[at] = wrong
    refuse({"$foreign": described}, "expected|is not a valid Reason")


@pytest.mark.parametrize("described", [None, [], ["form"], ["form", "Tensor", None, None, None, None, None], {"reason": "form"}])
def test_a_description_of_another_length_is_refused(described: Any) -> None:
    refuse({"$foreign": described}, "a list of 6 items")


@pytest.mark.parametrize("described", [None, ["weight"], [1, []], ["weight", None], ["weight", "ab"], ["weight", [1]], ["w", [], []]])
def test_malformed_absent_name_is_refused(described: Any) -> None:
    refuse({"$absent": described}, "expected")


def test_own_data_may_name_fields_twice_but_is_checked() -> None:
    assert unpack(b'{"x":1,"x":2}', b"", ours=True) == {"x": 2}
    for header in (b"{", b"\xff", b'{"$array":["int8",[2]]}', b'{"$array":["int8",[-1]]}', b'{"$array":7}', b'{"$other":1}'):
        with pytest.raises(ProtocolError):
            unpack(header, b"", ours=True)
