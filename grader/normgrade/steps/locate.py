"""Where a submission first goes wrong, and how: said only where a replay of right code with the learner's own value proves it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from normgrade.compare.context import setting_of
from normgrade.compare.factors import named
from normgrade.compare.played import Result
from normgrade.course.signature import Signature
from normgrade.language import _
from normgrade.steps.axes import ratio_of
from normgrade.steps.catalogue import quantity_in_words
from normgrade.steps.failing import Failing, failing_plays
from normgrade.steps.quantities import Held, Quantity
from normgrade.steps.replays import Answer, Outputs, Replays, Spent, outputs_of, places_apart
from normgrade.steps.same_values import distinct, tolerance_of
from normgrade.steps.search import LOOSE, Base, Learner, Link, Search
from normgrade.steps.small_changes import Change, change_for, change_for_several, change_without_value
from normgrade.steps.sources import Source, source_of
from normgrade.steps.step import Named, Step, by_factor
from normgrade.worker.messages import RecordQuestion
from normgrade.worker.observation import Recording

BLIND = re.compile(r"\b(vmap|jit|compile)\b")  # what a recorder does not see into
PLAYS = 2  # failing plays that are looked at
REPLAYS = 250  # in all
FOR_CHANGES = 80  # of them, at most, for changes without a value of the learner's
OTHERS = 8  # alternatives that are compared with the learner's code
NEAREST = 2  # of them that are searched
TOLD = 2  # of what is right


def locate(
    unexplained: Iterable[Result],
    source: str,
    sources: Sequence[str],
    submission: Answer,
    understudy: Answer,
    defines: Sequence[Signature] = (),
) -> Step | None:
    """The first step of a submission that goes wrong; None where that is not certain.

    unexplained: failing checks whose numbers are wrong.
    source: that of the submission.
    sources: the reference, then the alternatives: right sources.
    submission, understudy: play questions in workers, on the submission and on sources of the course's own.
    defines: the names that the exercise defines, with their parameters.
    """
    left = REPLAYS
    for failing in failing_plays(unexplained)[:PLAYS]:
        replays = Replays(failing, understudy, left)
        try:
            step = Case(failing, source_of(source), sources, submission, replays, defines).step()
        except Spent:
            step = None
        left = replays.left
        if step is not None or left <= 0:
            return step
    return None


@dataclass(frozen=True, eq=False)
class Case:
    """A submission in one failing play."""

    failing: Failing
    source: Source
    sources: Sequence[str]
    submission: Answer
    replays: Replays
    defines: Sequence[Signature]

    def step(self) -> Step | None:
        """The first step that goes wrong in this play."""
        whole = self.recorded()
        reference = None if whole is None else self.base(self.sources[0])
        if whole is None or reference is None or (tolerance := tolerance_of(whole.records)) is None:
            return None
        learner, numbers = Learner.of(self.source, whole, tolerance), outputs_of(whole)
        if any(numbers.get(place) is None or numbers[place].size != right.size for place, right in reference.outputs.items()):
            return None
        learner = Learner(learner.source, whole, learner.groups, learner.held, {place: numbers[place] for place in reference.outputs})
        wrong = places_apart(learner.outputs, reference.outputs, LOOSE * tolerance)
        if not wrong or not all(np.isfinite(learner.outputs[place]).all() for place in wrong):
            return None
        search = Search(reference, learner, self.replays, wrong)
        return self.proved(search, numbers) or self.changed(search, numbers) or self.elsewhere(search, numbers)

    def recorded(self) -> Recording | None:
        """The submission's own play; None where it does not come to its end, or is not wholly on record."""
        if BLIND.search(self.source.text):
            return None
        recording = self.submission(RecordQuestion(self.failing.whole, self.failing.size_limit_bytes))
        placed = all(record.place < len(self.source.spots) for record in recording.records)
        return recording if recording.error is None and recording.records and placed else None

    def base(self, text: str) -> Base | None:
        recording = self.replays.record(text)
        return None if recording is None or not recording.records else Base(source_of(text), recording, outputs_of(recording))

    # The ways to a step

    def proved(self, search: Search, numbers: Outputs) -> Step | None:
        """A step that a value of the learner's proves, with a change if one is found."""
        links = search.proved()
        if not links or (recording := search.with_values(links)) is None:
            return None
        first = links[0]
        held = search.first_wrong(recording, links)
        change = self.change(search, links, numbers)
        if change is not None and held is None:
            held = search.first_wrong(change.recording)
        return None if held is None else self.told(search, held, first, change, links[1:])

    def change(self, search: Search, links: Sequence[Link], numbers: Outputs) -> Change | None:
        try:
            return change_for(search, links[0], numbers) if len(links) == 1 else change_for_several(search, links, numbers)
        except Spent:
            return None

    def changed(self, search: Search, numbers: Outputs) -> Step | None:
        """A step that a small change of the reference proves."""
        change = change_without_value(search, numbers, FOR_CHANGES)
        if change is None:
            return None
        held = place_of(search, change)
        return None if held is None else self.told(search, held, change.quantity, change)

    def elsewhere(self, search: Search, numbers: Outputs) -> Step | None:
        """A step that one of the alternatives tells, which share most values with the learner's code."""
        bases = [base for text in self.sources[1 : 1 + OTHERS] if (base := self.base(text)) is not None]
        fitting = [base for base in bases if not places_apart(base.outputs, search.base.outputs, search.tolerance)]
        fitting.sort(key=lambda base: -len(search.learner.groups.found_in(base.records)))
        for base in fitting[:NEAREST]:
            if (step := self.proved(Search(base, search.learner, self.replays, search.wrong), numbers)) is not None:
                return step
        return None

    # In words

    def told(self, search: Search, held: Held, cause: Link | Quantity, change: Change | None, later: Sequence[Link] = ()) -> Step | None:
        """The step in words; none for what is wrong before any call, which no step explains."""
        if self.is_built(held):
            return None
        quantity = cause.quantity if isinstance(cause, Link) else cause
        word = quantity_in_words(search.base.source, quantity.records[0].place)
        ratio = None
        if isinstance(cause, Link) and cause.plain:
            ratio = ratio_of(cause.values, cause.quantity.values, search.tolerance)
        how = "" if ratio is None else by_factor(ratio) if change is not None else self.origin(ratio)
        again = tuple(self.named(quantity_in_words(search.base.source, each.quantity.records[0].place), each.held) for each in later)
        return Step(tuple(self.right(search, held, word)), self.named(word, held), again, how, change)

    def origin(self, ratio: float) -> str:
        """Every value times a factor, with its likely origin."""
        setting = setting_of(self.failing.request, self.defines)
        return _("every value × {factor}", factor=named(ratio, setting))

    def named(self, word: str, held: Held) -> Named:
        return Named.at(word, self.source, self.source.spots[held.record.place])

    def right(self, search: Search, wrong: Held, word: str) -> Iterator[Named]:
        """The last quantities with a name that the learner has right before the wrong one."""
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
        """Whether a value is made while a layer is built."""
        node = self.source.expression(held.record.place)
        return node is not None and getattr(self.source.function(node), "name", "") == "__init__"

    def is_computed(self, held: Held) -> bool:
        """Whether a value is made in a call."""
        return self.source.spots[held.record.place].kind.makes and not self.is_built(held)


def place_of(search: Search, change: Change) -> Held | None:
    """Where the learner's code does what a change does.

    That is the first value that right code lacks; or before it, the last value that right code has too and that stands for another one.
    """
    learner, wrong = search.learner, search.first_wrong(change.recording)
    made = change.made if change.made is not None and change.made.size > 1 else None
    groups = {learner.groups.find(None if made is None else distinct(made, search.tolerance))}
    if wrong is None:
        groups |= {learner.groups.find(distinct(learner.outputs[place], search.tolerance)) for place in search.wrong}
    return last_made(search, groups - {None}, wrong) or wrong


def last_made(search: Search, groups: set[int | None], wrong: Held | None) -> Held | None:
    """The first record of one of these values behind all other values that are made before the wrong one."""
    learner, records = search.learner, search.learner.recording.records
    until, line = (len(records), 0) if wrong is None else (wrong.time, learner.line_of(wrong.record))
    before = [held for held in learner.held if held.time < until and held.group not in groups and learner.line_of(held.record) != line]
    last = max((held.time for held in before), default=0)
    for time, record in enumerate(records[:until]):
        group = learner.groups.find(distinct(record.values, search.tolerance))
        makes = learner.source.spots[record.place].kind.makes
        if group in groups and group is not None and ((time >= last and makes) or (wrong is None and record is records[-1])):
            return Held(record, record.values, time, group)
    return None
