"""A measurement of what each constant of the diagnosis decides: it is halved and doubled, and the same answers are diagnosed again.

    python tests/benchmarks/constants.py [--pairs 2] [--triples 1] [--fours 0] [--only search] [SLUG]…

The answers are those of ways.py. The table has a row for each constant and factor that changes anything: how many mistakes fewer are named,
how many wrong names more are told, how many failing claims more stay open, how many first wrong steps fewer are found, and how many seconds
more the diagnoses take. A constant without
a row can be half or twice as large without a difference in these answers. Nothing is promised.
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from normgrade import diagnosis
from normgrade.compare.played import Result
from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.course.files import read_text
from normgrade.grading.grader import Grader
from normgrade.grading.grading_options import Options
from normgrade.grading.opening import open_grader
from normgrade.grading.preparation import prepare
from normgrade.report.report import Outcome

sys.path.insert(0, str(Path(__file__).parent))

from ways import COUNTED, Answer, answers_of, diagnosed

HALF_AND_TWICE = (0.5, 2.0)
ROW = "{:44}{:>8}{:>8}{:>8}{:>8}{:>8}"


class Constant(NamedTuple):
    """A number at the top of a module, and all modules that have imported it."""

    module: str
    name: str
    value: float
    holders: Sequence[ModuleType]

    def times(self, factor: float) -> float:
        """Return the number with this factor; a whole number stays one, and stays above 0."""
        return max(1, round(self.value * factor)) if isinstance(self.value, int) else self.value * factor

    @contextmanager
    def as_if(self, value: float) -> Iterator[None]:
        """Let the constant have another value for a while."""
        try:
            for holder in self.holders:
                setattr(holder, self.name, value)
            yield
        finally:
            for holder in self.holders:
                setattr(holder, self.name, self.value)


def constants() -> Iterator[Constant]:
    """Yield all constants of the diagnosis that are a number, by module."""
    root = Path(diagnosis.__file__).parent
    paths = [path for path in sorted(root.rglob("*.py")) if path.name != "__init__.py"]
    modules = [import_module(".".join(("normgrade.diagnosis", *path.relative_to(root).with_suffix("").parts))) for path in paths]
    for path, module in zip(paths, modules, strict=True):
        for name in assigned(ast.parse(read_text(path))):
            value = getattr(module, name)
            if name.isupper() and type(value) in (int, float):
                holders = [other for other in modules if vars(other).get(name) is value]
                yield Constant(module.__name__.removeprefix("normgrade.diagnosis."), name, value, holders)


def assigned(tree: ast.Module) -> Iterator[str]:
    """Yield the names that are assigned at the top of a module."""
    for node in tree.body:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                yield from (each.id for each in ast.walk(target) if isinstance(each, ast.Name))


def measure(exercise: Exercise, sizes: dict[int, int], chosen: Sequence[Constant], changed: dict[tuple[str, float], Counter[str]]) -> int:
    """Add up how the diagnoses of an exercise change with each constant. Return the number of answers."""
    with open_grader([exercise], Options()) as grader:
        prepare(grader, exercise)
        return sum(compare(grader, exercise, answer, chosen, changed) for answer in answers_of(exercise, sizes))


def compare(
    grader: Grader, exercise: Exercise, answer: Answer, chosen: Sequence[Constant], changed: dict[tuple[str, float], Counter[str]]
) -> bool:
    """Diagnose one answer with each constant halved and doubled. Return False if it passes."""
    results: list[Result] = list(grader.results(exercise, answer.source, exercise.file_name))
    if not any(result.check.outcome is Outcome.FAILED for result in results):
        return False
    diagnosed(grader, exercise, answer, results)  # so that all observations are there, and the times can be compared
    usual = diagnosed(grader, exercise, answer, results)
    for constant in chosen:
        for factor in HALF_AND_TWICE:
            value = constant.times(factor)
            if value == constant.value:
                continue
            with constant.as_if(value):
                other = diagnosed(grader, exercise, answer, results)
            counts = changed.setdefault((f"{constant.module}.{constant.name} = {value:g}", constant.value), Counter())
            for key, count in other.items():
                counts[key] += count - usual[key]
    return True


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("slugs", nargs="*")
    parser.add_argument("--only", default="", help="only the modules of the diagnosis whose names begin so")
    for name, size, number in (("--pairs", 2, 2), ("--triples", 3, 1), ("--fours", 4, 0)):
        parser.add_argument(name, type=int, default=number, help=f"sets of {size} mistakes of each exercise")
    options = parser.parse_args()
    sizes = {2: options.pairs, 3: options.triples, 4: options.fours}
    chosen = [constant for constant in constants() if constant.module.startswith(options.only)]
    changed: dict[tuple[str, float], Counter[str]] = {}
    answers = sum(measure(exercise, sizes, chosen, changed) for exercise in [*map(Course.find().exercise, options.slugs)] or Course.find())
    print(ROW.format(f"of {answers} answers, with", *COUNTED, "s"))
    for (what, usual), counts in changed.items():
        if any(counts[key] for key in COUNTED) or abs(counts["ms"]) > 100 * answers:
            changes = (f"{counts[key]:+}" for key in COUNTED)
            print(ROW.format(f"{what} (not {usual:g})", *changes, f"{counts['ms'] / 1000:+.1f}"))


if __name__ == "__main__":
    main()
