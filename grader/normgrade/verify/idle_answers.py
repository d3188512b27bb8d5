"""Idle answers to an exercise, which compute nothing, and the proof that they earn next to nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from normgrade.course.exercise import Exercise
from normgrade.course.files import read_text
from normgrade.course.tensor_library import Library
from normgrade.grading.grade import Submission
from normgrade.grading.grader import Grader
from normgrade.grading.reporting import report_on
from normgrade.inspection.inspection import inspect_source
from normgrade.language import _
from normgrade.report.report import IDLE

ARGUMENT = "{x}"
VALUES = {
    Library.TORCH: (ARGUMENT, "torch.clone({x})", "torch.zeros_like({x})", "torch.ones_like({x})"),
    Library.NUMPY: (ARGUMENT, "numpy.copy({x})", "numpy.zeros_like({x})", "numpy.ones_like({x})"),
}  # what is given back for the first argument
Function = ast.FunctionDef | ast.AsyncFunctionDef


def idle_answers(exercise: Exercise) -> Iterator[tuple[str, str]]:
    """Yield the name and the source of each: the stub that gives its argument back, and the reference with each kind of value."""
    values = VALUES[exercise.written_with]
    for path, some in ((exercise.stub, (ARGUMENT,)), (exercise.reference, values)):
        for value in some:
            yield f"{path.name}, return {value.format(x='…')}", idle(exercise, read_text(path), value)


def idle(exercise: Exercise, source: str, value: str) -> str:
    """Return a source in which the functions of the contract, and `forward` of its classes, only give back a value.

    The constructors stay, except for what they raise.
    """
    names, tree = {signature.name for signature in exercise.defines}, ast.parse(source)
    for node in tree.body:
        if isinstance(node, Function) and node.name in names:
            node.body = giving_back(node, value)
        for method in node.body if isinstance(node, ast.ClassDef) and node.name in names else ():
            if isinstance(method, Function) and method.name == "__init__":
                method.body = [each for each in method.body if not isinstance(each, ast.Raise)]
            elif isinstance(method, Function) and method.name == "forward":
                method.body = giving_back(method, value)
    return ast.unparse(tree)


def giving_back(function: Function, value: str) -> list[ast.stmt]:
    """Return the body of a function that gives back this value of its first argument, as often as its annotation says."""
    names = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
    names = ["next(self.parameters())", *names[1:]][len(names) > 1 :] if names[:1] == ["self"] else names
    given = value.format(x=names[0]) if names else "None"
    match function.returns:
        case ast.Constant(value=None):
            given = "None"
        case ast.Subscript(value=ast.Name(id="tuple"), slice=parts):
            given = f"({given},) * {len(parts.elts) if isinstance(parts, ast.Tuple) else 1}"
    library = value.partition(".")[0]
    return ast.parse(f"import {library}\nreturn {given}" if library in {*Library} else f"return {given}").body


def idle_problems(grader: Grader, exercise: Exercise) -> Iterator[str]:
    """Yield a sentence for each idle answer that earns more than it may."""
    for name, source in idle_answers(exercise):
        inspection = inspect_source(source, exercise, allow_stub=True)
        report = report_on(grader, Submission(exercise, exercise.stub, name), inspection)
        if report.earned > report.possible // IDLE:
            yield _("{answer}: {points} of {possible} points.", answer=name, points=report.earned, possible=report.possible)
