"""The usual cause of a crash of a submission, and its remedy."""

from __future__ import annotations

from functools import lru_cache

from normgrade.language import spoken
from normgrade.remarks.pitfalls.pitfalls import Advice, Crash, advice_on
from normgrade.remarks.pitfalls.pitfalls_in_libraries import LIBRARIES
from normgrade.remarks.pitfalls.pitfalls_in_python import AT_LAST, PYTHON
from normgrade.remarks.pitfalls.pitfalls_in_shapes import SHAPES


def advice_for(crash: Crash) -> Advice:
    """Return advice of a sentence or two for the author of the code; its text is empty if no usual cause fits."""
    return advice_in(crash, spoken())


@lru_cache(maxsize=64)  # one exception ends many plays
def advice_in(crash: Crash, _language: str) -> Advice:
    try:
        return advice_on(crash, (*PYTHON, *LIBRARIES, *SHAPES, *AT_LAST))
    except RecursionError:  # the source is deeply nested
        return Advice("")
