"""The suspects: known mistakes whose footprints fit the wrong facts, and the plays in which each of them is tried first."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from normgrade.compare.played import Result
from normgrade.diagnosis.evidence import observed
from normgrade.diagnosis.footprints import Footprints
from normgrade.diagnosis.peeling import NOWHERE, At, Peeled, holds_half, plays_of
from normgrade.report.report import HALF_PRECISION


@dataclass(frozen=True, eq=False)
class Suspects:
    """The observation, compared with footprints. `reached` marks the facts that were observed, and `wrong` those that differ."""

    footprints: Footprints
    reached: np.ndarray
    wrong: np.ndarray

    @classmethod
    def of(cls, results: Sequence[Result], footprints: Footprints, aside: At = NOWHERE) -> Suspects:
        """Return the suspects of these results. Facts that are set `aside` speak neither for nor against any mistake."""
        reached, wrong = (np.zeros(sum(footprints.layout.facts), bool) for _ in range(2))
        for play in observed(results, footprints.layout):
            if not play.died:
                here = slice(play.first_fact, play.first_fact + play.right.size)
                reached[here], wrong[here] = play.facts.reached, play.facts.wrong & play.facts.reached
                apart = [play.first_fact + fact for fact in aside.get(play.key, ())]
                reached[apart] = wrong[apart] = False
        return cls(footprints, reached, wrong)

    def fitting(self, hidden: float, among: np.ndarray | bool = True) -> list[int]:
        """Return the mistakes that change a wrong fact `among` some; of each one's facts, a fraction `hidden`, or one fact, may be right.

        Those that change the most wrong facts come first.
        """
        found = self.footprints.marks & self.reached
        hit, missed = (found & self.wrong).sum(1), (found & ~self.wrong).sum(1)
        fits = (found & self.wrong & among).any(1) & (missed <= np.maximum(1, hidden * (hit + missed)))
        return sorted(np.flatnonzero(fits).tolist(), key=lambda member: (-int(hit[member]), member))

    def facts_of(self, checks: Collection[str]) -> np.ndarray:
        """Return for each fact if it belongs to one of these checks."""
        return np.repeat([check in checks for check, _number in self.footprints.layout.keys], self.footprints.layout.facts).astype(bool)

    def failing(self, member: int, among: Iterable[int]) -> list[int]:
        """Return the wrong plays that a mistake changes: first those in which the fewest `among` some mistakes act, then the shortest."""
        acts, layout = self.footprints.acts, self.footprints.layout
        crowd = acts[list(among)].sum(0)
        plays = np.flatnonzero(acts[member] & self.footprints.by_play(self.wrong)).tolist()
        return sorted(plays, key=lambda play: (int(crowd[play]), layout.facts[play], play))

    def cover(self, members: Sequence[int], but: float) -> bool:
        """Return True if these mistakes change all wrong facts, except for a fraction `but`, or for one fact."""
        uncovered = self.wrong & ~self.footprints.marks[list(members)].any(0)
        return bool(uncovered.sum() <= max(1, but * self.wrong.sum()))

    def sample(self, members: Sequence[int], each: int) -> list[int]:
        """Return a few wrong plays such that every one of these mistakes acts in so many of them, if there are so many."""
        acts = self.footprints.acts[list(members)] & self.footprints.by_play(self.wrong)
        lacking, chosen = np.minimum(acts.sum(1), each), list[int]()
        while lacking.any():
            chosen.append(int(acts[lacking > 0].sum(0).argmax()))
            lacking = np.maximum(lacking - acts[:, chosen[-1]], 0)
            acts[:, chosen[-1]] = False
        return sorted(chosen)

    def acting(self, member: int) -> list[int]:
        """Return the observed plays that a mistake changes."""
        found: list[int] = np.flatnonzero(self.footprints.acts[member] & self.footprints.by_play(self.reached)).tolist()
        return found


def form_suspects(peeled: Peeled, footprints: Footprints) -> list[int]:
    """Return the mistakes that may explain facts that were taken off: those that change only half precision, or all of another kind."""
    marks, layout = footprints.marks, footprints.layout
    observed = Suspects.of(peeled.observed, footprints)
    found = np.zeros(len(marks), bool)
    for name, at in peeled.kinds.items():
        if name == HALF_PRECISION:
            half = {key for key, play in plays_of(peeled.observed) if holds_half(play.expectation.request.inputs)}
            elsewhere = np.repeat([key not in half for key in layout.keys], layout.facts)
            found |= (marks & observed.wrong).any(1) & ~(marks & elsewhere).any(1)
        else:
            facts = [layout.first_fact[key] + fact for key, facts in at.items() if key in layout.first_fact for fact in facts]
            found |= marks[:, facts].all(1)
    members: list[int] = np.flatnonzero(found).tolist()
    return members
