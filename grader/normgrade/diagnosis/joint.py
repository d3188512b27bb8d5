"""Several mistakes made in one source, and their native results in one play of a submission."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from normgrade.compare.facts import Facts, facts_of, joined
from normgrade.course.mistakes import Mistake, combined
from normgrade.diagnosis.agreement import Reference, forecast, root_mean_square, starts_of
from normgrade.diagnosis.evidence import Evidence, Fit, FitBuilder, Observed
from normgrade.worker.wire.observation import Observation
from normgrade.worker.wire.requests import TypedRequest

PlaySources = Callable[[Iterable[tuple[str, TypedRequest]]], Iterator[Observation | None]]  # native plays; None if there is no answer
FARTHEST = 2.0  # the largest distance of one place
Members = tuple[int, ...]  # mistakes by their numbers, in ascending order
Pair = tuple[Members, int]  # mistakes that are made together, and the number of a play


@dataclass
class Joint:
    """A player of sources with several mistakes, each set and play once. `seen` has the results; None if a pair cannot be played."""

    evidence: Evidence
    reference: str
    mistakes: Sequence[Mistake]
    play_sources: PlaySources
    sources: dict[Members, str | None] = field(default_factory=dict, repr=False)
    seen: dict[Pair, Facts | None] = field(default_factory=dict, repr=False)
    fits: dict[Pair, Fit | None] = field(default_factory=dict, repr=False)
    distances: dict[Pair, float] = field(default_factory=dict, repr=False)

    def play_all(self, pairs: Iterable[Pair], enough: Callable[[], bool] = lambda: False) -> None:
        """Play the pairs that were not played yet, one right after the other, until `enough` returns true."""
        on_their_way: deque[Pair] = deque()
        new = [pair for pair in dict.fromkeys(pairs) if pair not in self.seen]
        for observation in self.play_sources(self.questions(new, on_their_way)):
            pair = on_their_way.popleft()
            self.seen[pair] = self.facts(observation, pair[1])
            if enough():
                break

    def questions(self, pairs: Iterable[Pair], on_their_way: deque[Pair]) -> Iterator[tuple[str, TypedRequest]]:
        """Yield the source and the request of each pair. If a source cannot be made, the pair is `seen` as None at once."""
        for pair in pairs:
            source = self.source(pair[0])
            if source is None:
                self.seen[pair] = None
            else:
                on_their_way.append(pair)
                yield source, self.evidence.plays[pair[1]].play.expectation.request

    def facts(self, observation: Observation | None, number: int) -> Facts | None:
        """Return an observation as facts of the play of that number; None if there was no answer."""
        if observation is None or (observation.error is not None and not observation.error.types):
            return None
        with np.errstate(all="ignore"):
            return facts_of(observation, self.evidence.plays[number].right)

    def together(self, members: Members, number: int) -> Facts | None:
        """Return the facts of these mistakes together in the play of that number; None if they cannot be made together."""
        self.play_all([(members, number)])
        return self.seen[members, number]

    def fit(self, members: Members, number: int) -> Fit | None:
        """Return the changes of these mistakes together in the play of that number; None if they cannot be made together."""
        if (members, number) not in self.fits:
            facts, fits = self.together(members, number), [self.evidence.fits[member] for member in members]
            with np.errstate(all="ignore"):
                self.fits[members, number] = None if facts is None else held_against(facts, self.evidence.plays[number], fits)
        return self.fits[members, number]

    def distance(self, members: Members, number: int) -> float:
        """Return how far these mistakes together are from the observation in that play; infinite if they cannot be made together."""
        if (members, number) not in self.distances:
            facts = self.together(members, number)
            with np.errstate(all="ignore"):
                self.distances[members, number] = math.inf if facts is None else distance(facts, self.evidence.plays[number])
        return self.distances[members, number]

    def source(self, members: Members) -> str | None:
        if members not in self.sources:
            self.sources[members] = combined(self.reference, [self.mistakes[member] for member in members])
        return self.sources[members]


def distance(theirs: Facts, play: Observed) -> float:
    """Return how far a play is from the observed one: a sum over places and ending, each below 1 if nearer than the reference."""
    ours, right = play.facts, play.right
    alike = forms_alike(theirs, ours)
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


def forms_alike(theirs: Facts, ours: Facts) -> np.ndarray:
    """Return for each place of a play if both have the same form there."""
    return np.array([form == seen for form, seen in zip(theirs.forms, ours.forms, strict=True)], bool)


def held_against(theirs: Facts, play: Observed, fits: Sequence[Fit]) -> Fit:
    """Return the changes of a native play, compared with the observation. The `fits` of its mistakes tell how exact its numbers are."""
    first, right, ours = play.first_fact, play.right, play.facts
    collecting = FitBuilder()
    alike, changed = np.append(forms_alike(theirs, ours), theirs.ending == ours.ending), theirs.wrong[::2]
    collecting.add_words(first + 2 * np.flatnonzero(changed), alike[changed], ours.reached[::2][changed])
    here = [index for index in range(len(right.places)) if theirs.wrong[2 * index + 1] and ours.reached[2 * index + 1]]
    here = [index for index in here if right.starts[index + 1] > right.starts[index]]
    columns = [np.arange(right.starts[index], right.starts[index + 1]) for index in here]
    column = joined(columns).astype(np.int64)
    facts = first + 2 * np.array(here, np.int64) + 1
    unstable = np.array([any(fit.unstable >> fact & 1 for fit in fits) for fact in facts.tolist()], bool)
    native, got = (seen.numbers[column] - right.numbers[column] for seen in (theirs, ours))
    reference = Reference(right.numbers, right.allowed, right.units, right.factors)[column]
    moved = np.array([sum(fit.moved.get(fact, 0.0) ** 2 for fit in fits) ** 0.5 for fact in facts.tolist()])
    starts = starts_of(np.array([len(each) for each in columns], np.int64))
    out, reached = ~(np.abs(got) <= reference.allowed), np.ones(len(facts), bool)
    collecting.add_numbers(facts, forecast(starts, native, native, reference, unstable, moved), got, out, reached)
    return collecting.done()
