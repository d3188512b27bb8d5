"""The description of a step: its line in the submission, the right quantities before it, and words for both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from normgrade.course.signature import Signature
from normgrade.diagnosis.steps.axes import ratio_of
from normgrade.diagnosis.steps.catalogue import quantity_in_words
from normgrade.diagnosis.steps.quantities import Held, Quantity
from normgrade.diagnosis.steps.small_changes import Change
from normgrade.diagnosis.steps.sources import Source
from normgrade.diagnosis.steps.step import Named, Step, by_factor
from normgrade.diagnosis.steps.substitution import Link, StepSearch
from normgrade.diagnosis.steps.wrong_places import changed_at, first_wrong, wrong_made
from normgrade.language import _
from normgrade.remarks.context import setting_of
from normgrade.remarks.factors import named
from normgrade.worker.wire.observation import Recording
from normgrade.worker.wire.requests import TypedRequest

TOLD = 2  # right quantities
REST = 1e-3  # a factor that is nearer to 1 is what another mistake leaves


@dataclass(frozen=True, eq=False)
class Telling:
    """A description of the steps of one submission in one play."""

    source: Source
    request: TypedRequest
    defines: Sequence[Signature]

    def of_values(self, search: StepSearch, links: Sequence[Link], recording: Recording, change: Change | None) -> Step | None:
        """Return the step at which quantities went wrong; None if they nearly did not.

        `recording` is of right code with the learner's values in their places.
        """
        places = [first_wrong(search, recording, links), None if change is None else wrong_made(search, change)]
        held = min((place for place in places if place is not None), key=lambda place: place.time, default=None)
        first, *later = links
        ratio = ratio_of(first.values, first.quantity.values, search.tolerance) if first.plain else None
        if ratio is not None and change is None and abs(ratio - 1) < REST:
            return None
        how = "" if ratio is None else by_factor(ratio) if change is not None else self.with_origin(ratio)
        return None if held is None else self.step(search, held, first.quantity, how, change, later)

    def of_change(self, search: StepSearch, change: Change) -> Step | None:
        """Return the step at which the learner's code does the same as a small change."""
        held = changed_at(search, change)
        return None if held is None else self.step(search, held, change.quantity, "", change, ())

    def step(
        self, search: StepSearch, held: Held, quantity: Quantity, how: str, change: Change | None, later: Sequence[Link]
    ) -> Step | None:
        """Return the step; None if the wrong value is made before any call, because no step explains that."""
        if self.is_built(held):
            return None
        word = self.word(search, quantity)
        named = self.named(word, held)
        again = tuple(dict.fromkeys(self.named(self.word(search, link.quantity), link.held) for link in later))
        again = tuple(each for each in again if each.line != named.line)
        return Step(tuple(self.right(search, held, word)), named, again, how, change)

    def word(self, search: StepSearch, quantity: Quantity) -> str:
        return quantity_in_words(search.base.source, quantity.records[0].place)

    def with_origin(self, ratio: float) -> str:
        """Return "every value × factor" in words, with the likely origin of the factor."""
        return _("every value × {factor}", factor=named(ratio, setting_of(self.request, self.defines)))

    def named(self, word: str, held: Held) -> Named:
        return Named.at(word, self.source, self.source.spots[held.record.place])

    def right(self, search: StepSearch, wrong: Held, word: str) -> Iterator[Named]:
        """Yield the last named quantities that the learner has right before the wrong one."""
        found: dict[str, Held] = {}
        by_group = {held.group: held for held in search.learner.held}
        for quantity in search.quantities:
            held = None if quantity.group is None else by_group.get(quantity.group)
            places = [record.place for record in quantity.records if search.base.source.name_of(record.place)]
            if held is not None and held.time < wrong.time and places and self.is_computed(held):
                found.setdefault(quantity_in_words(search.base.source, places[0]), held)
        some = [(name, held) for name, held in found.items() if name != word]
        yield from (self.named(name, held) for name, held in some[-TOLD:])

    def is_built(self, held: Held) -> bool:
        """Return True if a value is made while a layer is built."""
        node = self.source.expression(held.record.place)
        return node is not None and getattr(self.source.function(node), "name", "") == "__init__"

    def is_computed(self, held: Held) -> bool:
        """Return True if a value is made in a call."""
        return self.source.spots[held.record.place].kind.makes and not self.is_built(held)
