"""Which texts of an exercise are missing in a language: prompt, title, hints, mistakes, alternatives, claims."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from normgrade.course.course import Exercise, Table, read
from normgrade.language import ENGLISH, _
from normgrade.language.docstring import first_paragraph_in
from normgrade.suite.run import Suite, docstring, hint_in

OF_EXERCISE = ("title", "group", "hints")
OF_MISTAKE = ("says",)


def missing_texts(exercise: Exercise, suite: Suite, language: str) -> Iterator[str]:
    """What has to be written still, a sentence each."""
    if language == ENGLISH:  # nothing can be read without
        return
    if not exercise.prompt_in(language).is_file():
        yield _("{path} is missing.", path=exercise.prompt_in(language).relative_to(exercise.course))
    yield from untold(Table.read(exercise.folder / "exercise.toml"), OF_EXERCISE, language, "exercise.toml")
    for mistake in Table.read(exercise.mistakes).tables("mistake"):
        yield from untold(mistake, OF_MISTAKE, language, _("the mistake {name}", name=mistake.content.get("name")))
    for path in exercise.alternatives:
        if not first_paragraph_in(ast.get_docstring(ast.parse(read(path))), language):
            yield _('{test}: the docstring has no paragraph that begins with "{begins}".', test=path.name, begins=f"{language}: ")
    yield from unsaid(suite, language)


def untold(table: Table, keys: tuple[str, ...], language: str, where: str) -> Iterator[str]:
    for key in keys:
        english, other = table.content.get(key), table.content.get(f"{key}.{language}")
        if english and not other:
            yield _('{where} has no "{key}".', where=where, key=f"{key}.{language}")
        elif isinstance(english, list) and len(english) != len(other or ()):
            yield _('{where}: "{key}" is a list of another length than the English one.', where=where, key=f"{key}.{language}")


def unsaid(suite: Suite, language: str) -> Iterator[str]:
    """Each test is named once, however many cases it has."""
    tests = {item.name.partition("[")[0]: item for item in suite.items}
    for name, item in tests.items():
        if not first_paragraph_in(docstring(item), language):
            yield _('{test}: the docstring has no paragraph that begins with "{begins}".', test=name, begins=f"{language}: ")
        if hint_in(item, ENGLISH) and not hint_in(item, language):
            yield _("{test}: the marker hint has no argument `{argument}`.", test=name, argument=language)
