"""The parts of which `reproduction.py` makes a script: how values, places and calls are written as Python."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pprint import pformat
from typing import Any

from normgrade.compare.played import Played
from normgrade.course.course import Exercise
from normgrade.language import _
from normgrade.language.places import NO_WORDS, Place, place_in_words
from normgrade.report.report import Difference
from normgrade.worker.observation import Array
from normgrade.worker.requests import FORWARD_BACKWARD, FUNCTION, LayerStory, OwnProbe

WIDTH = 120
TENSOR = "torch.tensor({numbers}, dtype=torch.{dtype})"  # how the numbers of an Array are written, with PyTorch
ARRAY = "np.array({numbers}, dtype=np.{dtype})"  # and with NumPy


def columns(*headings: str) -> list[str]:
    """The headings, each padded to the width of the widest."""
    width = max(map(len, headings))
    return [heading.ljust(width) for heading in headings]


def printed(sentence: str) -> str:
    return f"\nprint({sentence!r})"


def expected_at(play: Played, differences: Sequence[Difference], array: str) -> dict[Place, str]:
    """The expected value at each place that differs, as Python."""
    places = play.expectation.places
    return {each.place: literal(places[each.place].value, array) for each in differences if each.place in places}


def as_the_grader_does(exercise: Exercise, story: LayerStory, expected: Mapping[Place, str], module: str, array: str) -> Iterator[str]:
    """A story told by the same probe as the grader's, which is in that module; step through it there."""
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
    """The exercise's own probe, or else one of the generic ones in that module, called as the grader calls it."""
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
    """What the probes of the course share is loaded first, under the name by which they import it."""
    if exercise.shared_probes is not None:
        yield f"sys.modules['shared_probes'] = load('shared_probes', {str(exercise.shared_probes)!r})"


def shown(place: Place, seen: str, expected: str, words: Mapping[str, str] = NO_WORDS) -> str:
    return f"show({place_in_words(place, words)!r}, {seen}, {expected})"


def arguments(args: Sequence[Any], kwargs: Mapping[str, Any], array: str) -> str:
    named = (f"{name}={literal(value, array)}" for name, value in kwargs.items())
    return ", ".join((*(literal(value, array) for value in args), *named))


def literal(value: Any, array: str) -> str:
    """A value of a request as Python; `array` is TENSOR or ARRAY."""
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
