"""The search for a small change of a right source that gives the learner's outputs. It can be played anywhere, like a mistake."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice

import numpy as np

from normgrade.course.mistakes import Edit
from normgrade.diagnosis.steps.axes import Shapes, factors, functions_of, offsets, other_arrays, other_axes, ratio_of
from normgrade.diagnosis.steps.quantities import Quantity
from normgrade.diagnosis.steps.replays import outputs_of, places_apart
from normgrade.diagnosis.steps.rules import RULES, Variant
from normgrade.diagnosis.steps.sources import source_of
from normgrade.diagnosis.steps.substitution import LOOSE, Link, StepSearch
from normgrade.language import _
from normgrade.worker.wire.observation import Recording

FEWER = 25  # of each of several quantities
MOST = 60  # variants of one quantity that are played
SIMPLEST = 2  # rules that come first
PLACES = 3  # at which one quantity is made


@dataclass(frozen=True, eq=False)
class Change:
    """A small change: the whole changed source, its edits as `[old, new]`, and their effect, as in "as if divided by n − 1".

    `base` is the right source before the change, `quantity` is the quantity that it changes, and `recording` is a play of the changed
    source. `made` is the value of the changed expression in it, if there is one.
    """

    source: str
    edits: list[list[str]]
    words: str
    base: str
    quantity: Quantity
    recording: Recording
    made: np.ndarray | None


def changes_for(search: StepSearch, link: Link) -> Iterator[Change]:
    """Yield the changes of the expression of a quantity that give the learner's outputs and gradients."""
    some = islice(variants(search, link.quantity, link), MOST)
    return changes(search, ((link.quantity, variant) for variant in some))


def change_for_several(search: StepSearch, links: Sequence[Link]) -> Change | None:
    """Return changes of several quantities, as one change that gives the learner's outputs; None if there is none.

    The change of each quantity gives the learner's value of it.
    """
    edits, words = list[Edit](), list[str]()
    for link in links:
        variant = next(
            (each for each in islice(variants(search, link.quantity, link), FEWER) if gives(search, [*edits, *each.edits], link)), None
        )
        if variant is None:
            return None
        edits, words = [*edits, *(edit for edit in variant.edits if edit not in edits)], [*words, variant.words]
    together = Variant(tuple(edits), _(" and ").join(dict.fromkeys(words)))
    return next(changes(search, [(links[0].quantity, together)]), None)


def gives(search: StepSearch, edits: Sequence[Edit], link: Link) -> bool:
    """Return True if a changed source makes the learner's value of a quantity."""
    text = search.base.source.changed(tuple(dict.fromkeys(edits)))
    recording = search.replays.record(text) if text is not None and is_python(text) else None
    return recording is not None and link.held.group in search.learner.groups.found_in(recording.records)


def changes_without_value(search: StepSearch, most: int) -> Iterator[Change]:
    """Yield the changes of any quantity that the learner lacks; they are for plays in which none of the learner's values is a proof.

    Quantities after the last one that the learner has come first: an earlier one may only be computed in another way.
    """
    lacking = sorted((each for each in search.missing if not search.hopeless(each)), key=search.is_passed)
    some = ((quantity, variant) for quantity in lacking for variant in islice(variants(search, quantity), MOST))
    return changes(search, islice(some, most))


def changes(search: StepSearch, some: Iterable[tuple[Quantity, Variant]]) -> Iterator[Change]:
    """Yield the changes of quantities that give the learner's outputs."""
    source = search.base.source
    tried: set[str] = set()
    for quantity, variant in some:
        text = source.changed(variant.edits)
        if text is None or text in tried or not is_python(text):
            continue
        tried.add(text)
        recording = search.replays.record(text)
        if recording is None or search.unexplained(outputs_of(recording)):
            continue
        complete = search.replays.record(text, whole=True)
        if complete is not None and not places_apart(outputs_of(complete), search.learner.whole, LOOSE * search.tolerance):
            new = value_made(text, variant, recording)
            yield Change(text, source.as_texts(variant.edits), variant.words, source.text, quantity, recording, new)


def value_made(text: str, variant: Variant, recording: Recording) -> np.ndarray | None:
    """Return the last value of the changed text: of the largest expression in it, else of the smallest expression around it."""
    if len(variant.edits) != 1:
        return None
    source, edit = source_of(text), variant.edits[0]
    start, end = edit.start, edit.start + len(edit.new)
    inside, around = dict[int, np.ndarray](), dict[int, np.ndarray]()
    for record in recording.records:
        first, last = source.range_of(source.spots[record.place])
        if start <= first and last <= end:
            inside[last - first] = record.values
        elif first <= start and end <= last:
            around[last - first] = record.values
    return inside[max(inside)] if inside else around[min(around)] if around else None


def is_python(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return False
    return True


def variants(search: StepSearch, quantity: Quantity, link: Link | None = None) -> Iterator[Variant]:
    """Yield changes of the expressions that make a quantity: first the same change in all of them, then changes of each."""
    source, shapes = search.base.source, Shapes(search.base.source, search.base.records)
    found = {source.range_of(node): node for record in quantity.records if (node := source.expression(record.place)) is not None}
    each_one = [[*of_expression(search, shapes, node, link)] for node in [*found.values()][:PLACES]]
    for number, some in enumerate(each_one):
        for variant in some:
            twins = [next((other for other in others if other.words == variant.words), None) for others in each_one[number + 1 :]]
            edits = [edit for twin in twins if twin is not None for edit in twin.edits if edit not in variant.edits]
            if edits and number == 0:
                yield Variant((*variant.edits, *edits), variant.words)
            yield variant


def of_expression(search: StepSearch, shapes: Shapes, node: ast.expr, link: Link | None) -> Iterator[Variant]:
    """Yield changes of one expression: those of the whole that the learner's value suggests, then those of its parts."""
    source, tolerance = shapes.source, search.tolerance
    parts = [each for each in ast.walk(node) if isinstance(each, ast.expr)]
    sizes = {link.held.values.size} if link is not None else unknown_sizes(search)
    for rule in RULES[:SIMPLEST]:
        for part in parts:
            yield from rule(source, part)
    if link is not None:
        values, right = link.values, link.quantity.values
        yield from functions_of(source, node, values, right, tolerance)
        yield from offsets(source, node, values, right, tolerance)
        if (ratio := ratio_of(values, right, tolerance)) is not None:
            for part in parts:
                yield from chain.from_iterable(factors(shapes, part, way, tolerance) for way in (ratio, 1 / ratio, ratio**2, ratio**-2))
    for part in parts:
        yield from other_axes(shapes, part, sizes)
    for rule in RULES[SIMPLEST:]:
        for part in parts:
            yield from rule(source, part)
    for part in parts:
        yield from other_arrays(shapes, part)


def unknown_sizes(search: StepSearch) -> set[int]:
    """Return the sizes of the learner's values that the right source lacks."""
    return {held.values.size for held in search.learner.held if held.group not in search.known}
