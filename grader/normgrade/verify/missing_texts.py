"""The texts of an exercise that are missing in a language, translations of texts that are gone, and shared parts that nobody uses."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.course.files import read_text
from normgrade.course.mistakes import WRONG, read_mistakes
from normgrade.course.table import Table, as_key
from normgrade.course.translations import file_in, hash_of, table_of, translations
from normgrade.language import ENGLISH, _
from normgrade.language.docstring import first_paragraph_in
from normgrade.language.places import GENERIC, Place, gradient_of
from normgrade.suite.texts import texts_in

EXERCISE, PLACES, SUITE = "exercise", "places", "suite"  # tables of translations; those of mistakes have their names


def missing_texts(exercise: Exercise, language: str, places: Iterable[Place] = ()) -> Iterator[str]:
    """Yield a sentence for each text that is missing, and for each translation of one that is gone.

    `places` are those of the reference's observations.
    """
    if language == ENGLISH:  # no exercise can be read without it
        return
    if not exercise.prompt_in(language).is_file():
        yield _("{path} is missing.", path=exercise.prompt_in(language).relative_to(exercise.course))
    for path, place, english in untranslated(exercise, language, places):
        where, key = path.relative_to(exercise.course), hash_of(english)
        yield _("{path} lacks {place}.{key}, the translation of {english!r}.", path=where, place=as_key(place), key=key, english=english)
    for folder in (exercise.folder, exercise.solutions):
        yield from stale(file_in(folder, language), [exercise])
    for path in exercise.alternatives:
        if not first_paragraph_in(ast.get_docstring(ast.parse(read_text(path))), language):
            yield _('{test}: the docstring has no paragraph that begins with "{begins}".', test=path.name, begins=f"{language}: ")


def untranslated(exercise: Exercise, language: str, places: Iterable[Place] = ()) -> Iterator[tuple[Path, str, str]]:
    """Yield each English text that has no translation, after the file and the place in it that lack it."""
    for folder, texts in texts_of(exercise, places).items():
        known, told = translations(folder, language), set[str]()
        for place, english in ((place, english) for place, said in texts.items() for english in said):
            if english not in known and english not in told:
                told.add(english)
                yield file_in(folder, language), place, english


def texts_of(exercise: Exercise, places: Iterable[Place] = ()) -> Mapping[Path, Mapping[str, Iterable[str]]]:
    """Return the English texts of an exercise, by the folder of their translations and by the place there.

    The places of the generic probes have theirs from normgrade.
    """
    described = Table.of_file(exercise.description).content
    named = (template for place in places for template in (place.template, place.learnt) if template and template not in GENERIC)
    told = {mistake.name: filter(None, (mistake.says, mistake.remedy)) for mistake in read_mistakes(exercise, ENGLISH)}
    claimed = (said for path in (exercise.suite, *exercise.helpers) for said in texts_in(read_text(path)) if said)
    return {
        exercise.folder: {EXERCISE: (described["title"], described["group"], *described.get("hints", ())), PLACES: named},
        exercise.solutions: {**told, SUITE: claimed},
    }


def stale(path: Path, exercises: Sequence[Exercise]) -> Iterator[str]:
    """Yield a sentence for each translation in a file whose English does not stand at that place of these exercises."""
    there = defaultdict[str, set[str]](set)
    for exercise in exercises:
        for texts in texts_of(exercise).values():
            for place, said in texts.items():
                there[place].update(map(hash_of, said))
        there[PLACES].update(map(hash_of, named_in_probes(exercise)))
    where = path.relative_to(exercises[0].course)
    for place, said in table_of(path).items():
        for name in (f"{as_key(place)}.{key}" for key in said if key not in there[place]):
            yield _("{path} translates {name}, a text that is gone or has changed. Remove it.", path=where, name=name)


def named_in_probes(exercise: Exercise) -> Iterator[str]:
    """Yield every text in the exercise's own probes that may be a place, or be learnt there."""
    for path in filter(None, (exercise.probes, exercise.shared_probes)):
        for node in ast.walk(ast.parse(read_text(path))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield from (node.value, gradient_of(node.value).template)


# The parts of a course's shared files that no exercise uses


def unused(exercises: Sequence[Exercise]) -> Iterator[str]:
    """Yield a sentence for each part of the shared files that none of these exercises uses. They are all of a course, and at least one."""
    one = exercises[0]
    shared, own = Table.of_optional(one.shared_mistakes), [Table.of_optional(exercise.mistakes) for exercise in exercises]
    yield from idle(shared, own)
    yield from idle(shared.table(WRONG, {}), [table.table(WRONG, {}) for table in own])
    for language in Course(one.course).settings.languages:
        for folder in (one.folder.parent, one.solutions.parent):
            yield from stale(file_in(folder, language), exercises)


def idle(shared: Table, own: Sequence[Table]) -> Iterator[str]:
    """Yield a sentence for each entry of a shared table that none of these has, and for each key that all of them override."""
    path = shared.path.relative_to(shared.path.parents[1])
    for name in sorted(shared.content.keys() - {WRONG}):
        users = [table.content[name] for table in own if name in table.content]
        keys = [f"{as_key(name)}.{key}" for key in shared.content[name] if all(key in user for user in users)]
        for key in keys if users else [as_key(name)]:
            yield _("{path}: no exercise uses {key}. Remove it.", path=path, key=f"{shared.prefix}{key}")
