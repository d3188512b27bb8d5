"""What can be said of a submission without running anything, in milliseconds: this module imports nothing but the standard library."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from hashlib import sha256
from pathlib import Path

from normgrade.course.course import Exercise
from normgrade.course.course import read as read_of_course
from normgrade.inspection.contract import contract_findings
from normgrade.inspection.dotted_names import Names, TooIntricate
from normgrade.inspection.source import content_of, decoded, no_file, parse, position, too_deep, too_intricate
from normgrade.language import _
from normgrade.language.errors import CourseError
from normgrade.language.text import lines_of
from normgrade.report.report import Finding, Rule

HINDRANCES = {Rule.FILE, Rule.SYNTAX, Rule.CONTRACT}


@dataclass(frozen=True)
class Inspection:
    """What a source says of itself. `source` is None when the file cannot be read; `started` is False for an untouched stub.

    `digest` is the SHA-256 of the file's bytes as they were read, the only time that they are.
    """

    source: str | None
    findings: tuple[Finding, ...]
    started: bool
    digest: str = field(default="", compare=False)

    @property
    def playable(self) -> bool:
        """Whether it is to be played: it is more than the stub, and can be run."""
        return self.started and self.runnable

    @property
    def runnable(self) -> bool:
        """Whether there is anything to play: the source could be parsed and every contract name is there."""
        return self.source is not None and HINDRANCES.isdisjoint(finding.rule for finding in self.findings)


def inspect_file(path: Path, exercise: Exercise, *, allow_stub: bool = False) -> Inspection:
    """Inspect a submission where it lies; `allow_stub` also lets the stub count as started."""
    content = content_of(path, exercise.slug)
    if isinstance(content, Finding):
        return Inspection(None, (content,), started=True)
    source, digest = decoded(path, content), sha256(content).hexdigest()
    if isinstance(source, Finding):
        return Inspection(None, (source,), started=True, digest=digest)
    return replace(inspect_source(source, exercise, allow_stub=allow_stub), digest=digest)


def inspect_source(source: str, exercise: Exercise, *, allow_stub: bool = False) -> Inspection:
    """Inspect any implementation: a submission, a reference, an alternative, a mistake."""
    tree = parse(source)
    if isinstance(tree, Finding):
        return Inspection(source, (tree,), started=True)
    if not tree.body:
        text = _(
            "The file holds no code: write it, or begin again with `normgrade show --stub {slug} > {file}`.",
            slug=exercise.slug,
            file=exercise.file_name,
        )
        return Inspection(source, (no_file(text),), started=True)
    try:
        findings = sorted(findings_of(tree, exercise, lines_of(source)), key=lambda finding: (finding.line, finding.column))
    except RecursionError:
        return Inspection(source, (too_deep(),), started=True)
    except TooIntricate:
        return Inspection(source, (too_intricate(),), started=True)
    return Inspection(source, tuple(findings), started=allow_stub or not is_untouched(tree, exercise))


def findings_of(tree: ast.Module, exercise: Exercise, lines: list[str]) -> Iterator[Finding]:
    names = Names(tree, cache(exercise.bans))
    yield from contract_findings(names, exercise.defines, lines)
    yield from banned_findings(names, exercise, lines)


def banned_findings(names: Names, exercise: Exercise, lines: list[str]) -> Iterator[Finding]:
    """Every use of a banned name, once per line and name."""
    places: dict[tuple[int, str], ast.AST] = {}
    for node, name in (*names.uses.items(), *imported(names, exercise)):
        places.setdefault((getattr(node, "lineno", 0), name), node)
    for (_line, name), place in places.items():
        text = _("This line uses `{name}`: the exercise is to write it by hand.", name=name)
        yield Finding(*position(lines, place), Rule.BANNED, text)


def imported(names: Names, exercise: Exercise) -> Iterator[tuple[ast.AST, str]]:
    """The contract names that are nothing but a banned name."""
    for signature in exercise.defines:
        for name in filter(names.wanted, names.final.get(signature.name, ())):
            yield names.bound[signature.name][-1], name


def is_untouched(tree: ast.Module, exercise: Exercise) -> bool:
    """Whether whatever the stub leaves open is still as the stub has it, docstrings and comments aside."""
    try:
        stub = parse(read_of_course(exercise.stub))
    except CourseError:
        return False
    if isinstance(stub, Finding):
        return False
    theirs, ours = definitions(tree), definitions(stub)
    open_names = {signature.name for signature in exercise.defines} | {name for name, node in ours.items() if is_open(node)}
    return all(name in theirs and name in ours and outline(theirs[name]) == outline(ours[name]) for name in open_names)


def definitions(tree: ast.Module) -> dict[str, ast.stmt]:
    return {node.name: node for node in tree.body if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)}


def is_open(node: ast.AST) -> bool:
    """Whether a definition says that it is still to be written."""
    return any(isinstance(inner, ast.Name) and inner.id == "NotImplementedError" for inner in ast.walk(node))


def outline(node: ast.stmt) -> list[object]:
    """The bases and the body of a definition as one flat list, which no depth can overflow; statements without effect left out."""
    parts: list[object] = []
    rest: list[object] = [getattr(node, "body", []), getattr(node, "bases", [])]
    while rest:
        part = rest.pop()
        if isinstance(part, ast.AST):
            parts.append(type(part))
            rest += [getattr(part, name, None) for name in part._fields]
        elif isinstance(part, list):
            kept = [item for item in part if not (isinstance(item, ast.Expr) and isinstance(item.value, ast.Constant))]
            parts.append(len(kept))
            rest += kept
        else:
            parts.append((type(part), part))
    return parts
