"""The search for the quantity of a right source that went wrong.

It is proved by substitution: if a value of the learner's replaces the quantity, the right source gives the learner's outputs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain

import numpy as np

from normgrade.diagnosis.steps.quantities import Held, Quantity, arranged, forms, held_values, puts_for, quantities
from normgrade.diagnosis.steps.replays import Outputs, Replays, Spent, outputs_of, places_apart
from normgrade.diagnosis.steps.same_values import Groups, collapsed, distinct
from normgrade.diagnosis.steps.sources import Source
from normgrade.worker.untrusted.rewriting import SpotKind
from normgrade.worker.wire.observation import MOST_PUTS, Array, Put, Record, Recording

LOOSE = 10  # times the tolerance: the allowed difference of outputs
MOST_VALUES = 8  # of the learner's that are tried for one quantity, the earliest ones
MOST_EARLIER = 3  # of the learner's that are tried before the one that was found


@dataclass(frozen=True, eq=False)
class Learner:
    """The values that the submission computed. `outputs` are those of its `whole` play that a play without a backward pass also has."""

    source: Source
    recording: Recording
    groups: Groups
    held: Sequence[Held]
    whole: Outputs
    outputs: Outputs

    @classmethod
    def of(cls, source: Source, recording: Recording, tolerance: float) -> Learner:
        groups = Groups(tolerance)
        seen = outputs_of(recording)
        return cls(source, recording, groups, held_values(recording.records, groups), seen, seen)

    def line_of(self, record: Record) -> int:
        return self.source.spots[record.place].line


@dataclass(frozen=True, eq=False)
class Base:
    """The values that a right source computed, forward only."""

    source: Source
    recording: Recording
    outputs: Outputs

    @property
    def records(self) -> Sequence[Record]:
        return self.recording.records


@dataclass(frozen=True, eq=False)
class Link:
    """A quantity that went wrong, the learner's value, and its puts. `plain` is False for its reciprocal, square and so on."""

    quantity: Quantity
    held: Held
    puts: tuple[Put, ...]
    plain: bool

    @property
    def values(self) -> np.ndarray:
        return self.puts[0].values.values


@dataclass
class StepSearch:
    """The search on one right source. `reach` holds the places that a quantity changes, after it was tried."""

    base: Base
    learner: Learner
    replays: Replays
    wrong: set[str]
    reach: dict[Quantity, set[str]] = field(default_factory=dict)

    @cached_property
    def tolerance(self) -> float:
        return self.learner.groups.tolerance

    @cached_property
    def known(self) -> set[int]:
        """The groups of the learner's values that the right source has too."""
        return self.learner.groups.found_in(self.base.records)

    @cached_property
    def made(self) -> Groups:
        """The values of the right source."""
        return self.made_in(self.base.recording)

    def made_in(self, recording: Recording) -> Groups:
        groups = Groups(self.tolerance)
        for record in recording.records:
            groups.add(distinct(record.values, self.tolerance))
        return groups

    @cached_property
    def right(self) -> set[int]:
        """The groups of the learner's values that are right on their own: the right source has them, or their reciprocals."""
        return self.known | {held.group for held in self.learner.held if self.is_reciprocal(held, self.made)}

    def is_reciprocal(self, held: Held, made: Groups) -> bool:
        """Return True if the reciprocal of a value is among others, and the value is smaller than the output."""
        small = 1 < held.values.size < self.limit
        return small and bool(held.values.all()) and self.is_in(made, 1 / held.values)

    def is_in(self, groups: Groups, values: np.ndarray) -> bool:
        return groups.find(distinct(values, self.tolerance)) is not None

    @cached_property
    def quantities(self) -> list[Quantity]:
        return quantities(self.base.records, self.base.source, self.learner.groups)

    @cached_property
    def limit(self) -> int:
        """The size of the largest output. A value of this size proves nothing."""
        return max((values.size for values in self.base.outputs.values()), default=0)

    @cached_property
    def shapes(self) -> list[tuple[int, ...]]:
        """The shapes of the right source in which all sizes differ, over which smaller arrays are broadcast."""
        found = [record.values.shape for record in self.base.records]
        return [shape for shape in dict.fromkeys(found) if len(shape) > 1 and len({*shape}) == len(shape) and 1 not in shape]

    @cached_property
    def missing(self) -> list[Quantity]:
        """The quantities that the learner lacks."""
        return [each for each in self.quantities if each.group is None]

    @cached_property
    def order(self) -> dict[Quantity, int]:
        """The quantities in order of time, by their first record."""
        times = {id(record): time for time, record in enumerate(self.base.records)}
        return {quantity: times[id(quantity.records[0])] for quantity in self.quantities}

    def is_passed(self, quantity: Quantity) -> bool:
        """Return True if the learner has a quantity that is made after this one."""
        has = [time for each, time in self.order.items() if each.group is not None and each.values.size > 1]
        return self.order[quantity] < max(has, default=0)

    def small(self, quantity: Quantity) -> bool:
        """Return True if a quantity has fewer numbers than the output, and is no buffer that is observed itself."""
        return quantity.values.size < self.limit and self.base.source.spots[quantity.records[0].place].kind is not SpotKind.UPDATED

    def proved(self) -> list[Link]:
        """Return the one quantity that went wrong, in a list; the list is empty if there is no proof."""
        for link in self.candidates():
            if self.explains([link]):
                return [self.earlier(link) or link]
        return []

    def earlier(self, link: Link) -> Link | None:
        """Return a link that explains as much with an earlier value of the learner's: a wrong one, or a right one that the link uses."""
        before = [each for each in self.learner.held if each.time < link.held.time and 1 < each.values.size < self.limit]
        unknown = [each for each in before if each.group not in self.right]
        used = [each for each in before if each.group in self.right and self.uses(link.held, each)]
        some = [each for each in self.quantities if self.small(each) and self.order[each] <= self.order[link.quantity]]
        lacking = [each for each in some if each.group is None]
        tried = chain(self.links(some, unknown[:MOST_EARLIER]), self.links(lacking, used))
        return next((each for each in tried if self.explains([each])), None)

    def uses(self, held: Held, other: Held) -> bool:
        """Return True if the learner's expression of a value contains the name of another value."""
        source, place = self.learner.source, other.record.place
        name = source.name_of(place)
        return bool(name) and source.uses(held.record.place, name, place)

    def candidates(self) -> Iterator[Link]:
        """Yield single quantities with values for them, the plainest first."""
        unknown = [held for held in self.learner.held if held.group not in self.right and held.values.size < self.limit]
        known = [held for held in self.learner.held if held.group in self.right and 1 < held.values.size < self.limit]
        missing, others = ([each for each in some if self.small(each)] for some in (self.missing, self.quantities))
        yield from self.links(missing, unknown)
        yield from self.links(missing, known)
        yield from self.links(missing, unknown, plain=False)
        yield from self.links([each for each in others if each.group is not None], unknown)

    def links(self, some: Sequence[Quantity], helds: Sequence[Held], plain: bool = True) -> Iterator[Link]:
        for quantity in some:
            for held in helds[:MOST_VALUES]:
                if quantity.values.size == 1 < held.values.size or held.group == quantity.group or (held.values.size == 1 and not plain):
                    continue
                for values in [held.values] if plain else forms(held.values, self.counts(held)):
                    for puts in puts_for(quantity, values, self.shapes):
                        if not self.hopeless(quantity):
                            more = self.in_other_iterations(quantity, held) if plain else []
                            yield Link(quantity, held, (*puts, *more)[:MOST_PUTS], plain)

    def in_other_iterations(self, quantity: Quantity, held: Held) -> list[Put]:
        """Return puts of the learner's values in the other iterations of a loop, if right code makes the quantity as often."""
        mine, found = self.times[held.record.place], list[Put]()
        if len(mine) == 1 or held.values.size != collapsed(held.record.values).size:
            return []
        own = {id(record) for record in quantity.records}
        for place in dict.fromkeys(record.place for record in quantity.records):
            theirs = [record for record in self.base.records if record.place == place]
            for right, record in zip(theirs, mine, strict=False) if len(theirs) == len(mine) else ():
                ways = [] if id(right) in own else arranged(collapsed(record.values), right.values, self.shapes)
                found += [Put(place, right.iteration, Array(np.array(way), "float64")) for way in ways[:1]]
        return found

    @cached_property
    def times(self) -> dict[int, list[Record]]:
        """The learner's records, by place."""
        found: dict[int, list[Record]] = {}
        for record in self.learner.recording.records:
            found.setdefault(record.place, []).append(record)
        return found

    def counts(self, held: Held) -> list[int]:
        """Return the number of terms that a value may be the sum of, in a list; the list is empty if there is no such number."""
        count, rest = divmod(self.limit, held.values.size)
        return [count] if count > 1 and not rest else []

    def hopeless(self, quantity: Quantity) -> bool:
        """Return True if a quantity is known to change a right place, or to leave a wrong one unchanged."""
        return quantity in self.reach and self.reach[quantity] != self.wrong

    def explains(self, links: Sequence[Link]) -> bool:
        """Return True if the right source with these values gives all outputs of the learner."""
        recording = self.replays.put(self.base.source.text, [put for link in links for put in link.puts])
        if recording is None:
            return False
        outputs = outputs_of(recording)
        if len(links) == 1 and (changed := places_apart(outputs, self.base.outputs, self.tolerance)):
            self.reach.setdefault(links[0].quantity, changed)
        return not self.unexplained(outputs)

    def unexplained(self, outputs: Outputs) -> set[str]:
        return places_apart(outputs, self.learner.outputs, LOOSE * self.tolerance)

    def with_values(self, links: Sequence[Link]) -> Recording | None:
        """Return a recording of the right source with these values; None if it fails, or no replay is left."""
        try:
            return self.replays.put(self.base.source.text, [put for link in links for put in link.puts], keep=True)
        except Spent:
            return None
