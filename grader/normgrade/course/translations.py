"""Translations of a course's texts: TOML files with keys such as `eps-missing.9b3ec1f0`, the place of the English and a hash of it.

`zh.toml` holds the Chinese of all texts in its folder. With the hash, nobody reads the translation of an older text. A text that the file
lacks is looked up one folder above, in the `zh.toml` of the texts that several exercises share. Texts that neither has stay English.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from string import Formatter

from normgrade.course.table import Table, text
from normgrade.language import ENGLISH, _, spoken
from normgrade.language.errors import CourseError

DIGITS = 8  # of a hash


@dataclass(frozen=True)
class Translations(Mapping[str, str]):
    """The translations of the texts in a folder, by their English, of which only the hashes are known and iterated over."""

    by_hash: Mapping[str, str]
    path: Path

    def __getitem__(self, english: str) -> str:
        """Return the translation of a text. Raise KeyError if there is none, CourseError if it has other names in braces."""
        said = self.by_hash[hash_of(english)]
        if "{" in said and not fields_of(said) <= fields_of(english):
            raise CourseError(_("{path}: {said!r} has other names in braces than its English.", path=self.path, said=said))
        return said

    def __iter__(self) -> Iterator[str]:
        return iter(self.by_hash)

    def __len__(self) -> int:
        return len(self.by_hash)


def hash_of(english: str) -> str:
    """Return the key of a text's translation."""
    return sha256(english.encode()).hexdigest()[:DIGITS]


def translated(english: str, folder: Path) -> str:
    """Return a text of the files in this folder in the current language; the English one if it has no translation.

    >>> from normgrade.course.course import Course
    >>> translated("The layer-norm family", Course.find().exercise("rms_norm").folder)
    'The layer-norm family'
    """
    return translations(folder).get(english, english)


def translations(folder: Path, language: str = "") -> Mapping[str, str]:
    """Return the translations of the texts in this folder; for English, none.

    `language` is a code such as "zh", by default that of the current language. Raise CourseError if a file is wrong.
    """
    language = language or spoken()
    if language == ENGLISH:
        return {}
    files = [file_in(place, language) for place in (folder, folder.parent)]
    return Translations(ChainMap(*(merged(table_of(file)) for file in files)), files[0])


def merged(tables: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Return the translations of all places by their hashes."""
    return {key: said for table in tables.values() for key, said in table.items()}


def file_in(folder: Path, language: str) -> Path:
    """Return the file of the translations in a folder. It may be missing."""
    return folder / f"{language}.toml"


def table_of(path: Path) -> Mapping[str, Mapping[str, str]]:
    """Return the translations in a file, by place and by hash; none if there is no such file."""
    try:
        status = path.stat()
    except OSError:
        return {}
    return read(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=256)
def read(path: Path, _modified_ns: int, _size: int) -> Mapping[str, Mapping[str, str]]:
    """Parse a file of translations, once for each of its versions."""
    whole = Table.of_file(path)
    tables = {place: whole.table(place) for place in whole.content}
    return {place: {key: table.take(key, text) for key in table.content} for place, table in tables.items()}


def fields_of(template: str) -> set[str | None]:
    """Return the names in braces of a text."""
    try:
        return {name for _text, name, _format, _conversion in Formatter().parse(template) if name is not None}
    except ValueError:  # an unmatched brace
        return {None}
