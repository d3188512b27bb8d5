"""The memory of a session, for a folder without a workspace: the checks that ran and the hints that were given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from normgrade.cli.hint import in_words
from normgrade.course.exercise import Exercise
from normgrade.language import _
from normgrade.learner.attempts import Attempt
from normgrade.learner.hints import hints_of
from normgrade.learner.workspace import Workspace
from normgrade.report.report import Outcome, Report


@dataclass
class Memory:
    """The last attempt at each exercise, by slug, the identities of the hints that were given, and the slugs that passed."""

    attempts: dict[str, tuple[Exercise, Attempt]] = field(default_factory=dict)
    given: set[tuple[str, str]] = field(default_factory=set)
    passed: set[str] = field(default_factory=set)

    def add(self, exercise: Exercise, report: Report) -> None:
        """Remember the report on a check."""
        self.attempts[exercise.slug] = exercise, Attempt.of(report, datetime.now(UTC))
        self.passed |= {exercise.slug} if report.outcome is Outcome.PASSED else set()

    def answers(self, arguments: Sequence[str]) -> bool:
        """Return True if a command asks for the next hint, and only this session knows about the checks."""
        return len(arguments) == 2 and arguments[0] == "hint" and arguments[1] in self.attempts and Workspace.find() is None

    def next_hint(self, slug: str) -> str:
        """Return the next hint that was not given yet, in the words of `normgrade hint`."""
        exercise, last = self.attempts[slug]
        if last.passed:
            return _("{slug} passed your last check, so there are no hints.", slug=slug)
        left = [hint for hint in hints_of(exercise, last) if (slug, hint.identity) not in self.given]
        self.given |= {(slug, hint.identity) for hint in left[:1]}
        return "\n".join(in_words(exercise, left))


MEMORY = Memory()
