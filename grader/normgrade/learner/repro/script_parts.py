"""The parts of a script of `reproduction.py`: Python code for values, places and calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pprint import pformat
from typing import Any

from normgrade.compare.played import Played
from normgrade.course.exercise import Exercise
from normgrade.language import _
from normgrade.language.places import NO_WORDS, Place, place_in_words
from normgrade.report.report import Difference
from normgrade.worker.wire.observation import Array
from normgrade.worker.wire.requests import FORWARD_BACKWARD, FUNCTION, LayerStory, OwnProbe

WIDTH = 120
TENSOR = "torch.tensor({numbers}, dtype=torch.{dtype})"  # the numbers of an Array, with PyTorch
ARRAY = "np.array({numbers}, dtype=np.{dtype})"  # and with NumPy


def columns(*headings: str) -> list[str]:
    """Return the headings, each padded to the width of the widest."""
    width = max(map(len, headings))
    return [heading.ljust(width) for heading in headings]


def printed(sentence: str) -> str:
    return f"\nprint({sentence!r})"


def expected_at(play: Played, differences: Sequence[Difference], array: str) -> dict[Place, str]:
    """Return the expected value at each place that differs, as Python code."""
    places = play.expectation.places
    return {each.place: literal(places[each.place].value, array) for each in differences if each.place in places}


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
    yield "    print(stopped.step, repr(stopped.__cause__))"
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


def literal(value: Any, array: str) -> str:
    """Return a value of a request as Python code; `array` is TENSOR or ARRAY."""
    match value:
        case Array(values, dtype):
            numbers = pformat(values.tolist(), width=WIDTH, compact=True)
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
