"""Who is suspected of what went wrong: known mistakes whose footprints fit the wrong facts, and where each of them is asked first."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from normgrade.compare.evidence import observed
from normgrade.compare.footprints import Footprints
from normgrade.compare.peeling import NOWHERE, At, Peeled, holds_half, plays_of
from normgrade.compare.played import Result
from normgrade.report.report import HALF_PRECISION


@dataclass(frozen=True, eq=False)
class Suspects:
    """What was observed, held against footprints. `reached` and `wrong` say of every fact whether it was observed, and otherwise."""

    footprints: Footprints
    reached: np.ndarray
    wrong: np.ndarray

    @classmethod
    def of(cls, results: Sequence[Result], footprints: Footprints, aside: At = NOWHERE) -> Suspects:
        """Those that these results leave; what is set `aside` speaks neither for nor against anybody."""
        reached, wrong = (np.zeros(sum(footprints.layout.facts), bool) for _ in range(2))
        for play in observed(results, footprints.layout):
            if not play.died:
                here = slice(play.first_fact, play.first_fact + play.right.size)
                reached[here], wrong[here] = play.facts.reached, play.facts.wrong & play.facts.reached
                apart = [play.first_fact + fact for fact in aside.get(play.key, ())]
                reached[apart] = wrong[apart] = False
        return cls(footprints, reached, wrong)

    def fitting(self, hidden: float, among: np.ndarray | bool = True) -> list[int]:
        """The mistakes that change anything wrong `among` some facts; of all that each changes, such a part, or one fact, may be right.

        Those that change the most of what is wrong come first.
        """
        found = self.footprints.marks & self.reached
        hit, missed = (found & self.wrong).sum(1), (found & ~self.wrong).sum(1)
        fits = (found & self.wrong & among).any(1) & (missed <= np.maximum(1, hidden * (hit + missed)))
        return sorted(np.flatnonzero(fits).tolist(), key=lambda member: (-int(hit[member]), member))

    def facts_of(self, checks: Collection[str]) -> np.ndarray:
        """Return for each fact if it belongs to one of these checks."""
        return np.repeat([check in checks for check, _number in self.footprints.layout.keys], self.footprints.layout.facts).astype(bool)

    def failing(self, member: int, among: Iterable[int]) -> list[int]:
        """The plays that went wrong and that a mistake changes: first where the fewest `among` some mistakes act, then the shortest."""
        acts, layout = self.footprints.acts, self.footprints.layout
        crowd = acts[list(among)].sum(0)
        plays = np.flatnonzero(acts[member] & self.footprints.by_play(self.wrong)).tolist()
        return sorted(plays, key=lambda play: (int(crowd[play]), layout.facts[play], play))

    def cover(self, members: Sequence[int], but: float) -> bool:
        """Whether these mistakes change all that is wrong, except for such a part of it, or for one fact."""
        uncovered = self.wrong & ~self.footprints.marks[list(members)].any(0)
        return bool(uncovered.sum() <= max(1, but * self.wrong.sum()))

    def sample(self, members: Sequence[int], each: int) -> list[int]:
        """A few plays that went wrong: every one of these mistakes acts in so many of them, as far as there are so many."""
        acts = self.footprints.acts[list(members)] & self.footprints.by_play(self.wrong)
        lacking, chosen = np.minimum(acts.sum(1), each), list[int]()
        while lacking.any():
            chosen.append(int(acts[lacking > 0].sum(0).argmax()))
            lacking = np.maximum(lacking - acts[:, chosen[-1]], 0)
            acts[:, chosen[-1]] = False
        return sorted(chosen)

    def acting(self, member: int) -> list[int]:
        """The plays that were observed and that a mistake changes."""
        found: list[int] = np.flatnonzero(self.footprints.acts[member] & self.footprints.by_play(self.reached)).tolist()
        return found


def form_suspects(peeled: Peeled, footprints: Footprints) -> list[int]:
    """The mistakes that may be what was taken off: they change nothing but half precision, or all facts of another finding."""
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
