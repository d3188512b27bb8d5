"""Several mistakes made in one source, and what that does natively in one play of a submission."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from normgrade.compare.agreement import Reference, forecast, root_mean_square, starts_of
from normgrade.compare.evidence import Collecting, Evidence, Observed, Part
from normgrade.compare.facts import Facts, facts_of, joined
from normgrade.course.mistakes import Mistake, combined
from normgrade.worker.observation import Observation
from normgrade.worker.requests import TypedRequest

PlaySource = Callable[[str, TypedRequest], Observation | None]  # one native play of a source; None where it cannot be executed
FARTHEST = 2.0  # of one place
Members = tuple[int, ...]  # mistakes by their numbers, in ascending order


@dataclass
class Joint:
    """Plays sources with several mistakes, each set and play once."""

    evidence: Evidence
    reference: str
    mistakes: Sequence[Mistake]
    play_source: PlaySource
    sources: dict[Members, str | None] = field(default_factory=dict, repr=False)
    played: dict[tuple[Members, int], Part | None] = field(default_factory=dict, repr=False)
    distances: dict[tuple[Members, int], float] = field(default_factory=dict, repr=False)

    def part(self, members: Members, number: int) -> Part | None:
        """What these mistakes together change in the play of that number; None where they cannot be made together."""
        if (members, number) not in self.played:
            self.played[members, number] = self.compute(members, number)
        return self.played[members, number]

    def distance(self, members: Members, number: int) -> float:
        """How far what these mistakes do together in that play is from what was observed; infinite where they cannot be made together."""
        self.part(members, number)
        return self.distances.get((members, number), math.inf)

    def source(self, members: Members) -> str | None:
        if members not in self.sources:
            self.sources[members] = combined(self.reference, [self.mistakes[member] for member in members])
        return self.sources[members]

    def compute(self, members: Members, number: int) -> Part | None:
        source, play = self.source(members), self.evidence.plays[number]
        observation = None if source is None else self.play_source(source, play.play.expectation.request)
        if observation is None or (observation.error is not None and not observation.error.types):
            return None
        with np.errstate(all="ignore"):
            facts = facts_of(observation, play.right)
            self.distances[members, number] = distance(facts, play)
            return held_against(facts, play, [self.evidence.parts[member] for member in members])


def distance(theirs: Facts, play: Observed) -> float:
    """How far a play is from the observed one: a sum over its places and its ending, each below 1 where it is nearer than the reference."""
    ours, right = play.facts, play.right
    alike = np.array([form == seen for form, seen in zip(theirs.forms, ours.forms, strict=True)], bool)
    filled = np.flatnonzero((np.diff(right.starts) > 0) & alike & theirs.reached[1::2])
    apart = float(theirs.ending != ours.ending) + float((~alike).sum())
    if not len(filled):
        return apart
    here = np.concatenate([np.arange(right.starts[index], right.starts[index + 1]) for index in filled])
    starts = starts_of(np.diff(right.starts)[filled])
    off, wrong, allowed = (
        root_mean_square(numbers[here], starts) for numbers in (theirs.numbers - ours.numbers, ours.numbers - right.numbers, right.allowed)
    )
    return apart + float(np.where(off > 0, np.fmin(off / np.maximum(wrong, allowed), FARTHEST), 0.0).sum())


def held_against(theirs: Facts, play: Observed, parts: Sequence[Part]) -> Part:
    """What a native play changes, held against what was observed. How exact its numbers are, its parts tell."""
    first, right, ours = play.first_fact, play.right, play.facts
    collecting = Collecting()
    words = [(2 * index, form, ours.forms[index]) for index, form in enumerate(theirs.forms)]
    for fact, word, seen in (*words, (right.size - 1, theirs.ending, ours.ending)):
        if theirs.wrong[fact] and ours.reached[fact]:
            collecting.add_word(first + fact, word == seen)
    here = [index for index in range(len(right.places)) if theirs.wrong[2 * index + 1] and ours.reached[2 * index + 1]]
    here = [index for index in here if right.starts[index + 1] > right.starts[index]]
    columns = [np.arange(right.starts[index], right.starts[index + 1]) for index in here]
    column = joined(columns).astype(np.int64)
    facts = first + 2 * np.array(here, np.int64) + 1
    unstable = np.array([any(part.unstable >> fact & 1 for part in parts) for fact in facts.tolist()], bool)
    native, got = (seen.numbers[column] - right.numbers[column] for seen in (theirs, ours))
    reference = Reference(right.numbers, right.allowed, right.units, right.factors)[column]
    moved = np.array([sum(part.moved.get(fact, 0.0) ** 2 for part in parts) ** 0.5 for fact in facts.tolist()])
    starts = starts_of(np.array([len(each) for each in columns], np.int64))
    out, reached = ~(np.abs(got) <= reference.allowed), np.ones(len(facts), bool)
    collecting.add_numbers(facts, forecast(starts, native, native, reference, unstable, moved), got, out, reached)
    return collecting.done()
