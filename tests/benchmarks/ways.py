"""A measurement of how much each part of the search for mistakes earns: it is left out, and the same answers are diagnosed again.

    python tests/benchmarks/ways.py [--pairs 6] [--triples 5] [--fours 3] [SLUG]…

The answers are sets of two, three and four known mistakes, and the submissions of tests/grader/wild. A part is left out only where it takes
part in the diagnosis; elsewhere it cannot matter. The table has for each part: the number of answers in whose diagnosis it takes part, and
how many mistakes fewer are named without it, how many wrong names more are told, how many failing claims more stay open, how many first
wrong steps fewer are found, and how many seconds more the diagnosis takes. Observations of earlier mistakes are reused, so the times
flatter every part alike. Nothing is promised.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from normgrade.compare.played import Result
from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.course.files import read_text
from normgrade.course.mistakes import read_mistakes, together
from normgrade.diagnosis import best, diagnose, investigation
from normgrade.diagnosis.investigation import Investigation
from normgrade.diagnosis.peeling import Peeled
from normgrade.diagnosis.search import Search
from normgrade.grading.grader import Grader, Submitted
from normgrade.grading.grading_options import Options
from normgrade.grading.opening import open_grader
from normgrade.grading.preparation import prepare
from normgrade.report.report import Outcome

sys.path.insert(0, str(Path(__file__).parents[1] / "grader" / "harness"))

from wild import wild_submissions

sys.path.insert(0, str(Path(__file__).parent))

from diagnosis import sets_of

COUNTED = "named", "wrong", "open", "steps"
COLUMNS = "{:28}{:>8}{:>8}{:>8}{:>8}{:>8}{:>8}"


@dataclass
class Parts:
    """The parts of the search that took part since the last look, and the one that is left out."""

    used: set[str] = field(default_factory=set)
    left_out: str = ""

    def uses(self, name: str) -> bool:
        """Note that a part has its turn. Return False if it is left out."""
        self.used.add(name)
        return name != self.left_out


PARTS = Parts()


def wrapped(name: Callable[..., str], real: Callable[..., Any], without: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that does the same as the real one, or `without` it if its part is left out."""
    return lambda *arguments, **options: (real if PARTS.uses(name(*arguments)) else without)(*arguments, **options)


def last(*arguments: Any) -> Any:
    return arguments[-1]


def install() -> None:
    """Let every part ask if it is left out."""
    for name in ("seeded", "by_worth", "changing_pairs", "approached", "mended"):
        setattr(best, name, wrapped(partial(lambda name, *_: name, name), getattr(best, name), last))
    best.complete_sets = wrapped(lambda size, _: f"complete_sets of {size}", best.complete_sets, last)
    Search.with_twins = wrapped(lambda *_: "with_twins", Search.with_twins, last)  # type: ignore[method-assign]
    diagnose.credible = wrapped(lambda *_: "credible", diagnose.credible, lambda guess, search: guess)
    investigation.peel = wrapped(lambda *_: "peel", investigation.peel, lambda results, answers: Peeled(results, results))
    for method, without in (
        ("telling", lambda self, deadline: []),
        ("traced_in", lambda self, results, beside=(): tuple(beside)),
        ("first_wrong_step", lambda self, found, deadline: None),
        ("first_of", lambda self, members: iter(())),
    ):
        setattr(Investigation, method, wrapped(partial(lambda name, *_: name, method), getattr(Investigation, method), without))
    likeliest = Investigation.likeliest

    def some_of_likeliest(self: Investigation, deadline: Any) -> Iterator[Any]:
        return (each for each in likeliest(self, deadline) if PARTS.uses(f"likeliest, {'in float64' if each.exactly else 'natively'}"))

    Investigation.likeliest = some_of_likeliest  # type: ignore[method-assign]


@dataclass(frozen=True)
class Answer:
    """A wrong answer, and a function that returns the mistakes among some names that it has."""

    source: str
    made: Callable[[set[str]], set[str]]


def answers_of(exercise: Exercise, sizes: dict[int, int]) -> Iterator[Answer]:
    mistakes, reference = read_mistakes(exercise), read_text(exercise.reference)
    for chosen in sets_of(mistakes, reference, sizes):
        if len(chosen) > 1:
            yield Answer(together(reference, chosen) or "", {mistake.name for mistake in chosen}.intersection)
    for wild in wild_submissions():
        if wild.slug == exercise.slug:
            yield Answer(read_text(wild.path), wild.named_by)


def diagnosed(grader: Grader, exercise: Exercise, answer: Answer, results: Sequence[Result], left_out: str = "") -> Counter[str]:
    """Return the counts of one diagnosis without a part."""
    PARTS.left_out = left_out
    started = time.perf_counter()
    found = grader.diagnose(exercise, results, submitted=Submitted(answer.source, exercise.file_name))
    took, diagnoses = time.perf_counter() - started, found.diagnoses or ()
    said = {name for diagnosis in diagnoses[:1] for name in diagnosis.mistakes} & {each.name for each in read_mistakes(exercise)}
    failed = sum(result.check.outcome is Outcome.FAILED for result in results)
    explained = sum(len(diagnosis.checks) for diagnosis in diagnoses[:1])
    named = len(answer.made(said))
    step = found.step is not None
    return Counter(named=named, wrong=len(said) - named, open=failed - explained, steps=int(step), ms=round(1000 * took))


def measure(exercise: Exercise, sizes: dict[int, int], whole: Counter[str], without: dict[str, Counter[str]]) -> None:
    """Add the counts of an exercise: of whole diagnoses, and the differences without each part."""
    with open_grader([exercise], Options()) as grader:
        for answer in answers_of(exercise, sizes):
            prepare(grader, exercise)
            results = list(grader.results(exercise, answer.source, exercise.file_name))
            if not any(result.check.outcome is Outcome.FAILED for result in results):
                continue
            PARTS.used.clear()
            usual = diagnosed(grader, exercise, answer, results)
            whole.update(usual | Counter(answers=1))
            for part in sorted(PARTS.used):
                other = diagnosed(grader, exercise, answer, results, part)
                counts = without.setdefault(part, Counter())
                counts.update(answers=1)
                for key, count in other.items():
                    counts[key] += count - usual[key]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("slugs", nargs="*")
    for name, size, number in (("--pairs", 2, 6), ("--triples", 3, 5), ("--fours", 4, 3)):
        parser.add_argument(name, type=int, default=number, help=f"sets of {size} mistakes of each exercise")
    options = parser.parse_args()
    sizes = {2: options.pairs, 3: options.triples, 4: options.fours}
    install()
    whole, without = Counter[str](), dict[str, Counter[str]]()
    for exercise in [Course.find().exercise(slug) for slug in options.slugs] or Course.find():
        measure(exercise, sizes, whole, without)
    print(COLUMNS.format("without", "answers", *COUNTED, "s"))
    for part, counts in sorted(without.items(), key=lambda each: each[1]["named"]):
        changes = (f"{counts[key]:+}" for key in COUNTED)
        print(COLUMNS.format(part, counts["answers"], *changes, f"{counts['ms'] / 1000:+.1f}"))
    print(COLUMNS.format("all of it", whole["answers"], *(whole[key] for key in COUNTED), f"{whole['ms'] / 1000:.1f}"))


if __name__ == "__main__":
    main()
