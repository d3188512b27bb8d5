"""A script of plain Python that does to a submission what a failed check did. A learner steps through it with a debugger."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from pprint import pformat
from typing import Any

from normgrade import PACKAGE
from normgrade.course.course import Exercise
from normgrade.language import N_, _, retold
from normgrade.report.place_names import place_in_words
from normgrade.report.report import Difference
from normgrade.suite.run import Play, Result
from normgrade.worker.observation import Array, Request

WIDTH = 120
SEAL = b"# SHA-256 of the lines above: "  # how the last line of a script begins
ACTIONS = N_("train"), N_("evaluate"), N_("reload")  # of a step, as comments say them
HEAD = '''"""{made}

    {claim}

{run}
"""

import importlib.util
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
    check, play = result.check, result.plays[-1]
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
    """The literal ALIASES of probes.py: other names of parameters and buffers. It is parsed, as an import would load torch."""
    source = (PACKAGE / "probes.py").read_text(encoding="utf-8")
    [found] = [node for node in ast.parse(source).body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "ALIASES"]
    return ast.unparse(found.value)


def body(exercise: Exercise, play: Play, differences: Sequence[Difference]) -> Iterator[str]:
    """The lines of the script below its head."""
    request, expected = play.expectation.request, expected_at(play, differences)
    match request.probe:
        case "layer_story":
            yield from layer_story(request, expected)
        case "function_call":
            yield from function_call(request, expected)
        case _:
            yield from own_probe(exercise, request, expected)
    if play.refusal:
        yield printed(_("Here a {error} is expected.", error=play.refusal[0]))


def printed(sentence: str) -> str:
    return f"\nprint({sentence!r})"


def expected_at(play: Play, differences: Sequence[Difference]) -> dict[str, str]:
    """The expected value at each place that differs, as Python."""
    places = play.expectation.places
    return {each.place: literal(places[each.place].value) for each in differences if each.place in places}


def layer_story(request: Request, expected: Mapping[str, str]) -> Iterator[str]:
    """The lines for the probe `layer_story`: build the layer, then take its steps. `expected` is from places to Python expressions."""
    inputs = request.inputs
    build = f"layer = submission.{inputs['layer']}({arguments(inputs['args'], inputs['kwargs'])})"
    yield build
    dtypes = {value.dtype for value in inputs["state"].values() if value.dtype.startswith(("float", "bfloat"))}
    yield from (f"layer.to(torch.{dtype})" for dtype in sorted(dtypes - {"float32"}))
    yield from (f"put(layer, {name!r}, {literal(value)})" for name, value in inputs["state"].items())
    for number, step in enumerate(inputs["steps"], 1):
        yield "\n# " + _("Step {number}: {action}", number=number, action=retold(step["do"], ACTIONS))
        if step["do"] == "reload":
            yield from ("saved = layer.state_dict()", build, "layer.load_state_dict(saved)")
        else:
            yield from one_step(number, step, expected)


def one_step(number: int, step: Mapping[str, Any], expected: Mapping[str, str]) -> Iterator[str]:
    """The lines for one step, counted from 1: forward, backward, and both values at each place that differs."""
    yield f"layer.train({step['do'] == 'train'})"
    yield "layer.zero_grad()"
    yield f"x = {literal(step['x'])}"
    if step["scattered"]:
        yield "x = x.transpose(0, -1).contiguous().transpose(0, -1)  # " + _("the same numbers, in another order in memory")
    if step["upstream"] is not None:
        yield "x.requires_grad_()"
    yield "given = x.clone()"
    yield "output = layer(given)"
    if step["upstream"] is not None:
        yield f"upstream = {literal(step['upstream'])}"
        yield "(output * upstream).sum().backward()"
    for place, value in expected.items():
        step_name, _dot, what = place.partition(" · ")
        if step_name == f"step {number}":
            yield shown(place, of_layer(what), value)


def of_layer(what: str) -> str:
    """The expression of the script for a place of a step."""
    match what:
        case "output":
            return "output"
        case "input left alone":
            return "given"
        case "gradient of input":
            return "x.grad"
        case _ if what.startswith("gradient of "):
            return f"find(layer, {what.removeprefix('gradient of ')!r}).grad"
        case _:
            return f"find(layer, {what!r})"


def function_call(request: Request, expected: Mapping[str, str]) -> Iterator[str]:
    """The lines for the probe `function_call`: the arguments, the call, and both values at each place that differs."""
    inputs, upstream = request.inputs, request.inputs.get("upstream")
    names = [f"argument_{number}" for number in range(1, len(inputs["args"]) + 1)]
    for name, value in zip(names, inputs["args"], strict=True):
        learns = upstream is not None and isinstance(value, Array) and value.dtype.startswith(("float", "bfloat"))
        yield f"{name} = {literal(value)}{'.requires_grad_()' if learns else ''}"
        yield f"given_{name} = {name}{'.clone()' if isinstance(value, Array) else ''}"
    keywords = [f"{name}={literal(value)}" for name, value in inputs["kwargs"].items()]
    given = [f"given_{name}" for name in names]
    yield f"result = submission.{inputs['function']}({', '.join((*given, *keywords))})"
    if upstream is not None:
        yield f"(result * {literal(upstream)}).sum().backward()"
    for place, value in expected.items():
        yield shown(place, of_function(place), value)


def of_function(place: str) -> str:
    """The expression of the script for a place of a function call."""
    match place.split():
        case ["gradient", "of", "argument", number]:
            return f"argument_{number}.grad"
        case ["argument", number, "left", "alone"]:
            return f"given_argument_{number}"
        case _:
            return place if place.startswith("result") else "None"


def own_probe(exercise: Exercise, request: Request, expected: Mapping[str, str]) -> Iterator[str]:
    """The exercise's own probe, or the generic one of new layers, called as the grader calls it."""
    if request.probe == "new_layer":
        yield f"layer = submission.{request.inputs['layer']}({arguments(request.inputs['args'], request.inputs['kwargs'])})"
        yield "print(layer.state_dict())"
        should_be = {place: _("{place} should be", place=place_in_words(place)) for place in expected}
        yield from (f"print({should_be[place]!r}, {value})" for place, value in expected.items())
        return
    yield f"probes = load('probes', {str(exercise.probes)!r})  # " + _("how the grader uses your code")
    inputs = ", ".join(f"{name}={literal(value)}" for name, value in request.inputs.items())
    yield f"seen = probes.{request.probe}(submission, {inputs})"
    yield from (shown(place, f"seen.get({place!r})", value) for place, value in expected.items())


def shown(place: str, seen: str, expected: str) -> str:
    return f"show({place_in_words(place)!r}, {seen}, {expected})"


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
