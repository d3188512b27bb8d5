"""Tests of the choice of known mistakes that are compared with a submission."""

from __future__ import annotations

import numpy as np

from normgrade.course.mistakes import Edit, Mistake
from normgrade.diagnosis.candidates import candidates
from normgrade.diagnosis.effects import Layout
from normgrade.diagnosis.footprints import Footprints, sources_of

REFERENCE = "def norm(x, eps=1e-5):\n    return x / (x.var() + eps) ** 0.5\n"
DEFAULT = Mistake("eps-default-1e-6", "", REFERENCE.replace("1e-5", "1e-6"), (Edit(16, 20, "1e-6"),))
NO_EPS = Mistake("eps-missing", "", REFERENCE.replace(" + eps", ""), (Edit(46, 52, ""),))
KNOWN = (DEFAULT, NO_EPS)
FOOTPRINTS = Footprints(
    Layout((("test_0", 0),), (3,), (1,)), np.zeros(1, np.uint64), ("eps-default-1e-6", "eps-missing"), sources_of(KNOWN), np.eye(2, 3) > 0
)


def test_mistakes_that_the_source_rules_out_are_no_candidates() -> None:
    footprints, mistakes = candidates(FOOTPRINTS, KNOWN, REFERENCE, REFERENCE)
    assert (footprints.mistakes, mistakes) == ((), ())


def test_another_number_has_the_same_footprint() -> None:
    submission = REFERENCE.replace("1e-5", "1e-8").replace(" + eps", "")
    footprints, mistakes = candidates(FOOTPRINTS, KNOWN, REFERENCE, submission)
    assert footprints.mistakes == ("eps-missing", "eps-default-1e-8") == tuple(mistake.name for mistake in mistakes)
    assert footprints.marks.tolist() == [[False, True, False], [True, False, False]]
    assert footprints.sources.tolist() == sources_of(mistakes).tolist()
