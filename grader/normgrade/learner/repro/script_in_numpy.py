"""The parts of a `reproduction.py` script for a submission that uses only NumPy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from normgrade.compare.played import Played
from normgrade.course.exercise import Exercise
from normgrade.language import _
from normgrade.language.places import Place
from normgrade.learner.repro.script_parts import ARRAY, arguments, as_the_grader_does, expected_at, literal, own_probe, shown
from normgrade.report.report import Difference
from normgrade.worker.wire.requests import FORWARD_BACKWARD, FunctionCall, LayerStep, LayerStory, OwnProbe

SETTINGS = "np.set_printoptions(threshold=12, edgeitems=1)"


def tools() -> list[str]:
    """Return the functions that a script may call."""
    return []


def body(exercise: Exercise, play: Played, differences: Sequence[Difference]) -> Iterator[str]:
    """Yield the lines of the script below its head."""
    expected = expected_at(play, differences, ARRAY)
    match play.expectation.request:
        case LayerStory(layer="forward_backward") as story if all(map(is_plain, story.steps)):
            yield from forward_backward(story, expected)
        case LayerStory() as story:
            yield from as_the_grader_does(exercise, story, expected, "arrays", ARRAY)
        case FunctionCall() as call:
            yield f"result = submission.{call.function}({arguments(call.args, call.kwargs, ARRAY)})"
            yield from (shown(place, place, value) for place, value in expected.items() if place.template.startswith("result"))
        case OwnProbe() as probe:
            yield from own_probe(exercise, probe, expected, "arrays", ARRAY)


def is_plain(step: LayerStep) -> bool:
    """Return True if a step needs no option that only the grader's own probe supports."""
    return not step.scattered and step.options.unusual.keys() <= {"more"}


def forward_backward(story: LayerStory, expected: Mapping[Place, str]) -> Iterator[str]:
    """Yield the lines of every step, as a learner would write them."""
    assert story.layer == FORWARD_BACKWARD
    for number, step in enumerate(story.steps, 1):
        if step.x is not None:
            yield "# " + _("Step {number}", number=number)
            yield from one_step(step, arguments(story.args[1:], story.kwargs, ARRAY))
            yield from (shown(place, expression(place), value) for place, value in expected.items() if place.step == number)


def one_step(step: LayerStep, others: str) -> Iterator[str]:
    inputs = [step.x, *step.options.more]
    names = [f"input_{number}" for number in range(1, len(inputs) + 1)]
    yield from (f"{name} = {literal(value, ARRAY)}" for name, value in zip(names, inputs, strict=True))
    yield f"y, cache = submission.forward({', '.join(filter(None, (*names, others)))})"
    if step.upstream is not None:
        yield f"dy = {literal(step.upstream, ARRAY)}.astype(input_1.dtype)"
        yield "gradients = submission.backward(dy, cache)"


def expression(place: Place) -> str:
    """Return the expression of the script for a place of a step."""
    number = int(place.names.get("number", 1))
    match place.template:
        case "output":
            return "y"
        case "gradient of the output left alone":
            return "dy"
        case "what holds the gradients":
            return "type(gradients).__name__"
        case "number of gradients":
            return "len(gradients)"
        case template if template.startswith("gradient of"):
            return f"gradients[{number - 1}]"
    return f"input_{number}"
