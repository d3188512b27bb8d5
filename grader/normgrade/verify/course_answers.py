"""The answers to an exercise: one in detail, those that compute nothing, and alternatives that agree against the reference."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice, pairwise
from pathlib import Path

import numpy as np

from normgrade.compare.played import Result
from normgrade.course.exercise import Exercise
from normgrade.course.files import read_text
from normgrade.course.mistakes import read_mistakes, read_wrong
from normgrade.course.tensor_library import Library
from normgrade.grading.grade import Submission
from normgrade.grading.grader import Grader
from normgrade.grading.grading_options import Options
from normgrade.grading.opening import open_grader
from normgrade.grading.reporting import report_on
from normgrade.inspection.inspection import inspect_source
from normgrade.language import _
from normgrade.language.errors import UsageError, did_you_mean
from normgrade.report.report import IDLE, ArrayDifference, Numbers, Outcome, Report

VALUES = "{x}", "{x} + 0", "{library}.zeros_like({x})", "{library}.ones_like({x})"  # of the first argument
Differences = Mapping[tuple[str, str], ArrayDifference]  # by check and place


# One answer in detail


def close_up(
    exercise: Exercise,
    mistake: str | None,
    alternative: str | None,
    seeds: Sequence[int],
    options: Options = Options(),  # noqa: B008
) -> list[Report]:
    """Return the whole reports on the named answers, on every seed. If none is named, report on the reference and the alternatives."""
    answers = list(named(exercise, mistake, alternative))
    with open_grader([exercise], options) as grader:
        return [report(grader, exercise, answer, seed) for seed in seeds for answer in answers]


def named(exercise: Exercise, mistake: str | None, alternative: str | None) -> Iterator[tuple[str, str]]:
    """Yield the name in the report and the source of each of these answers. Raise UsageError if there is no such answer."""
    if mistake is not None:
        sources = {each.name: each.source for each in read_mistakes(exercise)}
        sources |= {each.name: each.source for each in read_wrong(exercise)}
        if mistake not in sources:
            raise UsageError(unknown(_("mistake"), mistake, exercise, sources))
        yield mistake, sources[mistake]
    if alternative is not None:
        paths = {path.stem: path for path in exercise.alternatives}
        if alternative not in paths:
            raise UsageError(unknown(_("alternative"), alternative, exercise, paths))
        yield from_file(exercise, paths[alternative])
    if mistake is None and alternative is None:
        yield from (from_file(exercise, path) for path in (exercise.reference, *exercise.alternatives))


def unknown(what: str, name: str, exercise: Exercise, known: Iterable[str]) -> str:
    """Return the sentence about a name that does not exist."""
    meant, there, slug = did_you_mean(name, known), ", ".join(known) or _("none"), exercise.slug
    return _('{slug} has no {what} named "{name}".{meant} Use one of: {known}.', slug=slug, what=what, name=name, meant=meant, known=there)


def from_file(exercise: Exercise, path: Path) -> tuple[str, str]:
    return path.relative_to(exercise.course).as_posix(), read_text(path)


def report(grader: Grader, exercise: Exercise, answer: tuple[str, str], seed: int) -> Report:
    """Return the report on one answer with a seed, as a learner would get it, but without advice for learners.

    If only some checks are played, theirs are all the points.
    """
    name, source = answer
    seeded = replace(grader, options=replace(grader.options, seed=seed))
    submission = Submission(exercise, Path(exercise.file_name), name)
    found = replace(report_on(seeded, submission, inspect_source(source, exercise, allow_stub=True)), for_author=True)
    return replace(found, possible=grader.played(exercise).points, granted=0) if grader.options.only else found


# Answers that compute nothing


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


# Alternatives that agree


def agree_against_the_reference(exercise: Exercise, rejected: Mapping[Path, Sequence[Result]]) -> bool:
    """Return True if all alternatives, two at least, are rejected in the same places, with the same numbers there."""
    if len(rejected) < 2 or set(rejected) != set(exercise.alternatives):
        return False
    return all(alike(dict(numbers(one)), dict(numbers(other))) for one, other in pairwise(rejected.values()))


def numbers(results: Sequence[Result]) -> Iterator[tuple[tuple[str, str], ArrayDifference]]:
    """Yield every difference of one answer that has numbers, with its check and place."""
    for check in (result.check for result in results if result.check.outcome is Outcome.FAILED):
        for difference in check.differences:
            if isinstance(difference, ArrayDifference):
                yield (check.name, difference.place), difference


def alike(one: Differences, other: Differences) -> bool:
    """Return True if two answers differ from the reference in the same places, but not from each other."""
    return bool(one) and one.keys() == other.keys() and all(same(one[key].numbers, other[key].numbers) for key in one)


def same(one: Numbers, other: Numbers) -> bool:
    """Return True if two arrays of numbers are as close to each other as both would have to be to the reference."""
    with np.errstate(all="ignore"):
        return bool((np.abs(one.actual - other.actual) <= 2 * one.allowed).all())
