"""The texts of an exercise that are missing in a language: prompt, title, hints, places, mistakes, alternatives, claims."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from normgrade.course.course import Exercise
from normgrade.course.files import read_text
from normgrade.course.table import Table
from normgrade.course.translations import file_in, translations
from normgrade.language import ENGLISH, _
from normgrade.language.docstring import first_paragraph_in
from normgrade.language.places import GENERIC, Place
from normgrade.suite.texts import texts_in

OF_EXERCISE = ("title", "group", "hints")
OF_MISTAKE = ("says", "remedy")


def missing_texts(exercise: Exercise, language: str, places: Iterable[Place] = ()) -> Iterator[str]:
    """Yield a sentence for each text that is missing. `places` are those of the reference's observations."""
    if language == ENGLISH:  # no exercise can be read without it
        return
    if not exercise.prompt_in(language).is_file():
        yield _("{path} is missing.", path=exercise.prompt_in(language).relative_to(exercise.course))
    yield from untranslated(Table.of_file(exercise.description), OF_EXERCISE, language)
    for mistake in Table.of_file(exercise.mistakes).tables("mistake"):
        yield from untold(mistake, OF_MISTAKE, language, _("the mistake {name}", name=mistake.content.get("name")))
    for path in exercise.alternatives:
        if not first_paragraph_in(ast.get_docstring(ast.parse(read_text(path))), language):
            yield _('{test}: the docstring has no paragraph that begins with "{begins}".', test=path.name, begins=f"{language}: ")
    yield from unnamed(exercise, places, language)
    yield from unsaid(exercise, language)


def untranslated(table: Table, keys: tuple[str, ...], language: str) -> Iterator[str]:
    """Yield a sentence for each text under these keys of a table that has no translation."""
    known = translations(table.path.parent, language)
    for key in keys:
        said = table.content.get(key, ())
        for english in (said,) if isinstance(said, str) else said:
            if english not in known:
                yield _("{path} does not translate {english!r}.", path=file_in(table.path.parent, language), english=english)


def untold(table: Table, keys: tuple[str, ...], language: str, where: str) -> Iterator[str]:
    for key in keys:
        english, other = table.content.get(key), table.content.get(f"{key}.{language}")
        if english and not other:
            yield _('{where} has no "{key}".', where=where, key=f"{key}.{language}")
        elif isinstance(english, list) and len(english) != len(other or ()):
            yield _('{where}: "{key}" is a list of another length than the English one.', where=where, key=f"{key}.{language}")


def unnamed(exercise: Exercise, places: Iterable[Place], language: str) -> Iterator[str]:
    """Yield a sentence for each template of the exercise's own places without words.

    The templates of the generic probes have theirs from normgrade.
    """
    words = translations(exercise.folder, language)
    for template in dict.fromkeys(template for place in places for template in (place.template, place.learnt)):
        if template is not None and template not in words and template not in GENERIC:
            yield _("{path} does not translate {english!r}.", path=file_in(exercise.folder, language), english=template)


def unsaid(exercise: Exercise, language: str) -> Iterator[str]:
    """Yield a sentence for each text of the hidden suite, and of the helpers beside it, that has no translation."""
    folder = exercise.reference.parent
    known, path = translations(folder, language), file_in(folder, language).relative_to(exercise.course)
    texts = (text for path in (exercise.suite, *exercise.helpers) for text in texts_in(read_text(path)))
    for english in dict.fromkeys(texts):
        if english and english not in known:
            yield _("{path} does not translate {english!r}.", path=path, english=english)
