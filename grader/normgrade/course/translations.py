"""Translations of a course's texts: TOML files that map English texts to those of another language.

`zh.toml` holds the Chinese of all texts in its folder. A text that it lacks is looked up one folder above, in the `zh.toml` of the texts
that several exercises share. Texts that neither has stay English.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from string import Formatter

from normgrade.course.table import Table, text
from normgrade.language import ENGLISH, _, spoken


def translated(english: str, folder: Path) -> str:
    """Return a text of the files in this folder in the current language; the English one if it has no translation.

    >>> from normgrade.course.course import Course
    >>> translated("The layer-norm family", Course.find().exercise("rms_norm").folder)
    'The layer-norm family'
    """
    return translations(folder).get(english, english)


def translations(folder: Path, language: str = "") -> Mapping[str, str]:
    """Return the translations of the texts in this folder, by their English; for English, none.

    `language` is a code such as "zh", by default that of the current language. Raise CourseError if a file is wrong.
    """
    language = language or spoken()
    if language == ENGLISH:
        return {}
    return ChainMap(*({**table_of(file_in(place, language))} for place in (folder, folder.parent)))


def file_in(folder: Path, language: str) -> Path:
    """Return the file of the translations in a folder. It may be missing."""
    return folder / f"{language}.toml"


def table_of(path: Path) -> Mapping[str, str]:
    """Return the table in a file of translations; an empty one if there is no such file."""
    try:
        status = path.stat()
    except OSError:
        return {}
    return read(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=256)
def read(path: Path, _modified_ns: int, _size: int) -> Mapping[str, str]:
    """Parse a file of translations, once for each of its versions."""
    table = Table.of_file(path)
    for english, said in table.content.items():
        if not fields_of(table.take(english, text)) <= fields_of(english):
            table.wrong(english, _("{said!r} has other names in braces than its English", said=said))
    return table.content


def fields_of(template: str) -> set[str | None]:
    """Return the names in braces of a text."""
    try:
        return {name for _text, name, _format, _conversion in Formatter().parse(template) if name is not None}
    except ValueError:  # an unmatched brace
        return {None}
