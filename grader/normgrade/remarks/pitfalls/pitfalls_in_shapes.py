"""The usual causes of exceptions about shapes: broadcasting, counted dimensions, and many numbers in place of one."""

from __future__ import annotations

from normgrade.language import N_
from normgrade.remarks.pitfalls.clues import in_text
from normgrade.remarks.pitfalls.clues_on_tensors import dropped_dimension, shape_of
from normgrade.remarks.pitfalls.pitfalls import Pitfall

FEWER = N_("The highest dimension is {highest} here: count from the end, as in `dim=-1`.")
ONE_NUMBER = N_(
    "This converts a tensor to a single Python number, but the tensor has several: use functions of tensors, such as `torch.sqrt`."
)

SHAPES = (
    Pitfall(
        "RuntimeError",
        r"The size of tensor a \(\d+\) must match the size of tensor b",
        N_("`{call}` on line {line} drops the dimension: use `{keyword}=True` to keep it with length 1."),
        dropped_dimension,
    ),
    Pitfall(
        "RuntimeError",
        r"The size of tensor a \((?P<a>\d+)\) must match the size of tensor b \((?P<b>\d+)\) at non-singleton dimension (?P<at>\d+)",
        N_("Shapes are aligned at their last dimension, and dimension {at} has lengths {a} and {b}: they must be equal, or one must be 1."),
    ),
    Pitfall(
        "ValueError",
        "operands could not be broadcast together",
        N_("`{call}` on line {line} drops the dimension: use `keepdims=True` to keep it with length 1."),
        dropped_dimension,
    ),
    Pitfall(
        "ValueError",
        r"operands could not be broadcast together with shapes",
        N_("Shapes are aligned at their last dimension: lengths must be equal, or one must be 1."),
    ),
    Pitfall(
        "ValueError",
        r"values to unpack \(expected (?P<n>\d+)",
        N_("This line expects {n} dimensions, but `{of}` has a different number here: count from the end, as in `{of}.shape[-1]`."),
        shape_of,
    ),
    Pitfall(
        "RuntimeError",
        r"mat1 and mat2 shapes cannot be multiplied \((?P<a>\d+)x(?P<b>\d+) and (?P<c>\d+)x(?P<d>\d+)\)",
        N_("A matrix product needs ({a}, {b}) @ ({b}, …), but the right matrix is ({c}, {d}): should one of them be transposed?"),
    ),
    Pitfall(
        "RuntimeError",
        "view size is not compatible",
        N_("The numbers are not in the order in memory that `view` needs: use `reshape`, which copies them if necessary."),
    ),
    Pitfall(
        "RuntimeError",
        r"shape '\[(?P<shape>[^\]]*)\]' is invalid for input of size (?P<n>\d+)",
        N_("`view` and `reshape` keep the number of elements: ({shape}) does not have {n}."),
    ),
    Pitfall(
        "RuntimeError",
        r"output with shape \[.*\] doesn't match the broadcast shape",
        N_("An in-place operation cannot make a tensor larger: write `a = a + b`, not `a += b`."),
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
        N_("The shape has fewer dimensions here than this line needs: count from the end, as in `x.shape[-1]`."),
        in_text(r"\.shape\b|\.size\("),
    ),
    Pitfall(
        "TypeError",
        r"'torch\.Size' object is not callable|'tuple' object is not callable",
        N_("`shape` is not a method: remove the parentheses."),
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
        N_("`max` and `min` along a dimension return two tensors, values and indices: use `.values`, or call `amax` or `amin`."),
    ),
    # Numbers
    Pitfall(
        "RuntimeError",
        r"Boolean value of Tensor with more than one value",
        N_("A condition needs a single truth value, but this one has several: use `torch.where` or `torch.maximum`."),
    ),
    Pitfall(
        "ValueError",
        "truth value of an array",
        N_("A condition needs a single truth value, but this one has several: use `np.where` or `np.maximum`."),
    ),
    Pitfall("ValueError|RuntimeError", r"only one element tensors can be converted|cannot be converted to Scalar", ONE_NUMBER),
    Pitfall(
        "TypeError",
        r"only (0-dimensional|length-1|size-1) arrays can be converted",
        N_("This converts an array to a single Python number, but the array has several: use functions of arrays, such as `np.sqrt`."),
    ),
)
