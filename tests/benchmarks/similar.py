"""A measurement of how well `normgrade similar` tells disguised copies from answers that were written independently, and of what it costs.

    python tests/benchmarks/similar.py [--students 600] [SLUG]…

The independent answers are those of tests/grader/wild, with their mistakes repaired. Their pairs give the base rate. Each answer is copied
in several disguises: other names, other numbers, other words, another order, more steps, fewer steps, dead code, and all of these. The
table has for each disguise the mean score of an answer with its copy, and the share of copies whose score is above that of 95 % and of
99 % of the independent pairs. Then a class of many students is compared in one exercise.

The exit code is 1 if of any disguise fewer than 95 % of the copies are above 95 % of the independent pairs, if an answer of the class
takes more than 20 ms of processor time, or if the class takes more than 256 MiB of memory.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations, cycle, islice
from pathlib import Path

from normgrade.classes.hand_ins import HandIn
from normgrade.classes.similar.answers import Answer, answer_of, given_by
from normgrade.classes.similar.similarity import LEAST_OWN, Pair, Similarity
from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.course.mistakes import read_mistakes

sys.path.insert(0, str(Path(__file__).parents[1] / "grader" / "harness"))

from disguises import DISGUISES, TOGETHER, disguised
from wild import wild_submissions

ABOVE, SHARE = 0.95, 0.95
EACH_MS, MEMORY_MIB = 20.0, 256.0
OF_CLASS = "batch_norm"
CASES = {name: (name,) for name in DISGUISES} | TOGETHER


def answer(exercise: Exercise, student: str, source: str, given: frozenset[int]) -> Answer:
    found = answer_of(HandIn(student, exercise.slug, student, source.encode()), given)
    assert isinstance(found, Answer), found
    return found


def score(one: Answer, other: Answer) -> float:
    return Pair(one, other, len(one.own.keys() & other.own.keys())).score


def measure(exercise: Exercise, base: list[float], copies: dict[str, list[float]]) -> int:
    """Add the scores of independent pairs and of disguised copies, and return how many answers are too short to be compared."""
    given = given_by(exercise)
    sources = [wild.mended() for wild in wild_submissions() if wild.slug == exercise.slug]
    found = [(source, answer(exercise, "", source, given)) for source in sources]
    long = [(source, each) for source, each in found if len(each.own) >= LEAST_OWN]
    base += [score(one, other) for (_, one), (_, other) in combinations(long, 2)]
    for source, own in long:
        for name, disguises in CASES.items():
            copies[name].append(score(own, answer(exercise, "", disguised(source, *disguises), given)))
    return len(found) - len(long)


def compare_class(students: int) -> bool:
    """Compare the answers of a class, print the costs, and return True if they are as low as promised."""
    exercise = Course.find().exercise(OF_CLASS)
    sources = [wild.mended() for wild in wild_submissions() if wild.slug == exercise.slug]
    sources += [mistake.source for mistake in read_mistakes(exercise)]
    started = time.process_time()
    answers = [  # without anything given, so that all are compared
        answer(exercise, f"student {number}", f"{source}\n# {number}\n", frozenset())
        for number, source in enumerate(islice(cycle(sources), students))
    ]
    read_s = time.process_time() - started
    similarity = Similarity.of(answers)
    similarity.top(10)
    similarity.as_high(1.0)
    each_ms = (time.process_time() - started) / students * 1000
    memory_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{students} answers to {exercise.slug}, {len(similarity.compared)} compared, {similarity.pairs:,} pairs: {read_s:.1f} s to read")
    return said("ms for an answer", each_ms, EACH_MS) & said("MiB of memory", memory_mib, MEMORY_MIB)


def said(what: str, found: float, promised: float) -> bool:
    print(f"  {what}: {found:.3g}, promised {promised:g}: {'held' if found <= promised else 'BROKEN'}")
    return found <= promised


def reached(base: Sequence[float], share: float) -> float:
    return sorted(base)[min(len(base) - 1, int(share * len(base)))]


def above(copies: Sequence[float], limit: float) -> float:
    return sum(each > limit for each in copies) / len(copies)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--students", type=int, default=600)
    parser.add_argument("slugs", nargs="*", metavar="SLUG")
    given = parser.parse_args()
    base: list[float] = []
    copies: dict[str, list[float]] = defaultdict(list)
    short = sum(measure(exercise, base, copies) for exercise in Course.find() if not given.slugs or exercise.slug in given.slugs)
    most, nearly_all = reached(base, ABOVE), reached(base, 0.99)
    rates = f"median {statistics.median(base):.2f}, 95 % {most:.2f}, 99 % {nearly_all:.2f}, highest {max(base):.2f}"
    print(f"{len(base)} independent pairs: {rates}")
    print(f"{len(copies['renamed'])} answers copied, {short} too short")
    print(f"{'disguise':16}{'score':>8}{'above 95 %':>12}{'above 99 %':>12}")
    for name, scores in copies.items():
        print(f"{name:16}{statistics.mean(scores):>8.2f}{above(scores, most):>12.1%}{above(scores, nearly_all):>12.1%}")
    held = all(above(scores, most) >= SHARE for scores in copies.values())
    print(f"  copies above 95 % of the pairs: promised {SHARE:.0%} of each disguise: {'held' if held else 'BROKEN'}")
    return 0 if held & compare_class(given.students) else 1


if __name__ == "__main__":
    sys.exit(main())
