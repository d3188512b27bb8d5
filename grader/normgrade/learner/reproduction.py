"""A script of plain Python that does to a submission what a failed check did. A learner steps through it with a debugger."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from pprint import pformat
from typing import Any

from normgrade.compare.played import Played, Result
from normgrade.course.course import Exercise
from normgrade.course.package import PACKAGE
from normgrade.language import N_, _
from normgrade.language.places import NO_WORDS, Place, place_in_words
from normgrade.report.report import Difference
from normgrade.worker.observation import Array
from normgrade.worker.requests import FUNCTION, UNUSUAL, Action, FunctionCall, LayerStep, LayerStory, NewLayer, OwnProbe

WIDTH = 120
SEAL = b"# SHA-256 of the lines above: "  # how the last line of a script begins
ACTIONS = {Action.TRAIN: N_("train"), Action.EVALUATE: N_("evaluate"), Action.RELOAD: N_("reload")}  # as comments say them
HEAD = '''"""{made}

    {claim}

{run}
"""

import importlib.util
import sys
from math import inf, nan  # {not_finite}
from operator import attrgetter

import torch


def load(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def find(layer, name):
    """{find}"""
    for known in (name, *OTHER_NAMES.get(name, ())):
        try:
            return attrgetter(known)(layer)
        except AttributeError:
            pass


def put(layer, name, values):
    tensor = find(layer, name)
    if tensor is not None:
        with torch.no_grad():
            tensor.copy_(values.reshape(tensor.shape))


def show(place, got, expected):
    print(f"\\n{{place}}\\n  {got}  {{got}}\\n  {expected}  {{expected}}")
    if isinstance(got, torch.Tensor) and isinstance(expected, torch.Tensor) and got.numel() == expected.numel():
        print(f"  {off_by}  {at_most}")


OTHER_NAMES = {aliases}
torch.manual_seed(0)
submission = load("submission", {path!r})
'''
LARGEST = "{(got.detach().double().reshape(expected.shape) - expected.double()).abs().max().item():g}"


def script(exercise: Exercise, path: Path, result: Result) -> str:
    """The script for a check that failed: it repeats the request in which the check failed."""
    check, play = result.check, result.failed_at
    got, expected, off_by = columns(_("got"), _("expected"), _("off by"))
    head = HEAD.format(
        made=_("Made by `normgrade repro`. It does to {file} what {check} does:", file=path.name, check=check.name),
        claim=check.claim,
        run=_("Run it, or step through it with a debugger."),
        not_finite=_("they may stand among the numbers"),
        find=_("A parameter or buffer, by its name or another that it often has."),
        got=got,
        expected=expected,
        off_by=off_by,
        at_most=_("{size} at most", size=LARGEST),
        aliases=aliases(),
        path=str(path.absolute()),
    )
    return head + "\n".join(body(exercise, play, check.differences)) + "\n"


def sealed(source: str) -> bytes:
    """The script with a last line that holds its hash, by which a later change can be found."""
    content = source.encode()
    return content + SEAL + sha256(content).hexdigest().encode() + b"\n"


def is_as_made(content: bytes) -> bool:
    """Whether a file holds a script that `sealed` returned, in any language, and that nobody has changed."""
    above, _seal, digest = content.rpartition(SEAL)
    return digest == sha256(above).hexdigest().encode() + b"\n"


def columns(*headings: str) -> list[str]:
    """The headings, each padded to the width of the widest."""
    width = max(map(len, headings))
    return [heading.ljust(width) for heading in headings]


def aliases() -> str:
    """The literal ALIASES of probes/layers.py: other names of parameters and buffers. It is parsed, as an import would load torch."""
    source = (PACKAGE / "probes" / "layers.py").read_text(encoding="utf-8")
    [found] = [node for node in ast.parse(source).body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "ALIASES"]
    return ast.unparse(found.value)


def body(exercise: Exercise, play: Played, differences: Sequence[Difference]) -> Iterator[str]:
    """The lines of the script below its head."""
    expected = expected_at(play, differences)
    match play.expectation.request:
        case LayerStory() as story if is_plain(story):
            yield from layer_story(story, expected)
        case LayerStory() as story:
            yield from as_the_grader_does(exercise, story, expected)
        case FunctionCall() as call:
            yield from function_call(call, expected)
        case NewLayer() as layer:
            yield from new_layer(layer, expected)
        case OwnProbe() as probe:
            yield from own_probe(exercise, probe, expected)
    if play.refusal:
        yield printed(_("Here a {error} is expected.", error=play.refusal[0]))


def printed(sentence: str) -> str:
    return f"\nprint({sentence!r})"


def expected_at(play: Played, differences: Sequence[Difference]) -> dict[Place, str]:
    """The expected value at each place that differs, as Python."""
    places = play.expectation.places
    return {each.place: literal(places[each.place].value) for each in differences if each.place in places}


def is_plain(story: LayerStory) -> bool:
    """Whether each step calls the layer as any code would, or reloads it."""
    steps = all(step.action in ACTIONS and not any(getattr(step, name) for name in UNUSUAL) for step in story.steps)
    return steps and not story.as_built and story.layer[0].isupper() and not holds_callables(story)


def holds_callables(request: LayerStory | NewLayer) -> bool:
    """Whether the layer is given callables, which a request only describes."""
    return "'callable':" in repr((request.args, request.kwargs))


def as_the_grader_does(exercise: Exercise, story: LayerStory, expected: Mapping[Place, str]) -> Iterator[str]:
    """A story with unusual steps, told by the same probe as the grader's; step through `layer_story` there."""
    yield "from normgrade.probes import Stopped, layer_story  # " + _("how the grader uses your code")
    if exercise.probes is not None and not story.layer[0].isupper() and story.layer != FUNCTION:
        yield from shared_with_others(exercise)
        yield f"builder = load('probes', {str(exercise.probes)!r}).{story.layer}"
        yield f"submission.{story.layer} = lambda *args, **kwargs: builder(submission, *args, **kwargs)"
    yield "try:"
    yield "    seen = layer_story("
    yield "        submission,"
    yield from (f"        {name}={literal(value)}," for name, value in story.inputs.items())
    yield "    )"
    yield "except Stopped as stopped:"
    yield "    seen = stopped.seen"
    yield "    print(stopped.step, repr(stopped.__cause__))"
    yield from (shown(place, f"seen.get({str(place)!r})", value, exercise.places) for place, value in expected.items())


def layer_story(story: LayerStory, expected: Mapping[Place, str]) -> Iterator[str]:
    build = built(story)
    yield build
    dtypes = {value.dtype for value in story.state.values() if value.dtype.startswith(("float", "bfloat"))}
    yield from (f"layer.to(torch.{dtype})" for dtype in sorted(dtypes - {"float32"}))
    yield from (f"put(layer, {name!r}, {literal(value)})" for name, value in story.state.items())
    for number, step in enumerate(story.steps, 1):
        yield "\n# " + _("Step {number}: {action}", number=number, action=_(ACTIONS[step.action]))
        if step.action is Action.RELOAD:
            yield from ("saved = torch.nn.Sequential(layer).state_dict()", build, "torch.nn.Sequential(layer).load_state_dict(saved)")
        else:
            yield from one_step(number, step, expected)


def built(request: LayerStory | NewLayer) -> str:
    return f"layer = submission.{request.layer}({arguments(request.args, request.kwargs)})"


def one_step(number: int, step: LayerStep, expected: Mapping[Place, str]) -> Iterator[str]:
    yield f"layer.train({step.action is Action.TRAIN})"
    yield "layer.zero_grad()"
    yield f"x = {literal(step.x)}"
    if step.scattered:
        yield "x = x.transpose(0, -1).contiguous().transpose(0, -1)  # " + _("the same numbers, in another order in memory")
    if step.upstream is not None:
        yield "x.requires_grad_()"
    yield "given = x.clone()"
    yield "output = layer(given)"
    if step.upstream is not None:
        yield f"upstream = {literal(step.upstream)}"
        yield "(output * upstream).sum().backward()"
    yield from (shown(place, of_layer(place), value) for place, value in expected.items() if place.step == number)


def of_layer(place: Place) -> str:
    """The expression of the script for a place of a step."""
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
        yield f"{name} = {literal(value)}{'.requires_grad_()' if learns else ''}"
        yield f"given_{name} = {name}{'.clone()' if isinstance(value, Array) else ''}"
    keywords = [f"{name}={literal(value)}" for name, value in call.kwargs.items()]
    given = [f"given_{name}" for name in names]
    if call.scattered:
        other_order = _("the same numbers, in another order in memory")
        others = [f"given_{name}" for name, value in zip(names, call.args, strict=True) if isinstance(value, Array) and value.values.ndim]
        yield from (f"{name} = {name}.transpose(0, -1).contiguous().transpose(0, -1)  # {other_order}" for name in others)
    yield f"result = submission.{call.function}({', '.join((*given, *keywords))})"
    if call.upstream is not None:
        yield f"(result * {literal(call.upstream)}).sum().backward()"
    yield from (shown(place, of_function(place), value) for place, value in expected.items())


def of_function(place: Place) -> str:
    """The expression of the script for a place of a function call."""
    match place.template:
        case "gradient of argument {number}":
            return f"argument_{place.names['number']}.grad"
        case "argument {number} left alone":
            return f"given_argument_{place.names['number']}"
        case _:
            return place  # the result, or a part of it, as Python writes it


def new_layer(layer: NewLayer, expected: Mapping[Place, str]) -> Iterator[str]:
    if holds_callables(layer):
        yield "from normgrade.probes import build  # " + _("how the grader uses your code")
        yield f"layer = build(submission, {layer.layer!r}, {literal(layer.args)}, {literal(layer.kwargs)})"
    else:
        yield built(layer)
    yield "print(layer.state_dict())"
    should_be = {place: _("{place} should be", place=place_in_words(place)) for place in expected}
    yield from (f"print({should_be[place]!r}, {value})" for place, value in expected.items())


def own_probe(exercise: Exercise, probe: OwnProbe, expected: Mapping[Place, str]) -> Iterator[str]:
    """The exercise's own probe, called as the grader calls it."""
    yield from shared_with_others(exercise)
    yield f"probes = load('probes', {str(exercise.probes)!r})  # " + _("how the grader uses your code")
    inputs = ", ".join(f"{name}={literal(value)}" for name, value in probe.given.items())
    yield f"seen = probes.{probe.probe}(submission, {inputs})"
    yield from (shown(place, f"seen.get({str(place)!r})", value, exercise.places) for place, value in expected.items())


def shared_with_others(exercise: Exercise) -> Iterator[str]:
    """What the probes of the course share is loaded first, under the name by which they import it."""
    if exercise.shared_probes is not None:
        yield f"sys.modules['shared_probes'] = load('shared_probes', {str(exercise.shared_probes)!r})"


def shown(place: Place, seen: str, expected: str, words: Mapping[str, str] = NO_WORDS) -> str:
    return f"show({place_in_words(place, words)!r}, {seen}, {expected})"


def arguments(args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
    return ", ".join((*map(literal, args), *(f"{name}={literal(value)}" for name, value in kwargs.items())))


def literal(value: Any) -> str:
    """A value of a request as Python."""
    match value:
        case Array(values, dtype):
            numbers = pformat(values.tolist(), width=WIDTH, compact=True)
            shaped = f".reshape({tuple(values.shape)})" if 0 in values.shape else ""
            return f"torch.tensor({numbers}, dtype=torch.{dtype}){shaped}"
        case Mapping():
            return "{" + ", ".join(f"{name!r}: {literal(each)}" for name, each in value.items()) + "}"
        case list():
            return f"[{', '.join(map(literal, value))}]"
        case tuple():
            return f"({''.join(f'{literal(each)}, ' for each in value)})"
        case _:
            return repr(value)
