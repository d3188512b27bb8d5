"""Bad habits: errors that do not depend on an exercise, put around every reference that they fit, so that a suite is tested on them, too.

A mutant is one small change inside of a reference. A habit wraps the reference: it casts on the way, clips a gradient, counts calls, keeps
a mode or changes a setting. A course holds the code in `solutions/habits_torch.py` and `habits_numpy.py`. They are read, never imported.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from normgrade.course.exercise import Exercise
from normgrade.course.files import read_text

ARRAYS = ("Tensor", "ndarray")
PARTS = re.compile(r"(torch\.)?nn\.(?!init)")  # the beginning of a call that builds parameters
HELD = ("sublayer", "sublayers", "branch")  # arguments that are layers themselves


@dataclass(frozen=True, slots=True)
class Habit:
    """One error: its name, the sentence that describes it, its function, the kinds of definition that it wraps, and the code it needs."""

    name: str
    says: str
    function: str
    around: tuple[str, ...]
    code: str


@dataclass(frozen=True, slots=True)
class Defined:
    """A definition of the reference under a name of the contract."""

    node: ast.ClassDef | ast.FunctionDef

    @property
    def name(self) -> str:
        return self.node.name

    @property
    def is_layer(self) -> bool:
        return isinstance(self.node, ast.ClassDef)

    @property
    def call(self) -> ast.FunctionDef | None:
        """The function that is called: the function itself, or the method `forward` of a layer."""
        if isinstance(self.node, ast.FunctionDef):
            return self.node
        return next((each for each in self.node.body if isinstance(each, ast.FunctionDef) and each.name == "forward"), None)

    @property
    def tensors(self) -> int:
        """The number of tensors or arrays that a call takes."""
        return sum(annotation(each.annotation) in ARRAYS for each in self.call.args.args) if self.call else 0

    @property
    def returns_tensor(self) -> bool:
        return self.call is not None and annotation(self.call.returns) == "Tensor"

    @property
    def refuses(self) -> bool:
        """True if a call refuses some inputs."""
        return self.call is not None and "raise ValueError" in ast.unparse(self.call)

    def has(self, text: str) -> bool:
        return self.is_layer and text in ast.unparse(self.node)

    @property
    def has_parameters(self) -> bool:
        """True if a layer builds parameters, or layers that may have some."""
        return self.is_layer and any(isinstance(each, ast.Call) and PARTS.match(ast.unparse(each)) for each in ast.walk(self.node))

    @property
    def holds_layers(self) -> bool:
        """True if a layer is built with other layers as arguments."""
        arguments = {each.arg for each in ast.walk(self.node) if isinstance(each, ast.arg)}
        return self.is_layer and not arguments.isdisjoint(HELD)


# The definitions that a habit can wrap, by the name of its parameter
KINDS: dict[str, Callable[[Defined], bool]] = {
    "any_call": lambda defined: defined.call is not None,
    "call": lambda defined: defined.returns_tensor,
    "call_of_inputs": lambda defined: defined.returns_tensor and defined.tensors > 0,
    "call_of_several": lambda defined: defined.returns_tensor and defined.tensors > 1,
    "refusing_call": lambda defined: defined.refuses,
    "layer": lambda defined: defined.is_layer,
    "layer_with_parameters": lambda defined: defined.has_parameters,
    "layer_with_modes": lambda defined: defined.has("self.training"),
    "layer_with_modes_that_refuses": lambda defined: defined.refuses and defined.has("self.training"),
    "layer_with_counter": lambda defined: defined.has("num_batches_tracked"),
    "layer_of_others": lambda defined: defined.holds_layers,
    "forward": lambda defined: defined.name == "forward",
    "forward_of_several": lambda defined: defined.name == "forward" and defined.tensors > 1,
    "refusing_forward": lambda defined: defined.name == "forward" and defined.refuses,
    "backward": lambda defined: defined.name == "backward",
}


def fitting(exercise: Exercise) -> tuple[Habit, ...]:
    """Return the habits that can show in an exercise, by the kinds of its definitions."""
    defined = defined_in(exercise)
    habits = habits_in(exercise.shared_habits(exercise.written_with))
    return tuple(habit for habit in habits if all(any(map(KINDS[kind], defined)) for kind in habit.around))


def with_habit(exercise: Exercise, habit: Habit) -> str:
    """Return the reference with a habit: its source, the code of the habit, and the lines that wrap the definitions of the contract."""
    lines = "\n".join(put_around(habit, defined_in(exercise)))
    return f"{read_text(exercise.reference)}\n\n{habit.code}\n\n{lines}\n"


def put_around(habit: Habit, defined: tuple[Defined, ...]) -> Iterator[str]:
    """Yield a line for each definition that a habit wraps, or one for a pair."""
    if len(habit.around) == 2:
        yield f"forward, backward = {habit.function}(forward, backward)"
        return
    [kind] = habit.around
    for each in filter(KINDS[kind], defined):
        target = f"{each.name}.forward" if each.is_layer and not kind.startswith("layer") else each.name
        yield f"{target} = {habit.function}({target})"


def defined_in(exercise: Exercise) -> tuple[Defined, ...]:
    """Return the reference's definitions of the names in the contract."""
    names = {each.name for each in exercise.defines}
    body = ast.parse(read_text(exercise.reference)).body
    return tuple(Defined(each) for each in body if isinstance(each, ast.ClassDef | ast.FunctionDef) and each.name in names)


@cache
def habits_in(path: Path) -> tuple[Habit, ...]:
    """Return the habits in a file of a course, in their order; none if there is no such file."""
    body = ast.parse(read_text(path)).body if path.is_file() else []
    functions = [each for each in body if isinstance(each, ast.FunctionDef)]

    def habit(function: ast.FunctionDef, around: tuple[str, ...]) -> Habit:
        code = "\n".join(map(ast.unparse, needed(function, body)))
        return Habit(function.name.replace("_", "-"), ast.get_docstring(function) or "", function.name, around, code)

    named = ((each, tuple(argument.arg for argument in each.args.args)) for each in functions)
    return tuple(habit(function, around) for function, around in named if KINDS.keys() >= set(around))


def needed(function: ast.FunctionDef, body: list[ast.stmt]) -> list[ast.stmt]:
    """Return the statements of a file that a function of it needs, and the function itself, in their order."""
    kept: list[ast.stmt] = []
    used = {function.name}
    while more := [each for each in body if each not in kept and not used.isdisjoint(bound_by(each))]:
        kept += more
        used |= {each.id for statement in more for each in ast.walk(statement) if isinstance(each, ast.Name)}
    return [each for each in body if each in kept]


def bound_by(statement: ast.stmt) -> list[str]:
    """Return the names that a statement of a file gives to something."""
    match statement:
        case ast.Import(names) | ast.ImportFrom(names=names):
            return [each.asname or each.name for each in names]
        case ast.Assign([ast.Name(name)]) | ast.FunctionDef(name):
            return [name]
    return []


def annotation(node: ast.expr | None) -> str:
    """Return the last part of a name that is used as an annotation: "Tensor" of `torch.Tensor`."""
    return "" if node is None else ast.unparse(node).rpartition(".")[2]
