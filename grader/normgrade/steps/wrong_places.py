"""Finds the line of the learner's code that makes the first wrong value, or that first uses a right one in a wrong way."""

from __future__ import annotations

from collections.abc import Sequence

from normgrade.steps.quantities import Held, forms
from normgrade.steps.same_values import distinct
from normgrade.steps.small_changes import Change
from normgrade.steps.substitution import Link, Search
from normgrade.worker.observation import Record, Recording
from normgrade.worker.rewriting import Kind


def first_wrong(search: Search, recording: Recording, links: Sequence[Link] = ()) -> Held | None:
    """The first value of the learner's that is in this recording and not in that of the right source, or what that is computed from."""
    fresh, made = search.learner.groups.found_in(recording.records) | {link.held.group for link in links}, search.made_in(recording)
    wrong = (held for held in search.learner.held if held.group not in search.right)
    places = (wrong_use(search, held) for held in wrong if held.group in fresh or search.is_reciprocal(held, made))
    found = next((place for place in places if place is not None), None)
    if found is None:
        return None
    right = [link.held for link in links[:1] if link.held.group in search.known]
    return next((place for held in right if (place := made_for(search, held, found)) is not None), None) or origin(search, found)


def wrong_use(search: Search, held: Held) -> Held | None:
    """The record in which a value is wrong: the first one; if the value is put to right use, which shows that it is right, a later one."""
    used = right_use(search, held)
    if used is None:
        return held
    learner = search.learner
    for time, record in enumerate(learner.recording.records[used:], used):
        same = learner.groups.find(distinct(record.values, search.tolerance)) == held.group
        if same and learner.source.spots[record.place].kind.makes:
            return Held(record, held.values, time, held.group)
    return None


def right_use(search: Search, held: Held) -> int | None:
    """When a value is first used for one that right code has too."""
    learner, name = search.learner, search.learner.source.name_of(held.record.place)
    for time, record in enumerate(learner.recording.records[held.time + 1 :] if name else (), held.time + 1):
        used = record.values.size > 1 and learner.source.uses(record.place, name, held.record.place)
        if used and learner.groups.find(distinct(record.values, search.tolerance)) in search.known:
            return time
    return None


def origin(search: Search, wrong: Held) -> Held:
    """The first value of which a wrong one is a form, such as the sum of which it is the mean: it is wrong, too."""
    groups, tolerance = search.learner.groups, search.tolerance
    before = [held for held in search.learner.held if held.time < wrong.time and 1 < held.values.size < search.limit]
    for held in before:
        some = forms(held.values, search.counts(held)) if held.group not in search.right else ()
        if any(groups.find(distinct(form, tolerance)) == wrong.group for form in some):
            return held
    return wrong


def made_for(search: Search, held: Held, use: Held) -> Held | None:
    """The record of a right value that is wrong in this use, if the value is made once more for another use; else None."""
    learner, found = search.learner, dict[int, tuple[int, Record]]()
    for time, record in enumerate(learner.recording.records):
        kind = learner.source.spots[record.place].kind
        if kind in (Kind.CALL, Kind.OPERATION) and learner.groups.find(distinct(record.values, search.tolerance)) == held.group:
            found.setdefault(record.place, (time, record))
    names = {place: learner.source.name_of(place) for place in found}
    for time, record in found.values():
        name, others = names[record.place], [place for place in found if place != record.place]
        again = any(not learner.source.uses(place, name, record.place) for place in others)
        if name and again and time < use.time and learner.source.uses(use.record.place, name, record.place):
            return Held(record, held.values, time, held.group)
    return None


def wrong_made(search: Search, change: Change) -> Held | None:
    """The record of the value that a change makes, if right code lacks it."""
    group = None if change.made is None else search.learner.groups.find(distinct(change.made, search.tolerance))
    made = next((held for held in search.learner.held if held.group == group and group not in search.right), None)
    return None if made is None else wrong_use(search, made)


def changed_at(search: Search, change: Change) -> Held | None:
    """The record at which the learner's code does the same as a change.

    That is the first value that right code lacks; or before it, a value that right code has too and that stands for another one.
    """
    learner, wrong = search.learner, first_wrong(search, change.recording)
    made = change.made if change.made is not None and change.made.size > 1 else None
    groups = {learner.groups.find(None if made is None else distinct(made, search.tolerance))}
    if wrong is None:
        groups |= {learner.groups.find(distinct(learner.outputs[place], search.tolerance)) for place in search.wrong}
    return last_made(search, groups - {None}, wrong) or wrong


def last_made(search: Search, groups: set[int | None], wrong: Held | None) -> Held | None:
    """The first record of one of these values behind all other values that are made before the wrong one, or before their own last one."""
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
