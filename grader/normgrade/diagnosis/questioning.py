"""The changes of known mistakes: a mistake is played if its change in a play was not seen before, and the change is recorded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import tee
from typing import Protocol

from normgrade.compare.facts import Facts, facts_of
from normgrade.diagnosis.effects import Layout, Plays, change_of, effects_from
from normgrade.diagnosis.forecasts import Forecasts, forecasts_of
from normgrade.diagnosis.records import Records
from normgrade.oracle.inputs import widened
from normgrade.worker.wire.observation import Array, Foreign, Observation, Playable, Reason, Request

Asked = tuple[int, int]  # a mistake and a play, by their numbers


class PlaysSources(Protocol):
    """A function that plays sources natively, or exactly in float64. It yields None if there is no answer."""

    def __call__(self, asked: Iterable[tuple[str, Playable]], exactly: bool = False) -> Iterator[Observation | None]: ...


@dataclass
class Questioning:
    """The known mistakes of an exercise, questioned about its plays. Facts seen `natively` for this submission serve float64, too."""

    plays: Plays
    records: Records
    play_sources: PlaysSources
    natively: dict[Asked, Facts] = field(default_factory=dict, repr=False)
    wide: dict[int, Request] = field(default_factory=dict, repr=False)  # the requests in float64, by the number of the play

    def forecasts(self, asked: Sequence[Asked], layout: Layout | None = None, exactly: bool = True) -> Forecasts:
        """Return the forecasts that follow from the changes seen, in the `layout` of all plays, by default only of these.

        If they are native (not `exactly`), the float64 plays of some mistakes are left out: they would be compared with the native plays of
        others.
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
        """Play mistakes and record their changes: natively, and in float64 if that is asked for and may make a difference."""
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
        """Play mistakes natively. Those that cannot be executed are left out."""
        for pair, native in zip(asked, self.play_sources((self.source(pair), self.request(pair)) for pair in asked), strict=True):
            if native is not None:
                _, play = self.plays[pair[1]]
                self.natively[pair] = facts_of(limited(native, play.expectation.size_bytes), play.right)

    def is_new(self, member: int, play: int, exactly: bool) -> bool:
        """Return True if there is more to see of a mistake in a play than was seen."""
        change = self.records.of(member).get(self.plays[play][0])
        return change is None or (exactly and change.rough)

    def source(self, pair: Asked) -> str:
        return self.records.mistakes[pair[0]].source

    def request(self, pair: Asked) -> Playable:
        return self.plays[pair[1]][1].expectation.request

    def widened(self, pair: Asked) -> Request:
        """Return the request in float64, made once."""
        if pair[1] not in self.wide:
            self.wide[pair[1]] = widened(self.request(pair))
        return self.wide[pair[1]]


def limited(observation: Observation, size_limit_bytes: int) -> Observation:
    """Return an observation whose arrays above a size are only described, as they are if they come from a submission."""
    values = {
        place: Foreign(Reason.SIZE, "", value.dtype, value.values.shape)
        if isinstance(value, Array) and value.nbytes > size_limit_bytes
        else value
        for place, value in observation.values.items()
    }
    return replace(observation, values=values)


@dataclass
class Remembering:
    """A player of sources, natively and each once per request: the observations of one attempt serve the next."""

    play_sources: PlaysSources
    seen: dict[tuple[str, int], Observation | None] = field(default_factory=dict)  # by the source, and the identity of the request

    def plays(self, asked: Iterable[tuple[str, Playable]]) -> Iterator[Observation | None]:
        """Yield the observation of each source, in their order."""
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
