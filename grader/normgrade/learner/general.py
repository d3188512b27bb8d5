"""The mistakes that any exercise may have, explained in general."""

from __future__ import annotations

from collections.abc import Mapping

from normgrade.language import N_
from normgrade.report import report

GENERAL: Mapping[str, str] = {
    report.CRASH: N_(
        "Your code raises an exception where it should not, so all that comes after it is missing. The report tells its line."
    ),
    report.SOME_INPUTS: N_(
        "Your code raises an exception for some inputs only, which the report names. Look for a fixed axis, dtype or mode."
    ),
    report.OTHER_EXCEPTION: N_("An input is refused, but with another exception than in the contract. Check it first, and raise that one."),
    report.MISSING_ARGUMENTS: N_("A signature lacks an argument of the contract. Take the names and the order from there."),
    report.OTHER_NAMES: N_("A parameter or buffer has another name than in the contract, so saved weights cannot be loaded."),
    report.HALF_PRECISION: N_(
        "Sums and squares lose their digits in half precision, and float16 ends at 65504. Compute in float32 or wider, but keep float64: "
        "`x.to(torch.promote_types(x.dtype, torch.float32))`, in NumPy `x.astype(np.promote_types(x.dtype, np.float32))`."
    ),
    report.FLOAT64_NARROWED: N_(
        "`x.float()` is meant for half precision, but it makes float64 narrower, too: seven of sixteen digits are left. Write "
        "`x.to(torch.promote_types(x.dtype, torch.float32))`, in NumPy `x.astype(np.promote_types(x.dtype, np.float32))`."
    ),
    report.WIDER_RETURNED: N_("Half precision goes in and a wider dtype comes out. End with `.to(x.dtype)`, in NumPy `.astype(x.dtype)`."),
    report.OTHER_DTYPE: N_("The result has another dtype than in the contract. Look for a missing cast, and for the default dtype."),
    report.OTHER_SHAPE: N_("The result has another shape than in the contract. Look for `keepdim=True`, and for an axis of length 1."),
    report.INPUT_CHANGED: N_(
        "The caller still needs the tensor that the call changes. `+=`, `out=` and names that end in `_` write in place, and `x.float()` "
        "is x itself if it is float32 already."
    ),
    report.UNLISTED: N_(
        "No known mistake gives your numbers, but a small change of right code does. The report tells the change and your line."
    ),
    report.NOTHING_COMPUTED: N_(
        "Every call gives back numbers that it was given, or one number everywhere. Begin with the formula of the task; until then nothing "
        "can be told apart."
    ),
}
