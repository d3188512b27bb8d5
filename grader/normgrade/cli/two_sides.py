"""Both sides of a trial, place by place: the values of the reference and of the learner's file, and if they agree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TypeVar

import numpy as np
from rich.console import Console, Group, RenderableType
from rich.text import Text

from normgrade.compare.differences import allowed, at_most
from normgrade.compare.played import Played
from normgrade.compare.value_words import in_words
from normgrade.course.exercise import Exercise
from normgrade.inspection.program import program_of
from normgrade.language import _
from normgrade.language.places import Place, place_in_words
from normgrade.remarks.crash import due_in, raised
from normgrade.remarks.misuse import misuse
from normgrade.report.render.numbers import FEW, Sides, as_text, sides
from normgrade.report.render.whole import difference_lines, indented, places, raised_lines, table_of_sides
from normgrade.report.render.wording import LINES, bounded, difference_in_words, one_line, what_it_is
from normgrade.report.report import ArrayDifference, Comparison, Difference, Numbers, SideBySide
from normgrade.suite.blame import alone
from normgrade.suite.vocabulary import as_expected
from normgrade.worker.wire.observation import Array, Observation

Words = Mapping[str, str]  # of an exercise, for its places
D = TypeVar("D", bound=Comparison)
RESULTS = ("output", "result")  # the places of results begin so


def show(console: Console, title: str, play: Played, exercise: Exercise, source: str) -> bool:
    """Print both sides, and return if they agree. `source` is the learner's."""
    console.print(Text(one_line(title), style="bold"))
    if stdout := play.observation.stdout.strip():
        console.print(Text(_("your code printed:"), style="dim"), indented(Text(bounded(stdout, LINES))))
    if play.observation.error or play.expectation.error:
        return show_errors(console, play, exercise, source)
    wrong = {each.place: each for each in play.differences}
    for place in play.expectation.places:
        for part in place_lines(place, play, wrong.get(place), exercise.places):
            console.print(part)
    if leaves_open(play):
        console.print(Text(_("Some numbers of the reference are undetermined in float32. Any number agrees there."), style="dim"))
    if wrong:
        for part in telling(play, exercise, source):
            console.print(part)
        differing = [named(each, exercise.places) for each in play.differences]
        console.print(Text(_("✗ They differ: {places}.", places=places(differing)), style="bold red"))
    else:
        console.print(Text(_("✓ They agree within the rounding of float32."), style="green"))
    return not wrong


def place_lines(place: Place, play: Played, wrong: Difference | None, words: Words) -> Iterator[RenderableType]:
    """Yield the lines about a place. Results and gradients always have some, other places only if they differ."""
    expected, got = play.expectation.places[place], play.observation.values.get(place)
    if isinstance(wrong, ArrayDifference):
        difference = named(wrong, words)
        rows = sides(difference)
        yield heading(difference, difference_in_words(difference))
        yield indented(table_of_sides(rows, _("reference"), _("yours")))
        yield from more(difference.mismatched - sum(row.differs for row in rows))
    elif wrong is not None:
        yield from difference_lines(named(wrong, words))
    elif is_told(place) and isinstance(expected.value, Array) and isinstance(got, Array):
        numbers = Numbers(expected.value.values, got.values, at_most(expected.value.values, allowed(expected)))
        both = SideBySide(place=place, dtype=got.dtype, shape=got.values.shape, numbers=numbers)
        yield heading(named(both, words), _("they agree"))
        if got.values.size:
            alike = Sides.of(both)
            yield indented(table_of_sides([alike.row(number) for number in range(min(got.values.size, FEW))], _("reference"), _("yours")))
        yield from more(got.values.size - FEW)


def heading(both: SideBySide, said: str) -> Text:
    return Text.assemble((what_it_is(both), "bold"), _(": "), said)


def more(count: int) -> Iterator[RenderableType]:
    if count > 0:
        yield indented(Text(_("and {n} more", n=count), style="dim"))


def named(found: D, words: Words) -> D:
    """Return the comparison without its step, since a trial has only one, and with its place in the current language."""
    place = found.place.at(None)
    return replace(found, place=place, called=place_in_words(place, words))


def is_told(place: Place) -> bool:
    """Return True if a place holds a result or a gradient."""
    return place.template.startswith((*RESULTS, "gradient of")) and not place.template.endswith("left alone")


def leaves_open(play: Played) -> bool:
    """Return True if a finite number of the reference is not settled in float32."""
    places = ((each, each.value) for each in play.expectation.places.values())
    return any((np.isinf(allowed(each)) & np.isfinite(value.values)).any() for each, value in places if isinstance(value, Array))


def telling(play: Played, exercise: Exercise, source: str) -> Iterator[RenderableType]:
    """Yield the lines about an exception of the learner's code, or about a mistake that its values show."""
    program, error = program_of(source), play.observation.error
    if program is not None:
        found = misuse(play, program) if error is None else raised(error, exercise, program, due_in(play))
        yield from () if found is None else raised_lines(found)


def show_errors(console: Console, play: Played, exercise: Exercise, source: str) -> bool:
    """Print the result or the exception of each side, and return if both raise the same exception."""
    right, own = play.expectation.error, play.observation.error
    if right is None:
        console.print(Text(_("The reference returns {value}.", value=returned(as_expected(play.expectation)))))
    else:
        console.print(Text(_("The reference raises an exception: {error}", error=alone(replace(right, step=None)))))
    if own is None:
        console.print(Text(_("Your code returns {value}.", value=returned(play.observation))))
    else:
        console.print(Text(_("Your code raises an exception:") if own.types else _("Your code returns no result:")))
        console.print(indented(Group(*telling(play, exercise, source))))
    alike = right is not None and own is not None and right.types[:1] == own.types[:1]
    said = _("✓ They agree: both raise the same exception.") if alike else _("✗ They differ.")
    console.print(Text(said, style="green" if alike else "bold red"))
    return alike


def returned(seen: Observation) -> str:
    """Return the result of a side in words, with its first numbers."""
    value = next((value for place, value in seen.values.items() if Place.of(place).template.startswith(RESULTS)), None)
    said = one_line(str(in_words(value)))
    if not isinstance(value, Array):
        return said
    numbers = [as_text(number) for number in value.values.ravel()[:FEW]]
    return f"{said}: {', '.join(numbers)}{', …' if value.values.size > FEW else ''}"
