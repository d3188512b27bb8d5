"""A script of plain Python that repeats a failed check on a submission. A learner steps through it with a debugger."""

from __future__ import annotations

import ast
import re
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from normgrade.compare.played import Played, Result
from normgrade.course.exercise import Exercise
from normgrade.course.package import PACKAGE
from normgrade.course.tensor_library import Library
from normgrade.language import N_, _
from normgrade.language.places import NO_WORDS, Place, place_in_words
from normgrade.remarks.crash import decisive
from normgrade.report.report import ArrayDifference, Difference
from normgrade.worker.wire.observation import Array
from normgrade.worker.wire.requests import FORWARD_BACKWARD, FUNCTION, Action, FunctionCall, LayerStep, LayerStory, NewLayer, OwnProbe

# Parts: Python code for values, places and calls


FEW = 12  # numbers that are written one by one
MOST = 4  # places that are compared, and numbers of an array
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


def needed(tools: Sequence[str], body: str) -> str:
    """Return those functions that the body calls, or one of those before."""
    kept: list[str] = []
    for tool in tools:
        [name] = NAME.findall(tool)
        if any(f"{name}(" in text for text in (body, *kept)):
            kept.append(tool)
    return "".join(f"\n{tool}\n" for tool in kept)


def expected_at(play: Played, differences: Sequence[Difference], array: str) -> dict[Place, str]:
    """Return the expected value at each of the first places that differ, as Python code; of an array its worst numbers."""
    places = play.expectation.places
    return {
        each.place: worst(each) if isinstance(each, ArrayDifference) and each.shape else literal(places[each.place].value, array)
        for each in differences[:MOST]
        if each.place in places
    }


def worst(difference: ArrayDifference) -> str:
    """Return the expected numbers that are furthest off, by their index: one number for an array of one dimension, else a tuple."""
    expected, actual = difference.numbers.expected, difference.numbers.actual
    with np.errstate(invalid="ignore"):
        off = np.nan_to_num(np.abs(actual - expected), nan=np.inf, posinf=np.inf)
    chosen = np.argsort(-off, axis=None, kind="stable")[:MOST]
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


# The script


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
    in_numpy = exercise.written_with is Library.NUMPY
    lines = [*body_of(exercise, play, check.differences, in_numpy)]
    settings, tools = (IN_NUMPY, list[str]()) if in_numpy else (IN_PYTORCH, [PUT, FIND.format(aliases=aliases())])
    if play.refusal:
        lines.append(f"\nprint({_('{error} is expected here.', error=play.refusal[0])!r})")
    headings = {"got": _("got"), "expected": _("expected"), "off_by": _("off by")}
    width = max(map(len, headings.values()))
    words = {name: heading.ljust(width) for name, heading in headings.items()}
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


def body_of(exercise: Exercise, play: Played, differences: Sequence[Difference], in_numpy: bool) -> Iterator[str]:
    """Yield the lines of the script below its head."""
    module, array = ("arrays", ARRAY) if in_numpy else ("layers", TENSOR)
    expected = expected_at(play, differences, array)
    match play.expectation.request:
        case LayerStory() as story if in_numpy and story.layer == FORWARD_BACKWARD and all(map(is_plain_step, story.steps)):
            yield from forward_backward(story, expected)
        case LayerStory() as story if not in_numpy and is_plain(story):
            yield from layer_story(story, expected)
        case LayerStory() as story:
            yield from as_the_grader_does(exercise, story, expected, module, array)
        case FunctionCall() as call if in_numpy:
            yield f"result = submission.{call.function}({arguments(call.args, call.kwargs, ARRAY)})"
            yield from (shown(place, place, value) for place, value in expected.items() if place.template.startswith("result"))
        case FunctionCall() as call:
            yield from function_call(call, expected)
        case NewLayer() as layer:
            yield from new_layer(layer, expected)
        case OwnProbe() as probe:
            yield from own_probe(exercise, probe, expected, module, array)


# With PyTorch


def aliases() -> str:
    """Return the literal ALIASES of probes/layers.py: other names of parameters and buffers.

    It is parsed, because an import would load torch.
    """
    source = (PACKAGE / "probes" / "layers.py").read_text(encoding="utf-8")
    [found] = [node for node in ast.parse(source).body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "ALIASES"]
    return ast.unparse(found.value)


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


def is_plain_step(step: LayerStep) -> bool:
    """Return True if a step needs no option that only the grader's own probe supports."""
    return not step.scattered and step.options.unusual.keys() <= {"more"}


def forward_backward(story: LayerStory, expected: Mapping[Place, str]) -> Iterator[str]:
    """Yield the lines of every step, as a learner would write them."""
    others = arguments(story.args[1:], story.kwargs, ARRAY)
    for number, step in enumerate(story.steps, 1):
        if step.x is None:
            continue
        yield "# " + _("Step {number}", number=number)
        inputs = {f"input_{place}": literal(value, ARRAY) for place, value in enumerate([step.x, *step.options.more], 1)}
        yield from (f"{name} = {value}" for name, value in inputs.items())
        yield f"y, cache = submission.forward({', '.join(filter(None, (*inputs, others)))})"
        if step.upstream is not None:
            yield f"dy = {literal(step.upstream, ARRAY)}.astype(input_1.dtype)"
            yield "gradients = submission.backward(dy, cache)"
        yield from (shown(place, of_arrays(place), value) for place, value in expected.items() if place.step == number)


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
