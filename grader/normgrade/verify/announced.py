"""The proof that nothing is tested that no learner was told: a sentence of the prompt or of the rules announces every check of a suite."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from normgrade.course.exercise import Exercise
from normgrade.course.files import read_text
from normgrade.course.layout import rules_in
from normgrade.course.told import told
from normgrade.language import ENGLISH, _
from normgrade.suite.situations import PREFIX
from normgrade.suite.suite import Suite


class Place(NamedTuple):
    """A page, and a sentence on it."""

    page: Path
    sentence: str


def pages(exercise: Exercise, language: str) -> Sequence[Path]:
    """Return the pages that a learner reads in one language before an answer is written: the prompt, and the rules of the course."""
    return [page for page in (exercise.prompt_in(language), rules_in(exercise.course, language)) if page.is_file()]


def announced(exercise: Exercise, language: str = ENGLISH) -> Mapping[str, Place]:
    """Return the first sentence that announces each check, by its name. A prompt counts before the rules."""
    found: dict[str, Place] = {}
    for page in pages(exercise, language):
        for name, sentence in told(read_text(page)):
            found.setdefault(name, Place(page, sentence))
    return found


def announces(exercise: Exercise) -> bool:
    """Return True if the prompt of an exercise announces any check. A course may do without."""
    return any(True for _name in told(read_text(exercise.prompt_in(ENGLISH))))


def names_of(suite: Suite) -> list[str]:
    """Return the names of the checks of a suite as pages give them: without their cases, and without the beginning of a situation's."""
    return [*dict.fromkeys(name.partition("[")[0].removeprefix(PREFIX) for name in suite.names)]


def unannounced(exercise: Exercise, suite: Suite, languages: Sequence[str]) -> Iterator[str]:
    """Yield a sentence for each check that a page in one of these languages does not announce, and for each that does not exist."""
    known = names_of(suite)
    for language in languages:
        prompt, there = exercise.prompt_in(language), announced(exercise, language)
        where = prompt.relative_to(exercise.course)
        for name in known:
            if name not in there:
                yield _("{path}: no sentence announces {check}. Write `<!-- {check} -->` after the one that does.", path=where, check=name)
        for name, _sentence in told(read_text(prompt)):
            if name not in known:
                yield _("{path}: it announces {check}, which is no check of the suite.", path=where, check=name)


def lines(exercise: Exercise, suite: Suite) -> Iterator[str]:
    """Yield a line for each check of a suite: its name, and the sentence that announces it."""
    there = announced(exercise)
    names = names_of(suite)
    width = max(map(len, names))
    for name in names:
        place = there.get(name)
        said = _("announced by no sentence") if place is None else f"{place.page.name}: {place.sentence}"
        yield f"{name:{width}}  {said}"
