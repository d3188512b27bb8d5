"""The mistakes that any exercise may have, explained in general."""

from __future__ import annotations

from collections.abc import Mapping

from normgrade.language import N_
from normgrade.report import report

GENERAL: Mapping[str, str] = {
    report.CRASH: N_(
        "Your code raises an exception where it should not, so the claims that end in it compute nothing. `normgrade repro` writes a "
        "small script that raises it again."
    ),
    report.SOME_INPUTS: N_(
        "Your code raises an exception for some inputs only: for one number of dimensions, one dtype, one mode or one argument. The "
        "report names them. Look for a step that takes the others for granted, such as a fixed axis."
    ),
    report.OTHER_EXCEPTION: N_(
        "An input that must be refused is refused with another exception than the contract names. Check the input first, and raise the"
        " exception yourself: an `assert`, or an error from a later line, tells the caller less."
    ),
    report.MISSING_ARGUMENTS: N_(
        "A signature lacks an argument of the contract, or calls it otherwise, so a call that the contract allows ends in a TypeError."
        " Take names and order from the contract."
    ),
    report.OTHER_NAMES: N_(
        "A parameter or buffer has another name than in the contract. Names are the keys of the state dict: without them, weights that"
        " were saved elsewhere cannot be loaded."
    ),
    report.HALF_PRECISION: N_(
        "With the same numbers in float32 instead of half precision, your code gives another result. float16 has three digits and ends"
        " at 65504, and bfloat16 has two digits, so sums and squares lose theirs. Compute in float32 or wider, and cast the result "
        "back at the end: `x.to(torch.promote_types(x.dtype, torch.float32))`, in NumPy `x.astype(np.promote_types(x.dtype, "
        "np.float32))`. `x.float()` would make float64 narrower."
    ),
    report.FLOAT64_NARROWED: N_(
        "float64 is computed in float32, so only seven of sixteen digits are right. Usually `.float()` is meant for half precision, "
        "but it narrows float64, too. Write `x.to(torch.promote_types(x.dtype, torch.float32))`, in NumPy "
        "`x.astype(np.promote_types(x.dtype, np.float32))`."
    ),
    report.WIDER_RETURNED: N_(
        "An input in half precision gives a result in float32 or float64. The result has the dtype of the input: end with "
        "`.to(x.dtype)`, in NumPy with `.astype(x.dtype)`."
    ),
    report.OTHER_DTYPE: N_(
        "The numbers have another dtype than the contract names. Mostly a tensor was made with the default dtype, or a cast at the end"
        " is missing."
    ),
    report.OTHER_SHAPE: N_(
        "The numbers have another shape than the contract names. Mostly `keepdim=True` or a `reshape` at the end is missing, or there "
        "is an axis of length 1 too many."
    ),
    report.INPUT_CHANGED: N_(
        "The call changes the numbers in the caller's tensor, who still needs them. Operations that end in `_`, `+=` and `out=` write "
        "in place, and `x.float()` returns x itself if it is float32 already. Compute a new tensor, as in `y = x - mean`."
    ),
    report.UNLISTED: N_(
        "No known mistake explains your numbers, but one small change of right code gives exactly the same ones. The report tells the "
        "change and the line of yours that it belongs to."
    ),
}
