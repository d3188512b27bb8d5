"""A script of plain Python that repeats a failed check on a submission. A learner steps through it with a debugger."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path

from normgrade.compare.played import Played, Result
from normgrade.course.exercise import Exercise
from normgrade.course.package import PACKAGE
from normgrade.course.tensor_library import Library
from normgrade.language import N_, _
from normgrade.language.places import Place, place_in_words
from normgrade.learner.script_parts import (
    ARRAY,
    SHOW,
    TENSOR,
    UNPACK,
    arguments,
    as_the_grader_does,
    columns,
    expected_at,
    literal,
    needed,
    own_probe,
    printed,
    shown,
)
from normgrade.remarks.crash import decisive
from normgrade.report.report import Difference
from normgrade.worker.wire.observation import Array
from normgrade.worker.wire.requests import FORWARD_BACKWARD, Action, FunctionCall, LayerStep, LayerStory, NewLayer, OwnProbe

SEAL = b"# SHA-256 of the lines above: "  # the beginning of the last line of a script
HEAD = '''"""{made}

    {claim}
"""

{imports}

def load(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
{tools}
{settings}
submission = load("submission", {path!r})
{body}
'''
IMPORTS = """import base64
import importlib.util
import sys
from contextlib import suppress
from math import inf
from math import nan
from operator import attrgetter
from traceback import print_exception
import numpy as np
import torch
"""
ACTIONS = {Action.TRAIN: N_("train"), Action.EVALUATE: N_("evaluate"), Action.RELOAD: N_("reload")}  # the words in comments
IN_PYTORCH = "torch.manual_seed(0)\ntorch.set_printoptions(threshold=12, edgeitems=1)"
PUT = """def put(layer, name, values):
    if (tensor := find(layer, name)) is not None:
        tensor.data.copy_(values.reshape(tensor.shape))"""
FIND = """OTHER_NAMES = {aliases}
def find(layer, name):
    for known in (name, *OTHER_NAMES.get(name, ())):
        with suppress(AttributeError):
            return attrgetter(known)(layer)"""
IN_NUMPY = "np.set_printoptions(threshold=12, edgeitems=1)"


def script(exercise: Exercise, path: Path, result: Result) -> str:
    """Return the script for a check that failed: it repeats the request in which the check failed."""
    check, play = result.check, decisive(result.check, result)
    if exercise.written_with is Library.NUMPY:
        lines, settings, tools = [*numpy_body(exercise, play, check.differences)], IN_NUMPY, list[str]()
    else:
        lines, settings, tools = [*pytorch_body(exercise, play, check.differences)], IN_PYTORCH, [PUT, FIND.format(aliases=aliases())]
    if play.refusal:
        lines.append(printed(_("{error} is expected here.", error=play.refusal[0])))
    words = dict(zip(("got", "expected", "off_by"), columns(_("got"), _("expected"), _("off by")), strict=True))
    at_most, of_many = (
        _("{size} at most", size="{max(abs(got[at] - expected[at]) for at in expected):g}"),
        _("the numbers that are furthest off, by their index"),
    )
    body = "\n".join(lines)
    called = needed([SHOW.format(**words, at_most=at_most, worst=of_many), *tools, UNPACK], body)
    names = {*re.findall(r"\w+", f"{called} {settings} {body} importlib")}
    imports = "\n".join(line for line in IMPORTS.split("\n") if not line or line.split()[-1].partition(".")[0] in names)
    return HEAD.format(
        made=_("Written by `normgrade repro`. This script runs {check} on {file}:", file=path.name, check=check.name),
        claim=check.claim,
        imports=imports,
        tools=called,
        settings=settings,
        path=str(path.absolute()),
        body=body,
    )


def sealed(source: str) -> bytes:
    """Return the script with a last line that holds its hash, so that later changes can be detected."""
    content = source.encode()
    return content + SEAL + sha256(content).hexdigest().encode() + b"\n"


def is_as_made(content: bytes) -> bool:
    """Return True if a file holds a script that `sealed` returned, in any language, and that nobody has changed."""
    above, _seal, digest = content.rpartition(SEAL)
    return digest == sha256(above).hexdigest().encode() + b"\n"


# With PyTorch


def aliases() -> str:
    """Return the literal ALIASES of probes/layers.py: other names of parameters and buffers.

    It is parsed, because an import would load torch.
    """
    source = (PACKAGE / "probes" / "layers.py").read_text(encoding="utf-8")
    [found] = [node for node in ast.parse(source).body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "ALIASES"]
    return ast.unparse(found.value)


def pytorch_body(exercise: Exercise, play: Played, differences: Sequence[Difference]) -> Iterator[str]:
    """Yield the lines of the script below its head."""
    expected = expected_at(play, differences, TENSOR)
    match play.expectation.request:
        case LayerStory() as story if is_plain(story):
            yield from layer_story(story, expected)
        case LayerStory() as story:
            yield from as_the_grader_does(exercise, story, expected, "layers", TENSOR)
        case FunctionCall() as call:
            yield from function_call(call, expected)
        case NewLayer() as layer:
            yield from new_layer(layer, expected)
        case OwnProbe() as probe:
            yield from own_probe(exercise, probe, expected, "layers", TENSOR)


def is_plain(story: LayerStory) -> bool:
    """Return True if each step calls the layer in the usual way, or reloads it."""
    steps = all(step.action in ACTIONS and not step.options.unusual for step in story.steps)
    return steps and not story.as_built and story.layer[0].isupper() and not holds_callables(story)


def holds_callables(request: LayerStory | NewLayer) -> bool:
    """Return True if the layer is given callables, which a request only describes."""
    return "'callable':" in repr((request.args, request.kwargs))


def layer_story(story: LayerStory, expected: Mapping[Place, str]) -> Iterator[str]:
    """Yield the lines of every step, to the first that goes wrong."""
    build, last = built(story), min((place.step for place in expected if place.step), default=len(story.steps))
    yield build
    dtypes = {value.dtype for value in story.state.values() if value.dtype.startswith(("float", "bfloat"))}
    yield from (f"layer.to(torch.{dtype})" for dtype in sorted(dtypes - {"float32"}))
    yield from (f"put(layer, {name!r}, {literal(value, TENSOR)})" for name, value in story.state.items())
    for number, step in enumerate(story.steps[:last], 1):
        yield "# " + _("Step {number}: {action}", number=number, action=_(ACTIONS[step.action]))
        if step.action is Action.RELOAD:
            yield from ("saved = torch.nn.Sequential(layer).state_dict()", build, "torch.nn.Sequential(layer).load_state_dict(saved)")
        else:
            yield from one_step(number, step, expected)


def built(request: LayerStory | NewLayer) -> str:
    return f"layer = submission.{request.layer}({arguments(request.args, request.kwargs, TENSOR)})"


def one_step(number: int, step: LayerStep, expected: Mapping[Place, str]) -> Iterator[str]:
    yield f"layer.train({step.action is Action.TRAIN}).zero_grad()"
    order = ".transpose(0, -1).contiguous().transpose(0, -1)" if step.scattered else ""
    yield f"x = {literal(step.x, TENSOR)}{order}{'.requires_grad_()' if step.upstream is not None else ''}"
    kept = any(place.step == number and of_layer(place) == "given" for place in expected)
    yield from ("given = x.clone()", "output = layer(given)") if kept else ["output = layer(x)"]
    if step.upstream is not None:
        yield f"(output * {literal(step.upstream, TENSOR)}).sum().backward()"
    yield from (shown(place, of_layer(place), value) for place, value in expected.items() if place.step == number)


def of_layer(place: Place) -> str:
    """Return the expression of the script for a place of a step."""
    match place.template:
        case "output":
            return "output"
        case "input left alone":
            return "given"
        case "gradient of input":
            return "x.grad"
        case "gradient of {name}":
            return f"find(layer, {place.names['name']!r}).grad"
        case _:
            return f"find(layer, {place.names['name']!r})"


def function_call(call: FunctionCall, expected: Mapping[Place, str]) -> Iterator[str]:
    names = [f"argument_{number}" for number in range(1, len(call.args) + 1)]
    for name, value in zip(names, call.args, strict=True):
        learns = call.upstream is not None and isinstance(value, Array) and value.dtype.startswith(("float", "bfloat"))
        yield f"{name} = {literal(value, TENSOR)}{'.requires_grad_()' if learns else ''}"
        yield f"given_{name} = {name}{'.clone()' if isinstance(value, Array) else ''}"
    keywords = [f"{name}={literal(value, TENSOR)}" for name, value in call.kwargs.items()]
    given = [f"given_{name}" for name in names]
    if call.scattered:
        other_order = _("the same numbers, in another order in memory")
        others = [f"given_{name}" for name, value in zip(names, call.args, strict=True) if isinstance(value, Array) and value.values.ndim]
        yield from (f"{name} = {name}.transpose(0, -1).contiguous().transpose(0, -1)  # {other_order}" for name in others)
    yield f"result = submission.{call.function}({', '.join((*given, *keywords))})"
    if call.upstream is not None:
        yield f"(result * {literal(call.upstream, TENSOR)}).sum().backward()"
    yield from (shown(place, of_function(place), value) for place, value in expected.items())


def of_function(place: Place) -> str:
    """Return the expression of the script for a place of a function call."""
    match place.template:
        case "gradient of argument {number}":
            return f"argument_{place.names['number']}.grad"
        case "argument {number} left alone":
            return f"given_argument_{place.names['number']}"
        case _:
            return place  # the result or a part of it, written in Python


def new_layer(layer: NewLayer, expected: Mapping[Place, str]) -> Iterator[str]:
    if holds_callables(layer):
        yield "from normgrade.probes import build  # " + _("how the grader uses your code")
        yield f"layer = build(submission, {layer.layer!r}, {literal(layer.args, TENSOR)}, {literal(layer.kwargs, TENSOR)})"
    else:
        yield built(layer)
    yield "print(layer.state_dict())"
    should_be = {place: _("{place} should be", place=place_in_words(place)) for place in expected}
    yield from (f"print({should_be[place]!r}, {value})" for place, value in expected.items())


# With NumPy


def numpy_body(exercise: Exercise, play: Played, differences: Sequence[Difference]) -> Iterator[str]:
    """Yield the lines of the script below its head."""
    expected = expected_at(play, differences, ARRAY)
    match play.expectation.request:
        case LayerStory(layer="forward_backward") as story if all(map(is_plain_step, story.steps)):
            yield from forward_backward(story, expected)
        case LayerStory() as story:
            yield from as_the_grader_does(exercise, story, expected, "arrays", ARRAY)
        case FunctionCall() as call:
            yield f"result = submission.{call.function}({arguments(call.args, call.kwargs, ARRAY)})"
            yield from (shown(place, place, value) for place, value in expected.items() if place.template.startswith("result"))
        case OwnProbe() as probe:
            yield from own_probe(exercise, probe, expected, "arrays", ARRAY)


def is_plain_step(step: LayerStep) -> bool:
    """Return True if a step needs no option that only the grader's own probe supports."""
    return not step.scattered and step.options.unusual.keys() <= {"more"}


def forward_backward(story: LayerStory, expected: Mapping[Place, str]) -> Iterator[str]:
    """Yield the lines of every step, as a learner would write them."""
    assert story.layer == FORWARD_BACKWARD
    for number, step in enumerate(story.steps, 1):
        if step.x is not None:
            yield "# " + _("Step {number}", number=number)
            yield from step_in_numpy(step, arguments(story.args[1:], story.kwargs, ARRAY))
            yield from (shown(place, of_arrays(place), value) for place, value in expected.items() if place.step == number)


def step_in_numpy(step: LayerStep, others: str) -> Iterator[str]:
    inputs = [step.x, *step.options.more]
    names = [f"input_{number}" for number in range(1, len(inputs) + 1)]
    yield from (f"{name} = {literal(value, ARRAY)}" for name, value in zip(names, inputs, strict=True))
    yield f"y, cache = submission.forward({', '.join(filter(None, (*names, others)))})"
    if step.upstream is not None:
        yield f"dy = {literal(step.upstream, ARRAY)}.astype(input_1.dtype)"
        yield "gradients = submission.backward(dy, cache)"


def of_arrays(place: Place) -> str:
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
