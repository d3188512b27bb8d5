"""How alike the answers of a class are: pairs by the share of their own fingerprints, and how usual such a share is in this class.

A few fingerprints say nothing, so an answer that has hardly any of its own is not compared. Of several identical files, one is compared.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from heapq import nsmallest
from math import ceil

from normgrade.classes.similar.answers import Answer
from normgrade.classes.similar.fingerprints import Lines

LEAST_OWN = 6  # fingerprints of an answer that is compared
LEAST_ANSWERS = 10  # of a class that can tell how usual a score is
TYPICAL, HIGH = 0.5, 0.95  # shares of the pairs


@dataclass(frozen=True, slots=True)
class Pair:
    """Two answers.

    one, other: the answers.
    shared: the number of own fingerprints that both have.
    """

    one: Answer
    other: Answer
    shared: int

    @property
    def score(self) -> float:
        """The share of the shorter answer's own fingerprints that the other one has, too."""
        return score(self.shared, self.one, self.other)

    @property
    def of_both(self) -> float:
        """The share of all own fingerprints of the two that both have."""
        return self.shared / max(1, len(self.one.own) + len(self.other.own) - self.shared)

    @property
    def lines(self) -> tuple[Sequence[Lines], Sequence[Lines]]:
        """The lines of each answer that hold what both have, in order and joined where they touch."""
        both = self.one.own.keys() & self.other.own.keys()
        one, other = (joined(lines for hashed in both for lines in answer.own[hashed]) for answer in (self.one, self.other))
        return one, other


@dataclass(frozen=True)
class Similarity:
    """The answers of a class to one exercise.

    compared: the answers with enough fingerprints of their own, one for each source, by name.
    short: the students whose answers are too short to tell.
    identical: groups of students whose files are equal but for whitespace. The first of a group is compared.
    """

    compared: tuple[Answer, ...]
    short: tuple[str, ...]
    identical: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, answers: Iterable[Answer]) -> Similarity:
        by_digest: dict[bytes, list[Answer]] = {}
        for answer in sorted(answers, key=lambda each: each.student):
            by_digest.setdefault(answer.digest, []).append(answer)
        groups = [*by_digest.values()]
        compared = tuple(group[0] for group in groups if len(group[0].own) >= LEAST_OWN)
        short = tuple(sorted(each.student for group in groups if len(group[0].own) < LEAST_OWN for each in group))
        identical = tuple(tuple(each.student for each in group) for group in groups if len(group) > 1 and group[0].own)
        return cls(compared, short, identical)

    @property
    def students(self) -> frozenset[str]:
        """The names of all students."""
        return frozenset(
            (*(answer.student for answer in self.compared), *self.short, *(name for group in self.identical for name in group))
        )

    @property
    def pairs(self) -> int:
        """The number of pairs of the compared answers."""
        return len(self.compared) * (len(self.compared) - 1) // 2

    @property
    def tells(self) -> bool:
        """True if the class is large enough to tell how usual a score is."""
        return len(self.compared) >= LEAST_ANSWERS

    def top(self, number: int) -> list[Pair]:
        """Return the pairs with the highest scores above 0, the highest first."""
        found = nsmallest(number, self.sharing(), key=order)
        return [self.pair(one, other, shared) for _score, shared, one, other in found]

    def pair(self, one: int, other: int, shared: int) -> Pair:
        return Pair(self.compared[one], self.compared[other], shared)

    def of_students(self, one: str, other: str) -> Pair | None:
        """Return the pair of two students; None if one of their answers is not compared."""
        by_student = {answer.student: answer for answer in self.compared}
        for first, *others in self.identical:
            if first in by_student:
                by_student |= {name: replace(by_student[first], student=name) for name in others}
        left, right = by_student.get(one), by_student.get(other)
        return None if left is None or right is None else Pair(left, right, len(left.own.keys() & right.own.keys()))

    def sharing(self) -> Iterator[tuple[float, int, int, int]]:
        """Yield every pair that shares something: its score, how many fingerprints it shares, and the numbers of its answers."""
        for one, found in enumerate(self.shared_with_later()):
            for other, shared in found.items():
                yield score(shared, self.compared[one], self.compared[other]), shared, one, other

    def shared_with_later(self) -> Iterator[Mapping[int, int]]:
        """Yield for each answer how many fingerprints it shares with those after it, by their number."""
        holders: dict[int, array[int]] = defaultdict(lambda: array("I"))
        for number in reversed(range(len(self.compared))):
            for hashed in self.compared[number].own:
                holders[hashed].append(number)
        for answer in self.compared:
            counts: Counter[int] = Counter()
            for hashed in answer.own:
                holders[hashed].pop()  # this answer
                counts.update(holders[hashed])
            yield counts

    @cached_property
    def scores(self) -> Sequence[float]:
        """The scores above 0, sorted."""
        return array("d", sorted(each[0] for each in self.sharing()))

    def as_high(self, score: float) -> int:
        """Return the number of pairs whose score is at least as high."""
        return len(self.scores) - bisect_left(self.scores, score) if score > 0 else self.pairs

    def reached_by(self, share: float) -> float:
        """Return the score that this share of the pairs does not exceed; 0 without pairs."""
        rank = ceil(share * self.pairs) - 1 - (self.pairs - len(self.scores))  # in the scores above 0
        return self.scores[rank] if rank >= 0 and self.scores else 0.0


@dataclass(frozen=True, slots=True)
class Ranking:
    """The pairs of answers to one exercise that are shown, the most alike first, and all answers to it."""

    slug: str
    similarity: Similarity
    pairs: Sequence[Pair]


def order(found: tuple[float, int, int, int]) -> tuple[float, int, int, int]:
    """Return what a pair is sorted by: high scores first, of equal ones those that share more."""
    score, shared, one, other = found
    return -score, -shared, one, other


def score(shared: int, one: Answer, other: Answer) -> float:
    return shared / max(1, min(len(one.own), len(other.own)))


def joined(lines: Iterable[Lines]) -> tuple[Lines, ...]:
    """Return lines in order, with those that overlap or touch made one."""
    found: list[Lines] = []
    for each in sorted(lines):
        if found and each.first <= found[-1].last + 1:
            found[-1] = Lines(found[-1].first, max(found[-1].last, each.last))
        else:
            found.append(each)
    return tuple(found)
