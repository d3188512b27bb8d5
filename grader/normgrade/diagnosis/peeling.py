"""The removal of wrong forms and wrong half precision from the results, before known mistakes are searched for in the rest.

Code that is wrong in several ways is nearly always wrong in half precision, too. Another formula rounds differently, so no known mistake
leads to its numbers. To see if a submission widens half precision, it is played again with the same numbers in float32. If this changes
the wrong facts, and a recording shows arithmetic in half precision, the submission does not widen half precision. The numbers of the
second play then replace the observed ones, and show all other mistakes. Where right code computes in half precision, too, this needs a
number that becomes right. A play that ends in an exception is left as it is.

Right numbers in another dtype or shape, a changed input, and wrong float64 numbers of code that converts them to float32 on the way are
separate mistakes that speak neither for nor against any mistake.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

import numpy as np

from normgrade.compare.differences import allowed
from normgrade.compare.facts import ABSENT, Facts
from normgrade.compare.played import Played, PlayKey, Result
from normgrade.language.places import Place
from normgrade.oracle.draws import rounded_to
from normgrade.oracle.expected import Expectation
from normgrade.oracle.inputs import arrays_in, perturbed
from normgrade.oracle.inputs import widened as in_float64
from normgrade.report.report import FLOAT64_NARROWED, HALF_PRECISION, INPUT_CHANGED, OTHER_DTYPE, OTHER_SHAPE, WIDER_RETURNED
from normgrade.worker.wire.observation import HALF, Array, Observation, Playable, Recording, Request

FLOATS = ("float16", "bfloat16", "float32", "float64")
WIDE = ("float32", "float64")
LEFT_ALONE = "left alone"  # the end of the template of a thing that is looked at after the call
OF_THE_CALLER = {"input left alone", "input {number} left alone", "argument {number} left alone", "gradient of the output left alone"}
MOST = 40  # plays in half precision that are played again
RECORDED = 3  # plays that are recorded to see a dtype
ALWAYS = (0.0, 65504.0, 3.3895314e38)  # numbers that a value in half precision may hold without any arithmetic: it is masked, or clamped
SHAKEN = 2.0**-12  # by how much inputs are changed to see which values depend on them

At = Mapping[PlayKey, frozenset[int]]  # facts, by their numbers in their play
NOWHERE: At = {}
PlayAgain = Callable[[Sequence[Playable]], Sequence[Observation | None]]  # asks the submission; None if there is no answer
Record = Callable[[Sequence[Playable]], Sequence[Recording]]  # plays the submission on record


@dataclass(frozen=True, eq=False)
class Peeled:
    """A submission's results, and its wrong forms, which were taken off.

    observed: the results.
    rest: the same, with half precision widened if that makes a difference.
    kinds: the facts that were taken off, by the name of their built-in mistake.
    """

    observed: Sequence[Result]
    rest: Sequence[Result]
    kinds: Mapping[str, At] = field(default_factory=dict)

    @property
    def aside(self) -> At:
        """The facts that speak neither for nor against any mistake: all except for those that half precision changes."""
        return joined(facts for name, facts in self.kinds.items() if name != HALF_PRECISION)

    @property
    def taken(self) -> At:
        """All facts that were taken off."""
        return joined(self.kinds.values())


def no_record(requests: Sequence[Playable]) -> Sequence[Recording]:
    return ()


def peel(results: Sequence[Result], play_again: PlayAgain, record: Record = no_record, record_right: Record = no_record) -> Peeled:
    """Play the submission's half precision again in float32, and take off all wrong forms. `record_right` plays right code on record."""
    asked = in_half(results)
    answers = play_again([in_float32(play.expectation.request) for play in asked.values()]) if asked else ()
    wide = {
        key: Played(as_due(seen, play.expectation), play.expectation, play.refusal)
        for (key, play), seen in zip(asked.items(), answers, strict=True)
        if seen is not None
    }
    kinds: dict[str, dict[PlayKey, frozenset[int]]] = {}
    changes = {key: widening_changes(asked[key], play) for key, play in wide.items()}
    telling = [asked[key] for key, change in changes.items() if change.telling]
    mended = any(not wide[key].facts.wrong[fact] for key, change in changes.items() for fact in change.telling)
    if computes_in_half(telling, record) and (mended or not computes_in_half(telling, record_right)):
        kinds[HALF_PRECISION] = {key: change.narrow for key, change in changes.items() if change.narrow}
    else:
        wide = {}
    rest = [with_plays(result, wide) for result in results]
    for key, play in plays_of(rest):
        for name, facts in other_forms(play).items():
            kinds.setdefault(name, {})[key] = facts
    if not narrows_float64((play for key, play in plays_of(rest) if key in kinds.get(FLOAT64_NARROWED, ())), record):
        kinds.pop(FLOAT64_NARROWED, None)
    returned = {key: change.returned for key, change in changes.items() if change.returned}
    wider = joined([returned, kinds.pop(WIDER_RETURNED, {})])
    name = OTHER_DTYPE if OTHER_DTYPE in kinds else WIDER_RETURNED  # code may return one dtype for every input: that is told once
    kinds[name] = dict(joined([wider, kinds.get(name, {})]))
    return Peeled(results, rest, {name: facts for name, facts in kinds.items() if facts})


def plays_of(results: Sequence[Result]) -> Iterator[tuple[PlayKey, Played]]:
    """Yield every play with its key."""
    return (((result.check.name, number), play) for result in results for number, play in enumerate(result.plays))


def in_half(results: Sequence[Result]) -> dict[PlayKey, Played]:
    """Return the first plays that hold half precision and have a wrong value, but no wrong ending.

    Plays with a changed input are left out: the effect of the change depends on widening, which may make a copy.
    """
    wrong = ((key, play) for key, play in plays_of(results) if (play.facts.wrong & play.facts.reached).any() and not play.facts.wrong[-1])
    found = ((key, play) for key, play in wrong if holds_half(play.expectation.request.inputs) and INPUT_CHANGED not in other_forms(play))
    return dict(islice(found, MOST))


def with_plays(result: Result, instead: Mapping[PlayKey, Played]) -> Result:
    """Return the result with some of its plays replaced."""
    return replace(result, plays=tuple(instead.get((result.check.name, number), play) for number, play in enumerate(result.plays)))


def joined(several: Iterable[At]) -> At:
    """Return the facts of several mappings together."""
    found: dict[PlayKey, frozenset[int]] = {}
    for each in several:
        for key, facts in each.items():
            found[key] = found.get(key, frozenset()) | facts
    return found


# Half precision


def holds_half(thing: Any) -> bool:
    """Return True if anything in a request is in half precision."""
    match thing:
        case Array():
            return thing.dtype in HALF
        case str():
            return thing in HALF
        case Mapping():
            return any(map(holds_half, thing.values()))
        case list() | tuple():
            return any(map(holds_half, thing))
    return False


def in_float32(request: Playable) -> Request:
    """Return the request with float32 in place of half precision: the same numbers."""
    return Request(request.probe, widened(dict(request.inputs)))


def widened(thing: Any) -> Any:
    match thing:
        case Array() if thing.dtype in HALF:
            return Array(thing.values.astype(np.float32), "float32")
        case str() if thing in HALF:
            return "float32"
        case Mapping():
            return {key: widened(value) for key, value in thing.items()}
        case list() | tuple():
            return type(thing)(map(widened, thing))
    return thing


def as_due(seen: Observation, expectation: Expectation) -> Observation:
    """Return an observation with the half precision that is due. float16 is rounded; the tolerance of bfloat16 includes its rounding."""
    values = dict(seen.values)
    for place, due in expectation.places.items():
        value = values.get(place)
        if isinstance(value, Array) and value.dtype == "float32" and due.dtype in HALF:
            rounded = value.values.astype(np.float16) if due.dtype == "float16" else value.values
            values[place] = Array(rounded, str(due.dtype), value.error)
    return replace(seen, values=values)


def computes_in_half(plays: Iterable[Played], record: Record) -> bool:
    """Return True if a number is made in half precision, in any of these plays, that is no rounding of a wider one."""
    requests = [play.expectation.request for play in smallest(plays)]
    return bool(requests) and any(map(makes_half, record(requests), requests))


def makes_half(recording: Recording, request: Playable) -> bool:
    """Return True if a recording has such a number. Single numbers do not count: they are settings."""
    known = [np.array(ALWAYS), *(np.abs(each.values).ravel() for each in arrays_in(request.inputs) if each.values.dtype.kind == "f")]
    for each in recording.records:
        numbers = np.abs(each.values[np.isfinite(each.values)])
        if each.dtype in HALF and each.values.size > 1:
            with np.errstate(over="ignore"):
                rounded = rounded_to(np.concatenate(known), each.dtype).values
            if not np.isin(numbers, rounded).all():
                return True
        known.append(numbers)
    return not recording.records  # nothing can be seen


@dataclass(frozen=True)
class Changes:
    """The wrong facts of a play that change with widened inputs.

    narrow: all of these except for `returned`.
    returned: the forms with float32 or float64 instead of the half precision that is due.
    telling: those that change by more than a rounding.
    """

    narrow: frozenset[int]
    returned: frozenset[int]
    telling: frozenset[int]


def widening_changes(before: Played, after: Played) -> Changes:
    """Compare the facts of a play with those of the same play with widened inputs."""
    narrow, returned, telling = set[int](), set[int](), set[int]()
    ours, theirs, right = before.facts, after.facts, before.right
    for fact in np.flatnonzero(ours.wrong & ours.reached).tolist():
        mended, index = not (theirs.wrong[fact] and theirs.reached[fact]), fact // 2
        if index < len(right.places) and right.places[index].template.endswith(LEFT_ALONE):
            continue
        if fact % 2 == 0 and fact < right.size - 1:
            if mended and dtype_of(right.forms[index]) in HALF and dtype_of(ours.forms[index]) in WIDE:
                returned.add(fact)
                continue
            far = mended
        else:
            far = apart(ours, theirs, before, index) if fact % 2 else mended
        if mended or far:
            narrow.add(fact)
        if far:
            telling.add(fact)
    return Changes(frozenset(narrow), frozenset(returned), frozenset(telling))


def apart(ours: Facts, theirs: Facts, play: Played, index: int) -> bool:
    """Return True if the numbers of one place are further apart than the allowed error and two roundings."""
    here = slice(play.right.starts[index], play.right.starts[index + 1])
    one, other = ours.numbers[here], theirs.numbers[here]
    finite = np.isfinite(one) & np.isfinite(other)
    largest = np.abs(other[finite]).max(initial=0.0)  # a number left by cancellation is as rough as those that cancelled
    right = np.abs(play.right.numbers[here][finite]).max(initial=0.0)
    larger = max(1.0, largest / right) if right else 1.0  # numbers that are too large are as much rougher
    limit = larger * np.nan_to_num(play.right.allowed[here], posinf=0.0) + 2 * play.right.units[here] * largest
    with np.errstate(all="ignore"):
        return bool(((np.isfinite(one) != np.isfinite(other)) | (finite & (np.abs(one - other) > limit))).any())


# Forms


def other_forms(play: Played) -> dict[str, frozenset[int]]:
    """Return the wrong facts of a play that show a wrong form or a changed input, and wrong float64 numbers, by their mistake.

    Only places with as many floating-point numbers as are due count. An output of another shape has no gradient, since the gradient of the
    output has the shape that is due.
    """
    found: dict[str, set[int]] = {}
    for index, place in enumerate(play.right.places):
        if not holds_numbers(play, index):
            continue
        if place.template.endswith(LEFT_ALONE):
            if place.template in OF_THE_CALLER:
                found.setdefault(INPUT_CHANGED, set()).update(fact for fact in (2 * index, 2 * index + 1) if play.facts.wrong[fact])
        elif play.facts.wrong[2 * index]:
            got, due = play.facts.forms[index], play.right.forms[index]
            if dtype_of(got) != dtype_of(due):
                found.setdefault(WIDER_RETURNED if is_wider(got, due) else OTHER_DTYPE, set()).add(2 * index)
            if shape_of(got) != shape_of(due):
                found.setdefault(OTHER_SHAPE, set()).add(2 * index)
        elif play.facts.wrong[2 * index + 1] and play.expectation.places[place].unit == "float64":
            found.setdefault(FLOAT64_NARROWED, set()).add(2 * index + 1)
    if OTHER_SHAPE in found:
        steps = {play.right.places[fact // 2].step for fact in found[OTHER_SHAPE] if play.right.places[fact // 2].learnt is None}
        found[OTHER_SHAPE].update(without_gradient(play, steps))
    return {name: frozenset(facts) for name, facts in found.items() if facts}


def without_gradient(play: Played, steps: Collection[int | None]) -> Iterator[int]:
    """Yield the wrong facts of the gradients that are missing in these steps."""
    for index, place in enumerate(play.right.places):
        if place.learnt is not None and place.step in steps and play.facts.forms[index] in ABSENT:
            yield from (fact for fact in (2 * index, 2 * index + 1) if play.facts.wrong[fact])


def holds_numbers(play: Played, index: int) -> bool:
    """Return True if a place has as many floating-point numbers as are due."""
    place = play.right.places[index]
    got, due = play.observation.values.get(place), play.expectation.places[place].value
    floats = dtype_of(play.right.forms[index]) in FLOATS and dtype_of(play.facts.forms[index]) in FLOATS
    return floats and isinstance(got, Array) and isinstance(due, Array) and got.values.size == due.values.size


def narrows_float64(plays: Iterable[Played], record: Record) -> bool:
    """Return True if the submission computes a float32 value from the inputs of one of these plays, though all of them are float64."""
    requests = [play.expectation.request for play in smallest(plays)]
    twice = [each for request in requests for each in (in_float64(request), perturbed(request, SHAKEN, 0))]
    values = [*map(narrow_values, record(twice) if twice else ())]
    return any(before != after for before, after in zip(values[::2], values[1::2], strict=True))


def smallest(plays: Iterable[Played]) -> list[Played]:
    """Return the plays that are recorded."""
    return sorted(plays, key=lambda play: play.right.size)[:RECORDED]


def narrow_values(recording: Recording) -> list[tuple[int, int, bytes]]:
    """Return the float32 values of a recording, each with its place and iteration."""
    return [(each.place, each.iteration, each.values.tobytes()) for each in recording.records if each.dtype == "float32"]


def is_right_in_float32(play: Played, place: Place) -> bool:
    """Return True if the numbers at a place would be right if float32 arithmetic were enough."""
    got, expected = play.observation.values.get(place), play.expectation.places[place]
    if expected.unit == "float32" or not isinstance(got, Array) or not isinstance(expected.value, Array):
        return False
    with np.errstate(all="ignore"):
        return bool((np.abs(got.values - expected.value.values) <= allowed(replace(expected, unit="float32"))).all())


def is_wider(got: str | None, due: str) -> bool:
    """Return True if float32 or float64 came instead of the half precision that is due."""
    return dtype_of(due) in HALF and dtype_of(got) in WIDE


def dtype_of(form: str | None) -> str:
    return str(form).partition(" ")[0]


def shape_of(form: str | None) -> str:
    return str(form).partition(" ")[2]
