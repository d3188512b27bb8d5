"""The first draft of an exercise: the names that it may have, and every file that it needs, with the author's part marked TODO."""

from __future__ import annotations

import ast
import os
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.course.files import write_whole
from normgrade.course.layout import exercises_in, settings_in
from normgrade.course.signature import Parameter, Signature
from normgrade.course.translations import file_in
from normgrade.course.workflows import workflow_from, workflow_named
from normgrade.language import ENGLISH, _
from normgrade.language.errors import UsageError
from normgrade.suite.situations import SITUATIONS

COLUMNS = 140  # of a line of code
SIZE = "size"  # the kind of an argument that is a number
TEMPLATES = Path(__file__).parent / "templates"
CHINESE = "zh"
POINTS = 20  # of an exercise that does not say otherwise
SLUG = re.compile(r"[a-z][a-z0-9_]*")
IMPORTED = {*sys.stdlib_module_names, "numpy", "torch", "pytest", "normgrade"}  # a learner's file of that name would shadow it
USUAL = "forward(x, eps=1e-5)", "backward(dy, cache)"  # the signatures of an exercise in NumPy
TENSORS = {"x", "y", "dy", "weight", "bias", "input", "content", "style"}  # names of arguments that are arrays in every course
CALLABLES = {"sublayer", "branch", "block"}  # names of arguments that are called
COUNT = re.compile(r"(num|n)_.*|(.*_)?(dim|size|features|channels|layers|groups)")  # names of arguments that are whole numbers


@dataclass(frozen=True, slots=True)
class Draft:
    """An author's description of a new exercise.

    - `signatures`: those of its classes and functions, at least one.
    - `languages`: those of its texts for learners; "en" is one of them.
    - `numpy`: true if it is written without PyTorch.
    - `probes`: true if it has probes of its own.
    """

    slug: str
    signatures: tuple[Signature, ...]
    languages: tuple[str, ...] = (ENGLISH,)
    numpy: bool = False
    probes: bool = False


def begin_course(root: Path, languages: Sequence[str]) -> Course:
    """Create a new course in a folder that is empty or does not exist yet, with the workflow that proves it in GitHub Actions."""
    exercises_in(root).mkdir(parents=True)
    workflow = workflow_named("verify", root)
    workflow.parent.mkdir(parents=True)
    write_whole(settings_in(root), filled("course.toml", title=root.resolve().name, languages=languages).encode())
    write_whole(workflow, workflow_from(TEMPLATES / "workflow.yml").encode())
    return Course.find(root)


def files_of(draft: Draft, course: Course) -> Mapping[Path, str]:
    """Return the text of every file of the draft, in the order in which an author works on them."""
    place, values = course.files(draft.slug), values_of(draft, course)
    kind = "numpy" if draft.numpy else "layer" if draft.signatures[0].is_class else "function"
    files = {place.description: filled("exercise.toml", **values), place.prompt_in(ENGLISH): filled("README.md", **values)}
    if CHINESE in draft.languages:
        files[place.prompt_in(CHINESE)] = filled("README.zh.md", **values)
        files[file_in(place.folder, CHINESE)] = filled(
            "zh.toml", slug=draft.slug, of="exercise.toml, and of the places that its own probes see"
        )
    files[place.stub] = implementation(
        values, "{title}, by hand. `normgrade show {slug}` tells the task, `normgrade check {slug}` grades this file."
    )
    files[place.reference] = implementation(values, "{title}. TODO: who had the idea, and when; then the shortest right form.")
    files[place.alternatives_folder / "another_way.py"] = implementation(values, "TODO: what is different in this right way.", "TODO")
    files[place.mistakes] = filled("mistakes.toml", **values)
    if CHINESE in draft.languages:
        files[file_in(place.solutions, CHINESE)] = filled("zh.toml", slug=draft.slug, of="mistakes.toml and the hidden suite")
    if draft.probes:
        files[place.folder / "probes.py"] = filled("probes.py", **values)
    files[place.suite] = filled(f"test_{kind}.py", **values)
    return files


def add(files: Mapping[Path, str]) -> tuple[list[Path], list[Path]]:
    """Write the files that do not exist yet. Return those that were added and those that were kept. Raise OSError if writing fails."""
    added, kept = [], []
    for path, text in files.items():
        if os.path.lexists(path):
            kept.append(path)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, text.encode())
            added.append(path)
    return added, kept


# The names and signatures


def checked_slug(slug: str) -> str:
    """Return the slug if it may be the name of a learner's file; else raise a UsageError."""
    if not SLUG.fullmatch(slug):
        raise UsageError(
            _('"{slug}" is not a valid name for an exercise. Use lower-case letters, digits and "_", as in weight_norm.', slug=slug)
        )
    try:
        ast.parse(f"import {slug}")
    except SyntaxError:
        raise UsageError(_('"{slug}" is a Python keyword, and cannot be imported. Choose another name.', slug=slug)) from None
    if slug in IMPORTED:
        raise UsageError(_('"{slug}" is the name of a library, and {slug}.py would shadow it. Choose another name.', slug=slug))
    return slug


def checked_contract(texts: Sequence[str], numpy: bool) -> tuple[Signature, ...]:
    """Return the signatures that an exercise defines. Raise a UsageError if one is wrong, or if they do not fit together."""
    if not texts:
        raise UsageError(
            _(
                "Missing argument: SIGNATURE. "
                'Pass the signature of each class or function: `normgrade new SLUG "WeightNorm(weight, dim=0)"`.'
            )
        )
    signatures = tuple(map(checked_signature, texts))
    names = [signature.name for signature in signatures]
    for signature in signatures:
        if names.count(signature.name) > 1:
            raise UsageError(_('"{name}" is given twice. Use a different name for each class and function.', name=signature.name))
        if numpy and signature.is_class:
            said = _(
                '"{name}" is a class, but a NumPy exercise has only functions. Begin the name with a lower-case letter.',
                name=signature.name,
            )
            raise UsageError(said)
    return signatures


def checked_signature(text: str) -> Signature:
    """Return a signature whose defaults are plain values; raise a UsageError for anything else."""
    try:
        signature = Signature.parse(text)
    except ValueError as error:
        raise UsageError(
            _('"{text}" is not a valid signature ({why}). Write it like "LayerNorm(normalized_shape, eps=1e-5)".', text=text, why=error)
        ) from error
    for parameter in signature.parameters:
        if parameter.default is not None and not is_plain(parameter.default):
            raise UsageError(
                _(
                    '"{text}": the default of "{name}" cannot be {default}. Use a number, a string, a tuple, True, False or None.',
                    text=text,
                    name=parameter.name,
                    default=parameter.default,
                )
            )
    return signature


def is_plain(source: str) -> bool:
    """Return True if an expression is a literal."""
    try:
        ast.literal_eval(source)
    except (ValueError, TypeError):
        return False
    return True


def refuse_taken(course: Course, slug: str, signatures: Sequence[Signature]) -> None:
    """Raise a UsageError if the slug is that of an exercise which defines something else."""
    found = course.attempt(slug) if slug in course.slugs else None
    if isinstance(found, Exercise) and found.defines != tuple(signatures):
        defines = ", ".join(map(str, found.defines))
        raise UsageError(
            _(
                'The exercise "{slug}" already exists, and defines {defines}. '
                "Choose another name, or pass the same signature to add its missing files.",
                slug=slug,
                defines=defines,
            )
        )


# The values for the templates


def values_of(draft: Draft, course: Course) -> dict[str, Any]:
    """Return all values that a template of the exercise may use."""
    first, others = draft.signatures[0], [exercise for exercise in course if exercise.slug != draft.slug]
    required = [parameter for parameter in first.parameters if parameter.default is None]
    return {
        "slug": draft.slug,
        "title": draft.slug.replace("_", " ").capitalize(),
        "signatures": draft.signatures,
        "contract": [as_written(str(signature)) for signature in draft.signatures],
        "names": [signature.name for signature in draft.signatures],
        "groups": [group for group in dict.fromkeys(exercise.group for exercise in others) if group != "TODO"],
        "order": (max((exercise.order for exercise in others), default=0) // 10 + 1) * 10,
        "zh": CHINESE in draft.languages,
        "numpy": draft.numpy,
        "probes": draft.probes,
        "backward": is_pair(draft),
        "arrays": [required[0], *(parameter for parameter in required[1:] if parameter.name in TENSORS)] if required else [],
        "built": f"build({', '.join(examples_of(required))})",
        "sized": sum(kind_of_example(each) == SIZE for each in required) > 1,
        "called": called(draft),
        "inputs": max(len(required), 1),
        "points_left": POINTS - points_of_situations(draft),
    }


def points_of_situations(draft: Draft) -> int:
    """Return the points of the checks that are derived for the exercise."""
    left_out = {"without_gradients", "frozen"} if draft.numpy else set()
    played = [each for each in SITUATIONS.values() if each.name not in left_out]
    return sum(each.points for each in played if draft.signatures[0].is_class or not each.of_layers)


def is_pair(draft: Draft) -> bool:
    """Return True if the exercise is `forward` in NumPy with `backward` by hand."""
    return draft.numpy and [signature.name for signature in draft.signatures] == ["forward", "backward"]


def called(draft: Draft) -> str:
    """Return the beginning of the story of the first function in a suite, with the arguments that are not arrays."""
    first = draft.signatures[0]
    numbers = [each for each in first.parameters[1:] if each.default is None and each.name not in TENSORS]
    name = [] if is_pair(draft) else [f'"{first.name}"']
    return f"{'forward_backward' if is_pair(draft) else 'function'}({', '.join([*name, *examples_of(numbers)])})"


def implementation(values: Mapping[str, Any], first_line: str, chinese_line: str = "") -> str:
    """Return the source of a file that has the names of the contract, and raises."""
    torch, classes = not values["numpy"], any(each.is_class for each in values["signatures"])
    imports = "from torch import Tensor, nn" if classes else "from torch import Tensor" if torch else "import numpy as np"
    return filled(
        "implementation.py",
        first_line=first_line.format(**values),
        chinese_line=chinese_line if values["zh"] else "",
        imports=imports,
        array="Tensor" if torch else "np.ndarray",
        returns=" -> Tensor" if torch else "",
        **values,
    )


def docstring(english: str, chinese: str) -> str:
    """Return a docstring, with a paragraph in Chinese if there is a text for it. A text too long for one line has two paragraphs."""
    first, _dot, rest = english.partition(". ")
    paragraphs = [f"{first}.", rest] if len(f'"""{english}"""') > COLUMNS else [english]
    paragraphs += [f"zh: {chinese}"] if chinese else []
    return '"""' + "\n\n".join(paragraphs) + ("\n" if len(paragraphs) > 1 else "") + '"""'


def typed(parameter: Parameter, array: str) -> str:
    """Return a parameter of a definition, with its type if it is known."""
    kind = type_of(parameter, array)
    if parameter.default is None:
        return f"{parameter.name}: {kind}" if kind else parameter.name
    default = as_written(parameter.default)
    return f"{parameter.name}: {kind} = {default}" if kind else f"{parameter.name}={default}"


def type_of(parameter: Parameter, array: str) -> str:
    """Return the type of a parameter; "" if neither its default nor its name tells."""
    default = None if parameter.default is None else ast.literal_eval(parameter.default)
    if isinstance(default, bool | int | float | str):
        return type(default).__name__
    kind = array if parameter.name in TENSORS else "int" if COUNT.fullmatch(parameter.name) else ""
    if parameter.default is None or not kind:
        return kind
    return f"{kind} | None" if default is None else ""


def examples_of(required: Sequence[Parameter]) -> list[str]:
    """Return a value for each required argument of a layer. No two sizes are equal: that would hide mistakes."""
    sizes = count(6, 2)
    return [str(next(sizes)) if (kind := kind_of_example(each)) == SIZE else kind for each in required]


def kind_of_example(parameter: Parameter) -> str:
    """Return a value for a required argument, an array or callables, if its name says that it is one; else SIZE."""
    if parameter.name.removesuffix("s") in CALLABLES:
        return "[feed_forward(6), linear(6, 6)]" if parameter.name.endswith("s") else "feed_forward(6)"
    return "randn(5, 6)" if parameter.name in TENSORS else SIZE


def definition(name: str, parameters: Sequence[str], returns: str, indent: int = 0) -> str:
    """Return the first line of a definition; if it is too long, in several lines, as ruff breaks it."""
    margin, inside = " " * indent, ", ".join(parameters)
    if len(line := f"{margin}def {name}({inside}){returns}:") <= COLUMNS:
        return line
    if indent + 4 + len(inside) > COLUMNS:
        inside = f",\n{margin}    ".join(parameters) + ","
    return f"{margin}def {name}(\n{margin}    {inside}\n{margin}){returns}:"


def as_written(source: str) -> str:
    """Return a source with numbers such as 1e-05 as people write them: 1e-5."""
    return re.sub(r"(?<=\de)([-+])0+(?=\d)", r"\1", source)


@cache
def environment() -> Environment:
    """Return the environment of the templates; a missing value is an error."""
    made = Environment(
        loader=FileSystemLoader(TEMPLATES), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    made.filters |= {"code": lambda name: f"`{name}`", "typed": typed}
    made.globals |= {"docstring": docstring, "definition": definition}
    return made


def filled(template: str, **values: object) -> str:
    """Return the text of a template, filled with these values."""
    return environment().get_template(f"{template}.jinja").render(values)
