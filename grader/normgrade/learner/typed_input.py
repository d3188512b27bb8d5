"""Inputs that a learner types for an exercise: nested lists of numbers, or files that hold them."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from normgrade.course.files import TooLarge, read_plain
from normgrade.grading.trial import input_of
from normgrade.language import _
from normgrade.language.errors import UsageError
from normgrade.learner.literals import expression, value_of
from normgrade.worker.wire.observation import Array

MOST_NUMBERS = 1_000_000  # in all inputs together
MOST_BYTES = 32 * 1024**2  # of a file
USUAL = "float32"
DTYPES = (USUAL, "float64", "float16")  # the dtypes that an array in a file keeps
ARRAY, LITERAL = ".npy", (".txt", ".py")  # suffixes of files


class Typed(NamedTuple):
    """Numbers, and the dtype that they have if no other is requested."""

    values: np.ndarray
    dtype: str


def inputs_of(texts: Sequence[str], dtype: str | None) -> tuple[Array, ...]:
    """Return the inputs in this dtype. If it is None, each input keeps the dtype of its file, or becomes float32.

    Raises a UsageError if a text is no input, or if there are too many numbers.
    """
    typed = [array_of(text) for text in texts]
    total = sum(array.values.size for array in typed)
    if total > MOST_NUMBERS:
        raise UsageError(_("The inputs have {total} numbers. Use at most {most}.", total=total, most=MOST_NUMBERS))
    return tuple(input_of(array.values, dtype or array.dtype) for array in typed)


def array_of(text: str) -> Typed:
    """Return the numbers of one INPUT: a file if its suffix is .npy, .txt or .py, else a Python list."""
    path = Path(text)
    if path.suffix == ARRAY:
        return array_in(path, content_of(path))
    if path.suffix not in LITERAL:
        return numbers_of(text, "INPUT")
    try:
        return numbers_of(content_of(path).decode(), f'"{path}"')
    except UnicodeDecodeError as error:
        number, byte = error.start + 1, error.object[error.start]
        said = _('"{path}" is not UTF-8: byte {number} is 0x{byte:02x}. Save it as UTF-8.', path=path, number=number, byte=byte)
        raise UsageError(said) from error


def content_of(path: Path) -> bytes:
    try:
        return read_plain(path, MOST_BYTES)
    except TooLarge as error:
        raise UsageError(_('"{path}" is larger than {limit} bytes. Use fewer numbers.', path=path, limit=MOST_BYTES)) from error
    except OSError as error:
        raise UsageError(
            _('"{path}" cannot be read ({error}). INPUT must be a list, or a .npy, .txt or .py file.', path=path, error=error.strerror)
        ) from error


def array_in(path: Path, content: bytes) -> Typed:
    """Return the array in a file that NumPy saved. Nothing in it is unpickled."""
    try:
        array = np.load(io.BytesIO(content), allow_pickle=False)
    except (ValueError, OSError, EOFError, MemoryError, OverflowError) as error:
        raise UsageError(_('"{path}" is not an array of numbers written by `numpy.save`.', path=path)) from error
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "biuf":
        raise UsageError(_('"{path}" is not an array of real numbers. Save one with `numpy.save`.', path=path))
    return Typed(array, array.dtype.name if array.dtype.name in DTYPES else USUAL)


def numbers_of(text: str, where: str) -> Typed:
    """Return the numbers of a nested list. All lists at the same depth have the same length."""
    values = value_of(expression(text, where), text, where)
    shape_of(values, where)
    try:
        return Typed(np.asarray(values, dtype=np.float64), USUAL)
    except (ValueError, OverflowError) as error:
        raise UsageError(_("{where} cannot be converted to an array: {error}.", where=where, error=str(error))) from error


def shape_of(values: Any, where: str) -> tuple[int, ...]:
    """Return the shape of a nested list. Raises a UsageError for the first list of another length, and for anything that is no number."""
    if isinstance(values, int | float):
        return ()
    if not isinstance(values, list | tuple):
        raise UsageError(_("{where} is {value!r}, which is not a number.", where=where, value=values))
    shapes = [shape_of(each, f"{where}[{index}]") for index, each in enumerate(values)]
    if odd := next((index for index, shape in enumerate(shapes) if shape != shapes[0]), None):
        raise UsageError(
            _(
                "{where} is ragged: {where}[0] has the shape {first}, and {where}[{index}] has {other}.",
                where=where,
                first=shapes[0],
                index=odd,
                other=shapes[odd],
            )
        )
    return (len(values), *(shapes[0] if shapes else ()))
