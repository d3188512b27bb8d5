"""The usual cause of a crash of a submission, and how to mend it."""

from __future__ import annotations

from normgrade.inspection.pitfalls import Advice, Crash, advice_on
from normgrade.inspection.pitfalls_in_libraries import LIBRARIES
from normgrade.inspection.pitfalls_in_python import PYTHON
from normgrade.inspection.pitfalls_in_shapes import SHAPES


def advice_for(crash: Crash) -> Advice:
    """A sentence or two for whoever wrote the code; nothing if no usual cause fits."""
    try:
        return advice_on(crash, (*PYTHON, *LIBRARIES, *SHAPES))
    except RecursionError:  # the source is deeply nested
        return Advice("")
