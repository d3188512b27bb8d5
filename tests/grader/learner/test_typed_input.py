"""Inputs that a user types."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from normgrade.language.errors import UsageError
from normgrade.learner import typed_input
from normgrade.learner.typed_input import inputs_of


def test_a_list_has_the_requested_dtype() -> None:
    [plain], [wide], [half] = (inputs_of(["[[0.1, 2, True]]"], dtype) for dtype in (None, "float64", "bfloat16"))
    assert plain.dtype == "float32" and plain.values.tolist() == [[np.float32(0.1), 2.0, 1.0]]
    assert wide.dtype == "float64" and wide.values[0, 0] == 0.1
    assert half.dtype == "bfloat16" and half.values.dtype == np.float32
    assert [each.values.shape for each in inputs_of(["3", "[]", "[[], []]"], None)] == [(), (0,), (2, 0)]


def test_a_file_contains_an_array_or_a_list(here: Path) -> None:
    np.save("wide.npy", np.array([[1.5, 2.5]]))
    np.save("whole.npy", np.arange(3))
    (here / "list.txt").write_text("# four\n[[1, 2],\n [3, 4]]\n", encoding="utf-8")
    wide, whole, listed = inputs_of(["wide.npy", "whole.npy", "list.txt"], None)
    assert (wide.dtype, whole.dtype, listed.dtype) == ("float64", "float32", "float32")
    assert wide.values.tolist() == [[1.5, 2.5]] and listed.values.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert inputs_of(["wide.npy"], "float16")[0].dtype == "float16"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[1, 2], [3]]", "INPUT is ragged: INPUT[0] has the shape (2,), and INPUT[1] has (1,)."),
        ("[[1], [2, 3], 4]", "INPUT is ragged: INPUT[0] has the shape (1,), and INPUT[1] has (2,)."),
        ("[[1, '2']]", "INPUT[0][1] is '2', which is not a number."),
        ("[None]", "INPUT[0] is None, which is not a number."),
        ("[x]", "x at line 1, column 2 of INPUT is not a literal"),
        ("[1" + "0" * 400 + "]", "INPUT cannot be converted to an array: int too large to convert to float."),
        ("gone.npy", '"gone.npy" cannot be read (No such file or directory). INPUT must be a list, or a .npy, .txt or .py file.'),
        ("objects.npy", '"objects.npy" is not an array of numbers written by `numpy.save`.'),
        ("text.npy", '"text.npy" is not an array of numbers written by `numpy.save`.'),
        ("complex.npy", '"complex.npy" is not an array of real numbers. Save one with `numpy.save`.'),
        ("code.py", 'print(1) at line 1, column 1 of "code.py" is not a literal'),
        ("latin.txt", '"latin.txt" is not UTF-8: byte 2 is 0xe9. Save it as UTF-8.'),
        ("folder.npy", '"folder.npy" cannot be read ('),
        ("link.npy", '"link.npy" cannot be read ('),
    ],
)
def test_invalid_inputs_are_refused(text: str, said: str, here: Path) -> None:
    np.save("objects.npy", np.array([{}], dtype=object))
    np.save("complex.npy", np.array([1j]))
    (here / "text.npy").write_text("[1, 2]", encoding="utf-8")
    (here / "code.py").write_text("print(1)", encoding="utf-8")
    (here / "latin.txt").write_bytes(b"[\xe9]")
    (here / "folder.npy").mkdir()
    (here / "link.npy").symlink_to("complex.npy")
    with pytest.raises(UsageError) as refused:
        inputs_of([text], None)
    assert str(refused.value).startswith(said)


def test_large_inputs_are_refused(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(typed_input, "MOST_NUMBERS", 3)
    assert len(inputs_of(["[1, 2]", "[3]"], None)) == 2
    with pytest.raises(UsageError, match=r"^The inputs have 4 numbers\. Use at most 3\.$"):
        inputs_of(["[1, 2]", "[3, 4]"], None)
    (here / "long.txt").write_text("[1, 2, 3]", encoding="utf-8")
    monkeypatch.setattr(typed_input, "MOST_BYTES", 5)
    with pytest.raises(UsageError, match=r'^"long\.txt" is larger than 5 bytes\. Use fewer numbers\.$'):
        inputs_of(["long.txt"], None)
