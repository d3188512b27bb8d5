"""What is said after an exercise has passed: how it went, another right way, a question, and what is next."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from normgrade.course.course import Course, Exercise
from normgrade.course.files import read_text
from normgrade.course.questions import questions_in
from normgrade.language import _, n_
from normgrade.language.visible import width
from normgrade.learner.attempts import Attempt
from normgrade.learner.standing import advice, records
from normgrade.learner.workspace import Workspace

WIDEST = 80  # columns of a line


def after_pass(course: Course, exercise: Exercise, workspace: Workspace) -> list[str]:
    """Return the lines to show, each of at most 80 columns except for the last, which says what is next.

    Whoever passes again reads of another right way, and another question.
    """
    found = records(course, workspace)
    attempts = next((record.attempts for record in found if record.exercise.slug == exercise.slug), ())
    turn = max(sum(attempt.passed for attempt in attempts) - 1, 0)
    lines = [how_it_went(attempts), one_of(other_ways(exercise), turn), one_of(questions(exercise), turn)]
    return [*filter(None, lines), advice(found, brief=True)]


def how_it_went(attempts: Sequence[Attempt]) -> str:
    """Return how many attempts it took, and the mistakes that were overcome; "" unless the last attempt passed."""
    if not attempts or not attempts[-1].passed:
        return ""
    names = [*dict.fromkeys(name for attempt in attempts for name in attempt.diagnoses)]
    passed = n_("Passed at the first attempt.", "Passed after {n} attempts.", len(attempts))
    said = (f"{passed} {overcome(names, count)}" for count in range(len(names), 0, -1))
    return next(filter(fits, said), passed)


def overcome(names: Sequence[str], count: int) -> str:
    """Return a sentence that names so many of the mistakes, and counts the others."""
    named, more = ", ".join(names[:count]), len(names) - count
    if not more:
        return _("Overcome: {names}.", names=named)
    return n_("Overcome: {names}, and {n} more.", "Overcome: {names}, and {n} more.", more, names=named)


def other_ways(exercise: Exercise) -> Iterator[str]:
    """Return a line about each other right way, where the course reveals them."""
    if exercise.reveal == "full":
        for path in exercise.alternatives:
            yield _("Another right way: `normgrade solution {slug} {way}`", slug=exercise.slug, way=path.stem)


def questions(exercise: Exercise) -> Iterator[str]:
    """Return a line about each interview question of the prompt."""
    for question in questions_in(read_text(exercise.prompt), exercise.slug):
        yield _("An interview may ask: {question}", question=question.text)


def one_of(lines: Iterable[str], turn: int) -> str:
    """Return the line whose turn it is, of those that fit; "" where none does."""
    fitting = [*filter(fits, lines)]
    return fitting[turn % len(fitting)] if fitting else ""


def fits(line: str) -> bool:
    return "\n" not in line and width(line) <= WIDEST
