"""Asks mistakes what they change: plays them where that was not seen before, and takes it down."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import tee
from typing import Protocol

from normgrade.compare.effects import Layout, Plays, change_of, effects_from
from normgrade.compare.facts import Facts, facts_of
from normgrade.compare.forecasts import Forecasts, forecasts_of
from normgrade.oracle.expectation import widened
from normgrade.suite.records import Records
from normgrade.worker.observation import Array, Foreign, Observation, Playable, Reason, Request

Asked = tuple[int, int]  # a mistake and a play, by their numbers


class PlaysSources(Protocol):
    """Plays sources natively, or exactly in float64; None where there is no answer."""

    def __call__(self, asked: Iterable[tuple[str, Playable]], exactly: bool = False) -> Iterator[Observation | None]: ...


@dataclass
class Questioning:
    """The known mistakes of an exercise, questioned about its plays. What was `natively` seen for this submission serves float64, too."""

    plays: Plays
    records: Records
    play_sources: PlaysSources
    natively: dict[Asked, Facts] = field(default_factory=dict, repr=False)
    wide: dict[int, Request] = field(default_factory=dict, repr=False)  # what is asked in float64, by the number of the play

    def forecasts(self, asked: Sequence[Asked], layout: Layout | None = None, exactly: bool = True) -> Forecasts:
        """The forecasts that follow from the changes seen, in the `layout` of all plays, or of no others than these.

        Natively, the float64 plays of some mistakes say nothing: they would be held against the native ones of others.
        """
        plays = [self.plays[play] for play in sorted({play for _, play in asked})]
        changes = []
        for member, play in sorted(asked):
            key, played = self.plays[play]
            if (seen := self.records.of(member).get(key)) is not None:
                changes.append((member, key, seen if exactly else seen.natively(played.right)))
        names = [mistake.name for mistake in self.records.mistakes]
        return forecasts_of(effects_from(changes, layout or Layout.of(plays), names), plays)

    def see(self, asked: Iterable[Asked], exactly: bool = True) -> None:
        """Play mistakes and take down what they change: natively, and in float64 where that is asked for and may make a difference."""
        new = [(member, play) for member, play in asked if self.is_new(member, play, exactly)]
        self.see_natively([pair for pair in new if pair not in self.natively])
        played = [pair for pair in new if pair in self.natively]
        rough = [pair for pair in played if exactly and not self.natively[pair].close]
        wide = self.play_sources(((self.source(pair), self.widened(pair)) for pair in rough), exactly=True)
        exact = {pair: observation for pair, observation in zip(rough, wide, strict=True) if observation is not None}
        for pair in played:
            (key, play), natively = self.plays[pair[1]], self.natively[pair]
            in_float64 = facts_of(exact[pair], play.right) if pair in exact else None
            self.records.add(pair[0], key, change_of(natively, in_float64, play.right))

    def see_natively(self, asked: Sequence[Asked]) -> None:
        """Play mistakes natively; what cannot be executed is left out."""
        for pair, native in zip(asked, self.play_sources((self.source(pair), self.request(pair)) for pair in asked), strict=True):
            if native is not None:
                _, play = self.plays[pair[1]]
                self.natively[pair] = facts_of(limited(native, play.expectation.size_bytes), play.right)

    def is_new(self, member: int, play: int, exactly: bool) -> bool:
        """Return if there is more to see of a mistake in a play than was seen."""
        change = self.records.of(member).get(self.plays[play][0])
        return change is None or (exactly and change.rough)

    def source(self, pair: Asked) -> str:
        return self.records.mistakes[pair[0]].source

    def request(self, pair: Asked) -> Playable:
        return self.plays[pair[1]][1].expectation.request

    def widened(self, pair: Asked) -> Request:
        """The request in float64, made once."""
        if pair[1] not in self.wide:
            self.wide[pair[1]] = widened(self.request(pair))
        return self.wide[pair[1]]


def limited(observation: Observation, size_limit_bytes: int) -> Observation:
    """An observation whose arrays above a size are described: a submission's travel no other way."""
    values = {
        place: Foreign(Reason.SIZE, "", value.dtype, value.values.shape)
        if isinstance(value, Array) and value.nbytes > size_limit_bytes
        else value
        for place, value in observation.values.items()
    }
    return replace(observation, values=values)


@dataclass
class Remembering:
    """Plays sources natively, and each of them once: what was seen in one attempt serves the next."""

    play_sources: PlaysSources
    seen: dict[tuple[str, int], Observation | None] = field(default_factory=dict)  # by the source, and the identity of the request

    def plays(self, asked: Iterable[tuple[str, Playable]]) -> Iterator[Observation | None]:
        """The observation of each source, in their order."""
        started = set[tuple[str, int]]()

        def new() -> Iterator[tuple[str, Playable]]:
            for source, request in theirs:
                if (pair := (source, id(request))) not in self.seen and pair not in started:
                    started.add(pair)
                    yield source, request

        theirs, ours = tee(asked)
        coming = self.play_sources(new())
        for source, request in ours:
            if (pair := (source, id(request))) not in self.seen:
                self.seen[pair] = next(coming)
            yield self.seen[pair]
