"""Idle answers to an exercise, which compute nothing, and the proof that they earn next to nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import chain, islice

from normgrade.course.exercise import Exercise
from normgrade.course.files import read_text
from normgrade.course.tensor_library import Library
from normgrade.grading.grade import Submission
from normgrade.grading.grader import Grader
from normgrade.grading.reporting import report_on
from normgrade.inspection.inspection import inspect_source
from normgrade.language import _
from normgrade.report.report import IDLE

VALUES = "{x}", "{x} + 0", "{library}.zeros_like({x})", "{library}.ones_like({x})"  # of the first argument


def idle_answers(exercise: Exercise) -> Iterator[tuple[str, str]]:
    """Yield the name and the source of each: the reference with each kind of value, and the stub that gives its argument back."""
    for path, some in ((exercise.reference, VALUES), (exercise.stub, VALUES[:1])):
        for value in some:
            shown = value.format(x="…", library=exercise.written_with)
            yield f"{path.name}, return {shown}", idle(exercise, read_text(path), value)


def idle(exercise: Exercise, source: str, value: str) -> str:
    """Return a source in which the functions of the contract, and `forward` of its classes, only give back a value.

    The constructors stay, except for what they raise.
    """
    names, tree = {signature.name for signature in exercise.defines}, ast.parse(source)
    defined = [node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name in names]
    for node in chain.from_iterable(each.body if isinstance(each, ast.ClassDef) else [each] for each in defined):
        if isinstance(node, ast.FunctionDef) and node.name == "__init__":
            node.body = [each for each in node.body if not isinstance(each, ast.Raise)]
        elif isinstance(node, ast.FunctionDef) and node.name in {*names, "forward"}:
            node.body = giving_back(node, value, exercise.written_with)
    return ast.unparse(tree)


def giving_back(function: ast.FunctionDef, value: str, library: Library) -> list[ast.stmt]:
    """Return the body of a function that gives back this value of its first argument, as often as its annotation says."""
    names = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
    names = ["next(self.parameters())", *names[1:]][len(names) > 1 :] if names[:1] == ["self"] else names
    given = value.format(x=names[0], library=library)
    match function.returns:
        case ast.Constant(value=None):
            given = "None"
        case ast.Subscript(value=ast.Name(id="tuple"), slice=parts):
            given = f"({given},) * {len(parts.elts) if isinstance(parts, ast.Tuple) else 1}"
    return ast.parse(f"import {library}\nreturn {given}").body


def idle_problems(grader: Grader, exercise: Exercise, sample: int = 1) -> Iterator[str]:
    """Yield a sentence for each idle answer, one of every `sample`, that earns more than it may."""
    for name, source in islice(idle_answers(exercise), 0, None, sample):
        inspection = inspect_source(source, exercise, allow_stub=True)
        report = report_on(grader, Submission(exercise, exercise.stub, name), inspection)
        if report.earned > report.possible // IDLE:
            yield _("{answer}: {points} of {possible} points.", answer=name, points=report.earned, possible=report.possible)
