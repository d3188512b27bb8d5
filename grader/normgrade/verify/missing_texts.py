"""The texts of an exercise that are missing in a language, and the translations of texts that are gone."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from normgrade.course.exercise import Exercise
from normgrade.course.files import read_text
from normgrade.course.mistakes import read_mistakes
from normgrade.course.table import Table
from normgrade.course.translations import file_in, table_of, translations
from normgrade.language import ENGLISH, _
from normgrade.language.docstring import first_paragraph_in
from normgrade.language.places import GENERIC, Place, gradient_of
from normgrade.suite.texts import texts_in


def missing_texts(exercise: Exercise, language: str, places: Iterable[Place] = ()) -> Iterator[str]:
    """Yield a sentence for each text that is missing, and for each translation of one that is gone.

    `places` are those of the reference's observations.
    """
    if language == ENGLISH:  # no exercise can be read without it
        return
    if not exercise.prompt_in(language).is_file():
        yield _("{path} is missing.", path=exercise.prompt_in(language).relative_to(exercise.course))
    for path, english in untranslated(exercise, language, places):
        yield _("{path} does not translate {english!r}.", path=path.relative_to(exercise.course), english=english)
    for folder in (exercise.folder, exercise.solutions):
        yield from stale(file_in(folder, language), [exercise])
    for path in exercise.alternatives:
        if not first_paragraph_in(ast.get_docstring(ast.parse(read_text(path))), language):
            yield _('{test}: the docstring has no paragraph that begins with "{begins}".', test=path.name, begins=f"{language}: ")


def untranslated(exercise: Exercise, language: str, places: Iterable[Place] = ()) -> Iterator[tuple[Path, str]]:
    """Yield each English text that has no translation, after the file that lacks it."""
    for folder, texts in texts_of(exercise, places).items():
        known = translations(folder, language)
        yield from ((file_in(folder, language), english) for english in texts if english not in known)


def texts_of(exercise: Exercise, places: Iterable[Place] = ()) -> Mapping[Path, Iterable[str]]:
    """Return the English texts of an exercise, by the folder of their translations, each once.

    The places of the generic probes have theirs from normgrade.
    """
    described = Table.of_file(exercise.description).content
    named = (template for place in places for template in (place.template, place.learnt) if template and template not in GENERIC)
    told = (said for mistake in read_mistakes(exercise, ENGLISH) for said in (mistake.says, mistake.remedy))
    claimed = (said for path in (exercise.suite, *exercise.helpers) for said in texts_in(read_text(path)))
    return {
        exercise.folder: dict.fromkeys((described["title"], described["group"], *described.get("hints", ()), *named)),
        exercise.solutions: dict.fromkeys(filter(None, (*told, *claimed))),
    }


def stale(path: Path, exercises: Sequence[Exercise]) -> Iterator[str]:
    """Yield a sentence for each translation in a file whose English is neither a text of these exercises nor in their probes."""
    where = path.relative_to(exercises[0].course)
    texts, probes = set[str](), set[str]()
    for exercise in exercises:
        texts.update(*texts_of(exercise).values())
        probes.update(read_text(file) for file in (exercise.probes, exercise.shared_probes) if file)
    for english in table_of(path):
        place = english.removeprefix(gradient_of(""))
        if english not in texts and not any(place in source for source in probes):
            yield _("{path} translates {english!r}, which is not used anywhere. Remove it.", path=where, english=english)
