"""The known mistakes that a submission may have made: some with the submission's numbers, and none that its source rules out."""

from __future__ import annotations

from collections.abc import Sequence

from normgrade.course.mistakes import Mistake
from normgrade.course.own_numbers import with_numbers_of
from normgrade.diagnosis.footprints import Footprints
from normgrade.diagnosis.ruled_out import without_ruled_out


def candidates(
    footprints: Footprints, mistakes: Sequence[Mistake], reference: str, submission: str
) -> tuple[Footprints, tuple[Mistake, ...]]:
    """Return the possible mistakes with their footprints. A mistake with a number of the submission gets the footprint of the known one."""
    pairs = with_numbers_of(submission, mistakes, reference)
    possible = {*without_ruled_out([*mistakes, *(other for _, other in pairs)], reference, submission)}
    kept, pairs = [each for each in mistakes if each in possible], [pair for pair in pairs if pair[1] in possible]
    if not pairs:
        return footprints.among(kept), tuple(kept)
    bases, others = zip(*pairs, strict=True)
    return footprints.among(kept).with_those(footprints.among(bases).as_those_of(others)), (*kept, *others)
