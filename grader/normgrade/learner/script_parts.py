"""The parts of a script of `reproduction.py`: Python code for values, places and calls."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from normgrade.compare.played import Played
from normgrade.course.exercise import Exercise
from normgrade.language import _
from normgrade.language.places import NO_WORDS, Place, place_in_words
from normgrade.report.report import ArrayDifference, Difference
from normgrade.worker.wire.observation import Array
from normgrade.worker.wire.requests import FORWARD_BACKWARD, FUNCTION, LayerStory, OwnProbe

FEW = 12  # numbers that are written one by one
WORST = 4  # numbers of an array that are compared
PLACES = 4
TENSOR = "torch.tensor({numbers}, dtype=torch.{dtype})"  # the numbers of an Array, with PyTorch
SHOW = """def show(place, got, expected):
    if isinstance(expected, dict):  # {worst}
        got = {{at: (got[at] if isinstance(at, tuple) else got.reshape(-1)[at]).item() for at in expected}}
    print(f"\\n{{place}}\\n  {got}  {{got}}\\n  {expected}  {{expected}}")
    if isinstance(expected, dict):
        print(f"  {off_by}  {at_most}")"""
UNPACK = """def unpack(text, form, shape):
    return np.frombuffer(base64.b64decode(text), form).reshape(shape)"""
NAME = re.compile(r"^def (\w+)", re.MULTILINE)
ARRAY = "np.array({numbers}, dtype=np.{dtype})"  # and with NumPy


def columns(*headings: str) -> list[str]:
    """Return the headings, each padded to the width of the widest."""
    width = max(map(len, headings))
    return [heading.ljust(width) for heading in headings]


def needed(tools: Sequence[str], body: str) -> str:
    """Return those functions that the body calls, or one of those before."""
    kept: list[str] = []
    for tool in tools:
        [name] = NAME.findall(tool)
        if any(f"{name}(" in text for text in (body, *kept)):
            kept.append(tool)
    return "".join(f"\n{tool}\n" for tool in kept)


def printed(sentence: str) -> str:
    return f"\nprint({sentence!r})"


def expected_at(play: Played, differences: Sequence[Difference], array: str) -> dict[Place, str]:
    """Return the expected value at each of the first places that differ, as Python code; of an array its worst numbers."""
    places = play.expectation.places
    return {
        each.place: worst(each) if isinstance(each, ArrayDifference) and each.shape else literal(places[each.place].value, array)
        for each in differences[:PLACES]
        if each.place in places
    }


def worst(difference: ArrayDifference) -> str:
    """Return the expected numbers that are furthest off, by their index: one number for an array of one dimension, else a tuple."""
    expected, actual = difference.numbers.expected, difference.numbers.actual
    with np.errstate(invalid="ignore"):
        off = np.nan_to_num(np.abs(actual - expected), nan=np.inf, posinf=np.inf)
    chosen = np.argsort(-off, axis=None, kind="stable")[:WORST]
    at = [tuple(map(int, np.unravel_index(index, expected.shape))) for index in chosen]
    return repr({index if len(index) > 1 else index[0]: float(expected[index]) for index in at})


def as_the_grader_does(exercise: Exercise, story: LayerStory, expected: Mapping[Place, str], module: str, array: str) -> Iterator[str]:
    """Yield the lines that play a story with the grader's own probe of that module, so that a learner can step through it."""
    yield f"from normgrade.probes.{module} import {story.probe}  # " + _("how the grader uses your code")
    yield "from normgrade.probes.results import Stopped"
    if exercise.probes is not None and not story.layer[0].isupper() and story.layer not in (FUNCTION, FORWARD_BACKWARD):
        yield from shared_with_others(exercise)
        yield f"builder = load('probes', {str(exercise.probes)!r}).{story.layer}"
        yield f"submission.{story.layer} = lambda *args, **kwargs: builder(submission, *args, **kwargs)"
    yield "try:"
    yield f"    seen = {story.probe}("
    yield "        submission,"
    yield from (f"        {name}={literal(value, array)}," for name, value in story.inputs.items())
    yield "    )"
    yield "except Stopped as stopped:"
    yield "    seen = stopped.seen"
    yield "    print_exception(stopped.__cause__)"
    yield from (shown(place, f"seen.get({str(place)!r})", value, exercise.places) for place, value in expected.items())


def own_probe(exercise: Exercise, probe: OwnProbe, expected: Mapping[Place, str], module: str, array: str) -> Iterator[str]:
    """Yield the lines that call the exercise's own probe, or else a generic one of that module, as the grader calls it."""
    how = _("how the grader uses your code")
    if exercise.probes is None:
        yield f"from normgrade.probes import {module} as probes  # {how}"
    else:
        yield from shared_with_others(exercise)
        yield f"probes = load('probes', {str(exercise.probes)!r})  # {how}"
    inputs = ", ".join(f"{name}={literal(value, array)}" for name, value in probe.given.items())
    yield f"seen = probes.{probe.probe}(submission, {inputs})"
    yield from (shown(place, f"seen.get({str(place)!r})", value, exercise.places) for place, value in expected.items())


def shared_with_others(exercise: Exercise) -> Iterator[str]:
    """Yield the line that loads the shared probes of the course first, under the name by which the probes import them."""
    if exercise.shared_probes is not None:
        yield f"sys.modules['shared_probes'] = load('shared_probes', {str(exercise.shared_probes)!r})"


def shown(place: Place, seen: str, expected: str, words: Mapping[str, str] = NO_WORDS) -> str:
    return f"show({place_in_words(place, words)!r}, {seen}, {expected})"


def arguments(args: Sequence[Any], kwargs: Mapping[str, Any], array: str) -> str:
    named = (f"{name}={literal(value, array)}" for name, value in kwargs.items())
    return ", ".join((*(literal(value, array) for value in args), *named))


def packed(values: np.ndarray) -> str:
    """Return the call that unpacks the numbers of an array."""
    content = np.ascontiguousarray(values)
    return f"unpack({b64encode(content.tobytes()).decode()!r}, {content.dtype.str!r}, {tuple(map(int, values.shape))})"


def literal(value: Any, array: str) -> str:
    """Return a value of a request as Python code; `array` is TENSOR or ARRAY."""
    match value:
        case Array(values, dtype):
            numbers = repr(values.tolist()) if values.size <= FEW else packed(values)
            shaped = f".reshape({tuple(values.shape)})" if 0 in values.shape else ""
            return array.format(numbers=numbers, dtype=dtype) + shaped
        case Mapping():
            return "{" + ", ".join(f"{name!r}: {literal(each, array)}" for name, each in value.items()) + "}"
        case list():
            return f"[{', '.join(literal(each, array) for each in value)}]"
        case tuple():
            return f"({''.join(f'{literal(each, array)}, ' for each in value)})"
        case _:
            return repr(value)
