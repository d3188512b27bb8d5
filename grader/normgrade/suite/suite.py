"""A hidden suite as data: its tests, with their claims, points and hints, which can be played any number of times."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any

from normgrade.course.exercise import Exercise
from normgrade.language import _
from normgrade.language.errors import UsageError, did_you_mean
from normgrade.report.report import Kind


@dataclass(frozen=True, slots=True)
class HiddenTest:
    """One test of a hidden suite with the arguments of one case: a check that has not been played yet."""

    name: str
    english: str  # the claim
    kind: Kind
    points: int
    english_hint: str
    function: Callable[..., None]
    arguments: Mapping[str, Any]
    translate: Callable[[str], str]  # into the language that is spoken
    courtesy: bool = False  # if true, it does not decide whether a submission passes

    @property
    def claim(self) -> str:
        return self.translate(self.english)

    @property
    def hint(self) -> str:
        return self.translate(self.english_hint)

    @property
    def looks(self) -> bool:
        """True if the test looks at observations, so that it cannot be reference_test before the reference is played."""
        return "observe" in self.arguments

    def __call__(self) -> None:
        """Run the test. The words in it belong to the check that is being played."""
        self.function(**self.arguments)


@dataclass(frozen=True)
class Suite:
    """The tests of one exercise, those of the interface first."""

    exercise: Exercise
    tests: tuple[HiddenTest, ...]

    def only(self, pattern: str) -> Suite:
        """Return the suite with only the tests whose names match a glob. Without a pattern, these are all.

        The name of a test without its case stands for all its cases. Raises UsageError if no test matches.
        """
        chosen = tuple(test for test in self.tests if not pattern or matches(test.name, pattern))
        if not chosen:
            slug, known = self.exercise.slug, list(dict.fromkeys(name.partition("[")[0] for name in self.names))
            meant, there = did_you_mean(pattern, known), ", ".join(known)
            said = _('No check of {slug} is named "{name}".{meant} There is {known}.', slug=slug, name=pattern, meant=meant, known=there)
            raise UsageError(said)
        return replace(self, tests=chosen)

    @property
    def points(self) -> int:
        return sum(test.points for test in self.tests)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(test.name for test in self.tests)

    @property
    def claims(self) -> Mapping[str, tuple[str, ...]]:
        """The names of the tests, by the claim that they make."""
        found: dict[str, tuple[str, ...]] = {}
        for test in self.tests:
            found[test.claim] = (*found.get(test.claim, ()), test.name)
        return found


def matches(name: str, pattern: str) -> bool:
    """Return True if a glob matches the name of a test, with its case or without. The name itself matches, too, even with brackets."""
    return name == pattern or fnmatchcase(name, pattern) or fnmatchcase(name.partition("[")[0], pattern)
