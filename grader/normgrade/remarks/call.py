"""The call in which a submission fails, in words: constructor arguments, input shape, mode."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from normgrade.course.exercise import Exercise
from normgrade.language import _, n_
from normgrade.remarks.own_call import LEFT_OUT, own_call
from normgrade.worker.wire.observation import Array
from normgrade.worker.wire.requests import (
    FORWARD_BACKWARD,
    FUNCTION,
    Action,
    FunctionCall,
    LayerStep,
    LayerStory,
    NewLayer,
    OwnProbe,
    TypedRequest,
)

LONGEST = 60  # characters of an argument


def call_in_words(request: TypedRequest, step: int | str | None = None, exercise: Exercise | None = None) -> str:
    """Return the call that a request makes at a step, as a learner would write it: "LayerNorm(7), input (4, 7)".

    A step that is not a number comes before the first: the layer is built. Unless the text says otherwise, a layer is in training mode,
    like a new one. With an exercise its own probes and builders are known: the call that they make of the submission is returned.
    """
    match request:
        case LayerStory():
            return _(", ").join(filter(None, (built(request, exercise), *at_step(request, step if isinstance(step, int) else 0))))
        case NewLayer():
            return called(request.layer, request.args, request.kwargs)
        case FunctionCall():
            return called(request.function, request.args, request.kwargs)
        case OwnProbe():
            given = {name: value for name, value in request.given.items() if name not in ("upstream", "scattered")}
            order = [_("not contiguous")] if request.given.get("scattered") else []
            return _(", ").join((*probed(request.probe, (), given, exercise), *order))


def built(story: LayerStory, exercise: Exercise | None) -> str:
    """Return how the layer of a story is built; "" for a function, whose arguments belong to its call."""
    if story.layer in (FUNCTION, FORWARD_BACKWARD):
        return ""
    if exercise is None or story.layer in {each.name for each in exercise.defines}:
        return called(story.layer, story.args, story.kwargs)
    return _(", ").join(probed(story.layer, story.args, story.kwargs, exercise))


def probed(name: str, args: Sequence[Any], kwargs: Mapping[str, Any], exercise: Exercise | None) -> Iterator[str]:
    """Yield the call of the submission in a probe or builder of the exercise, and the arguments that it does not show."""
    if exercise is None or exercise.probes is None:
        yield called(name, args, kwargs)
        return
    given = [*map(shown, args), *(f"{key}={shown(value)}" for key, value in kwargs.items() if not isinstance(value, Mapping))]
    call = own_call(exercise.probes, name, given) or f"{exercise.defines[0].name}({LEFT_OUT})"
    yield call
    if rest := [text for text in given if text.rpartition("=")[2] not in call]:
        yield _("with {arguments}", arguments=", ".join(rest))


def at_step(story: LayerStory, number: int) -> Iterator[str]:
    """Yield the earlier actions that may matter to a step, and the step: the shapes of its inputs, and how they are passed."""
    if not 0 < number <= len(story.steps):
        return
    step, before = story.steps[number - 1], story.steps[: number - 1]
    if story.layer in (FUNCTION, FORWARD_BACKWARD):
        yield called(str(story.args[0]), (*inputs_of(step), *story.args[1:]), story.kwargs)
    else:
        yield from done_before(before)
        if step.x is not None:
            yield _("input {shapes}", shapes=" ".join(map(shown, inputs_of(step))))
        if step.action is Action.EVALUATE:
            yield _("in evaluation mode")
    if step.scattered or step.options.view is not None:
        yield _("not contiguous")
    if step.options.gradients is not None:
        yield _("under torch.{context}()", context=step.options.gradients)


def inputs_of(step: LayerStep) -> list[Array]:
    return [*([] if step.x is None else [step.x]), *step.options.more]


def done_before(steps: Sequence[LayerStep]) -> Iterator[str]:
    """Yield the effects of earlier steps on the layer; evaluation has none."""
    actions = [step.action for step in steps]
    if trained := actions.count(Action.TRAIN):
        yield n_("after {n} batch in training", "after {n} batches in training", trained)
    if Action.RELOAD in actions or Action.LOAD in actions:
        yield _("after its state dict was loaded")
    if Action.COPY in actions or Action.PICKLE in actions:
        yield _("as a copy")
    if Action.DOUBLE in actions:
        yield _("after .double()")


def called(name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
    """Return a call as Python, an array as its shape."""
    named = (f"{key}={shown(value)}" for key, value in kwargs.items())
    return f"{name}({', '.join((*map(shown, args), *named))})"


def shown(value: Any) -> str:
    """Return a value of a request in short; for an array its shape, and its dtype if it is not float32."""
    match value:
        case Array(values, dtype):
            shape = str(tuple(values.shape))
            return shape if dtype == "float32" else f"{dtype} {shape}"
        case {"callable": str(name)}:
            return called(name, value.get("args", ()), {})
        case list() | tuple():
            return cut(f"[{', '.join(map(shown, value))}]")
        case _:
            return cut(repr(value))


def cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
