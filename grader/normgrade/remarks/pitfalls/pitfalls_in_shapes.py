"""The usual causes of exceptions about shapes: broadcasting, counted dimensions, and many numbers in place of one."""

from __future__ import annotations

from normgrade.language import N_
from normgrade.remarks.pitfalls.clues import in_text
from normgrade.remarks.pitfalls.clues_on_tensors import dropped_dimension, shape_of
from normgrade.remarks.pitfalls.pitfalls import Pitfall

FEWER = N_("The highest dimension is {highest} here: count from the end, as in `dim=-1`.")
ONE_NUMBER = N_("This turns a tensor into a single Python number, and it holds more: stay with functions of tensors, such as `torch.sqrt`.")

SHAPES = (
    Pitfall(
        "RuntimeError",
        r"The size of tensor a \(\d+\) must match the size of tensor b",
        N_("`{call}` in line {line} drops the dimension: with `{keyword}=True` it stays, with length 1."),
        dropped_dimension,
    ),
    Pitfall(
        "RuntimeError",
        r"The size of tensor a \((?P<a>\d+)\) must match the size of tensor b \((?P<b>\d+)\) at non-singleton dimension (?P<at>\d+)",
        N_("Shapes are aligned at their last dimension, and in dimension {at} {a} meets {b}: only equal lengths and 1 fit."),
    ),
    Pitfall(
        "ValueError",
        "operands could not be broadcast together",
        N_("`{call}` in line {line} drops the dimension: with `keepdims=True` it stays, with length 1."),
        dropped_dimension,
    ),
    Pitfall(
        "ValueError",
        r"operands could not be broadcast together with shapes",
        N_("Shapes are aligned at their last dimension: only equal lengths and 1 fit."),
    ),
    Pitfall(
        "ValueError",
        r"values to unpack \(expected (?P<n>\d+)",
        N_("This line takes `{of}` to have {n} dimensions, and here it has another number: count from the end, as in `{of}.shape[-1]`."),
        shape_of,
    ),
    Pitfall(
        "RuntimeError",
        r"mat1 and mat2 shapes cannot be multiplied \((?P<a>\d+)x(?P<b>\d+) and (?P<c>\d+)x(?P<d>\d+)\)",
        N_("A product of matrices needs ({a}, {b}) @ ({b}, …), and the right one is ({c}, {d}): is one of them to be transposed?"),
    ),
    Pitfall(
        "RuntimeError",
        "view size is not compatible",
        N_("The numbers lie in memory in another order than `view` needs: write `reshape`, which copies them if it must."),
    ),
    Pitfall(
        "RuntimeError",
        r"shape '\[(?P<shape>[^\]]*)\]' is invalid for input of size (?P<n>\d+)",
        N_("`view` and `reshape` keep the number of elements: ({shape}) does not hold {n}."),
    ),
    Pitfall(
        "RuntimeError",
        r"output with shape \[.*\] doesn't match the broadcast shape",
        N_("An operation in place cannot make a tensor larger: write `a = a + b`, not `a += b`."),
    ),
    Pitfall("IndexError", r"Dimension out of range .*range of \[-\d+, (?P<highest>\d+)\]", FEWER),
    Pitfall(
        "AxisError",
        r"out of bounds for array of dimension (?P<n>\d+)",
        N_("The number of axes is {n} here: count from the end, as in `axis=-1`."),
    ),
    Pitfall(
        "IndexError",
        "tuple index out of range",
        N_("The shape has fewer entries here than this line counts: count from the end, as in `x.shape[-1]`."),
        in_text(r"\.shape\b|\.size\("),
    ),
    Pitfall(
        "TypeError",
        r"'torch\.Size' object is not callable|'tuple' object is not callable",
        N_("`shape` is no method: leave the parentheses out."),
        in_text(r"\.shape\("),
    ),
    Pitfall(
        "TypeError",
        "'int' object is not callable",
        N_("An array's `size` is a number, not a method: write `x.shape[…]`."),
        in_text(r"\.size\("),
    ),
    Pitfall(
        "TypeError",
        r"unsupported operand type.*'torch\.return_types\.\w+'",
        N_("`max` and `min` along a dimension return two tensors, values and indices: take `.values`, or call `amax` or `amin`."),
    ),
    # Numbers
    Pitfall(
        "RuntimeError",
        r"Boolean value of Tensor with more than one value",
        N_("A condition needs a single truth value, and here are many: use `torch.where` or `torch.maximum`."),
    ),
    Pitfall(
        "ValueError",
        "truth value of an array",
        N_("A condition needs a single truth value, and here are many: use `np.where` or `np.maximum`."),
    ),
    Pitfall("ValueError|RuntimeError", r"only one element tensors can be converted|cannot be converted to Scalar", ONE_NUMBER),
    Pitfall(
        "TypeError",
        r"only (0-dimensional|length-1|size-1) arrays can be converted",
        N_("This turns an array into a single Python number, and it holds more: stay with functions of arrays, such as `np.sqrt`."),
    ),
)
