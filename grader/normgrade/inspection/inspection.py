"""The inspection of a submission as text, without running it. It needs only the standard library, so findings come in milliseconds."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from hashlib import sha256
from pathlib import Path

from normgrade.course.exercise import Exercise
from normgrade.course.files import read_text
from normgrade.inspection.cells import readable, without
from normgrade.inspection.contract import contract_findings
from normgrade.inspection.dotted_names import Names
from normgrade.inspection.pasted import is_notebook, notebook
from normgrade.inspection.source import LIMIT_BYTES, content_of, decoded, no_file, parse, position, too_deep, too_large
from normgrade.language import _
from normgrade.language.errors import CourseError
from normgrade.language.text import in_cells, lines_of
from normgrade.report.report import Finding, Rule

DEFINES = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.Import, ast.ImportFrom)
HINDRANCES = {Rule.FILE, Rule.SYNTAX, Rule.CONTRACT}


@dataclass(frozen=True)
class Inspection:
    """The result of an inspection. `source` is None if the file cannot be read; `started` is False for an untouched stub.

    `digest` is the SHA-256 of the file's bytes, in hexadecimal. The file is read only once. `left_out` has the reasons why parts of a
    notebook are comments in `source`, by their lines.
    """

    source: str | None
    findings: tuple[Finding, ...]
    started: bool
    digest: str = field(default="", compare=False)
    left_out: Mapping[int, str] = field(default_factory=dict, compare=False)

    @property
    def playable(self) -> bool:
        """True if there is something to play: more than the stub, and code that can run."""
        return self.started and self.runnable

    @property
    def runnable(self) -> bool:
        """True if the code can run: the source was parsed, and every contract name is there."""
        return self.source is not None and HINDRANCES.isdisjoint(finding.rule for finding in self.findings)


def inspect_file(path: Path, exercise: Exercise, *, allow_stub: bool = False) -> Inspection:
    """Inspect a submission's file. With `allow_stub`, an untouched stub counts as started."""
    content = content_of(path, exercise.slug)
    if isinstance(content, Finding):
        return Inspection(None, (content,), started=True)
    return inspect_content(content, path, exercise, allow_stub=allow_stub)


def inspect_content(content: bytes, path: Path, exercise: Exercise, *, allow_stub: bool = False) -> Inspection:
    """Inspect the bytes of a submission, which messages call by its path."""
    if len(content) > LIMIT_BYTES:
        return Inspection(None, (no_file(too_large(path)),), started=True)
    source, digest = decoded(path, content), sha256(content).hexdigest()
    if isinstance(source, Finding):
        return Inspection(None, (source,), started=True, digest=digest)
    return replace(inspect_source(source, exercise, allow_stub=allow_stub), digest=digest)


def inspect_source(source: str, exercise: Exercise, *, allow_stub: bool = False) -> Inspection:
    """Inspect any implementation: a submission, a reference, an alternative, a mistake."""
    if is_notebook(source):
        return Inspection(source, (no_file(notebook()),), started=True)
    source, broken = readable(source)
    tree = parse(source)
    if isinstance(tree, Finding):
        return Inspection(source, (tree,), started=True)
    if not tree.body:
        text = _(
            "The file has no code: write it, or start again with `normgrade show --stub {slug} > {file}`.",
            slug=exercise.slug,
            file=exercise.file_name,
        )
        return Inspection(source, tuple(broken) or (no_file(text),), started=True)
    try:
        tests = tests_left_out(tree, exercise) if in_cells(source) else {}
        if tests:
            source = without(source, tests)
            tree = ast.parse(source)
        findings = sorted(findings_of(tree, exercise, lines_of(source)), key=lambda finding: (finding.line, finding.column))
    except RecursionError:
        return Inspection(source, (too_deep(),), started=True)
    if any(finding.rule is Rule.CONTRACT for finding in findings):
        findings = [*broken, *findings]  # perhaps the cell that was left out defines it
    left_out = {finding.line: _("this is not valid Python") for finding in broken} | {test.lineno: why for test, why in tests.items()}
    return Inspection(source, tuple(findings), started=allow_stub or not is_untouched(tree, exercise), left_out=left_out)


def findings_of(tree: ast.Module, exercise: Exercise, lines: list[str]) -> Iterator[Finding]:
    names = names_in(tree, exercise)
    tests = frozenset(node for statement in own_tests(tree) for node in ast.walk(statement))
    yield from contract_findings(names, exercise.defines, lines)
    yield from banned_findings(names, exercise, lines, Context(tests, frozenset(bases(tree))))


def names_in(tree: ast.Module, exercise: Exercise) -> Names:
    """Return the names of a source, with its uses of names that the exercise bans."""
    against = cache(exercise.ban.against)
    return Names(tree, lambda name: against(name) is not None)


@dataclass(frozen=True, slots=True)
class Context:
    """The nodes in which a banned name may not be a use: those of the learner's own `tests`, and the `bases` of classes."""

    tests: frozenset[ast.AST]
    bases: frozenset[ast.AST]


def bases(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield the base expressions of all classes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            yield from node.bases


def banned_findings(names: Names, exercise: Exercise, lines: list[str], context: Context) -> Iterator[Finding]:
    """Yield a finding for every use of a banned name, once per line and name.

    Its advice is different for uses in tests, which may be meant as a comparison, and for bases, which may be meant only for their buffers.
    """
    places: dict[tuple[int, str], ast.AST] = {}
    for node, name in (*names.uses.items(), *imported(names, exercise)):
        places.setdefault((getattr(node, "lineno", 0), name), node)
    for (_line, name), place in places.items():
        text = _("This line uses `{name}`, which must be written by hand.", name=name)
        if place in context.bases:
            text += _(" Derive from `torch.nn.Module`, and register parameters and buffers yourself.")
        if place in context.tests:
            text += _(' If this is your own test, put it under `if __name__ == "__main__":`, which is not graded.')
        yield Finding(*position(lines, place), Rule.BANNED, text)


def tests_left_out(tree: ast.Module, exercise: Exercise) -> dict[ast.stmt, str]:
    """Return the statements that test the learner's own code against something banned, each with the reason why it must not run.

    A function is a test if no other code has its name, except for tests.
    """
    names, found, tests = names_in(tree, exercise), {}, [*own_tests(tree)]
    code = [node for statement in tree.body if statement not in tests for node in ast.walk(statement)]
    used = {signature.name for signature in exercise.defines} | {node.id for node in code if isinstance(node, ast.Name)}
    tests += [each for each in tree.body if isinstance(each, ast.FunctionDef) and each.name not in used]
    for statement in tests:
        uses = (names.uses[node] for node in ast.walk(statement) if isinstance(node, ast.expr) and node in names.uses)
        if (name := next(uses, None)) is not None:
            found[statement] = _("`{name}` is not available here", name=name)
    return found


def own_tests(tree: ast.Module) -> Iterator[ast.stmt]:
    """Yield the statements that run when the file is loaded, and that neither define anything nor give it a name."""
    for statement in tree.body:
        gives_a_name = isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Name | ast.Attribute)
        if not gives_a_name and not any(isinstance(node, DEFINES) for node in ast.walk(statement)):
            yield statement


def imported(names: Names, exercise: Exercise) -> Iterator[tuple[ast.AST, str]]:
    """Yield the banned names that are imported under a name of the contract, each with its node."""
    for signature in exercise.defines:
        name = names.final.get(signature.name)
        if name is not None and names.wanted(name):
            yield names.bound[signature.name][-1], name


def is_untouched(tree: ast.Module, exercise: Exercise) -> bool:
    """Return True if every definition that the stub leaves open is unchanged, except for docstrings and comments."""
    try:
        stub = parse(read_text(exercise.stub))
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
    """Return True if a definition is still to be written: it names NotImplementedError."""
    return any(isinstance(inner, ast.Name) and inner.id == "NotImplementedError" for inner in ast.walk(node))


def outline(node: ast.stmt) -> list[object]:
    """Return the body and the bases of a definition as one flat list, for any depth. Statements without effect are left out."""
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
