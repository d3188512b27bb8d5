"""The search for the line of the learner's code that makes the first wrong value, or first uses a right value wrongly."""

from __future__ import annotations

from collections.abc import Sequence

from normgrade.diagnosis.steps.quantities import Held, forms
from normgrade.diagnosis.steps.same_values import distinct
from normgrade.diagnosis.steps.small_changes import Change
from normgrade.diagnosis.steps.substitution import Link, StepSearch
from normgrade.worker.untrusted.rewriting import SpotKind
from normgrade.worker.wire.observation import Record, Recording


def first_wrong(search: StepSearch, recording: Recording, links: Sequence[Link] = ()) -> Held | None:
    """Return the record of the learner's first wrong value that this recording explains, or of an earlier value that it comes from.

    The value is in this recording, or replaces a quantity in it, and the right source lacks it.
    """
    fresh, made = search.learner.groups.found_in(recording.records) | {link.held.group for link in links}, search.made_in(recording)
    wrong = (held for held in search.learner.held if held.group not in search.right)
    places = (wrong_use(search, held) for held in wrong if held.group in fresh or search.is_reciprocal(held, made))
    found = next((place for place in places if place is not None), None)
    if found is None:
        return None
    right = [link.held for link in links[:1] if link.held.group in search.known]
    return next((place for held in right if (place := made_for(search, held, found)) is not None), None) or origin(search, found)


def wrong_use(search: StepSearch, held: Held) -> Held | None:
    """Return the record in which a value is wrong; None if there is none.

    It is the first record of the value. If a value that right code has is computed from this record, the record is right, and a later one
    is returned.
    """
    used = right_use(search, held)
    if used is None:
        return held
    learner = search.learner
    for time, record in enumerate(learner.recording.records[used:], used):
        same = learner.groups.find(distinct(record.values, search.tolerance)) == held.group
        if same and learner.source.spots[record.place].kind.makes:
            return Held(record, held.values, time, held.group)
    return None


def right_use(search: StepSearch, held: Held) -> int | None:
    """Return the time at which a value is first used to compute a value that right code has too; None if it never is."""
    learner, name = search.learner, search.learner.source.name_of(held.record.place)
    for time, record in enumerate(learner.recording.records[held.time + 1 :] if name else (), held.time + 1):
        used = record.values.size > 1 and learner.source.uses(record.place, name, held.record.place)
        if used and learner.groups.find(distinct(record.values, search.tolerance)) in search.known:
            return time
    return None


def origin(search: StepSearch, wrong: Held) -> Held:
    """Return the first wrong value that this wrong value is derived from, such as the sum of a mean; else this value."""
    groups, tolerance = search.learner.groups, search.tolerance
    before = [held for held in search.learner.held if held.time < wrong.time and 1 < held.values.size < search.limit]
    for held in before:
        some = forms(held.values, search.counts(held)) if held.group not in search.right else ()
        if any(groups.find(distinct(form, tolerance)) == wrong.group for form in some):
            return held
    return wrong


def made_for(search: StepSearch, held: Held, use: Held) -> Held | None:
    """Return the record of a right value that is wrong in this use, if the value is made once more for another use; else None."""
    learner, found = search.learner, dict[int, tuple[int, Record]]()
    for time, record in enumerate(learner.recording.records):
        kind = learner.source.spots[record.place].kind
        if kind in (SpotKind.CALL, SpotKind.OPERATION) and learner.groups.find(distinct(record.values, search.tolerance)) == held.group:
            found.setdefault(record.place, (time, record))
    names = {place: learner.source.name_of(place) for place in found}
    for time, record in found.values():
        name, others = names[record.place], [place for place in found if place != record.place]
        again = any(not learner.source.uses(place, name, record.place) for place in others)
        if name and again and time < use.time and learner.source.uses(use.record.place, name, record.place):
            return Held(record, held.values, time, held.group)
    return None


def wrong_made(search: StepSearch, change: Change) -> Held | None:
    """Return the record of the value that a change makes; None if the learner lacks it, or it is right."""
    group = None if change.made is None else search.learner.groups.find(distinct(change.made, search.tolerance))
    made = next((held for held in search.learner.held if held.group == group and group not in search.right), None)
    return None if made is None else wrong_use(search, made)


def changed_at(search: StepSearch, change: Change) -> Held | None:
    """Return the record at which the learner's code does the same as a change.

    It is the first value that right code lacks, or before it, a value that right code also has, but in the place of another one.
    """
    learner, wrong = search.learner, first_wrong(search, change.recording)
    made = change.made if change.made is not None and change.made.size > 1 else None
    groups = {learner.groups.find(None if made is None else distinct(made, search.tolerance))}
    if wrong is None:
        groups |= {learner.groups.find(distinct(learner.outputs[place], search.tolerance)) for place in search.wrong}
    return last_made(search, groups - {None}, wrong) or wrong


def last_made(search: StepSearch, groups: set[int | None], wrong: Held | None) -> Held | None:
    """Return the first record of one of these values after all other values made before `wrong`; None if there is none.

    If `wrong` is None, it is after all other values made before the last record of one of these values.
    """
    learner, records = search.learner, search.learner.recording.records
    made = {time: learner.groups.find(distinct(record.values, search.tolerance)) for time, record in enumerate(records)}
    made = {time: group for time, group in made.items() if group in groups and learner.source.spots[records[time].place].kind.makes}
    until, line = (max(made, default=0), 0) if wrong is None else (wrong.time, learner.line_of(wrong.record))
    before = [held for held in learner.held if held.time < until and held.group not in groups and learner.line_of(held.record) != line]
    last = max((held.time for held in before), default=0)
    for time, group in made.items():
        if group is not None and last <= time and (time < until or wrong is None):
            return Held(records[time], records[time].values, time, group)
    return None
