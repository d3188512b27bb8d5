"""TOML files of a course, checked key by key, and the validators of their values."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from normgrade.course.files import read_text
from normgrade.course.signature import Signature
from normgrade.language import ENGLISH, LANGUAGES, _, n_
from normgrade.language.errors import CourseError, did_you_mean, either

T = TypeVar("T")
D = TypeVar("D")


class Wrong(Exception):
    """An exception of validators; its text describes the valid values."""


@dataclass(frozen=True)
class Table:
    """A TOML table that is read key by key. Every CourseError names the file, the key and the valid values."""

    path: Path
    content: Mapping[str, Any]
    prefix: str = ""  # of the keys in messages: "limits." in the table `limits`
    known: list[str] = field(default_factory=list)  # the keys that were asked for
    shared: Table | None = None  # the table from which it takes each key that it lacks

    @classmethod
    def of_file(cls, path: Path) -> Table:
        """Parse the table that a file holds."""
        return cls.parse(path, read_text(path))

    @classmethod
    def of_optional(cls, path: Path) -> Table:
        """Parse the table that a file holds; return an empty one if there is no such file."""
        return cls.of_file(path) if path.exists() else cls(path, {})

    @classmethod
    def parse(cls, path: Path, source: str) -> Table:
        """Parse the table that a text holds; `path` is only for messages."""
        try:
            return cls(path, parsed(source))
        except (ValueError, RecursionError) as error:  # ValueError: wrong TOML, or a huge number; RecursionError: deep nesting
            # A key that is given twice is a tuple in tomllib's words.
            why = re.sub(r"\('(.*?)',?\)", r'"\1"', str(error)).replace("', '", ".")
            raise CourseError(_("{path}: not valid TOML: {error}.", path=path, error=why)) from error

    def take(self, key: str, check: Callable[[Any], T], *default: D) -> T | D:
        """Return the value of `key` as `check` returns it, or `default` if the key is missing.

        Raise CourseError if the value is wrong, or if the key is missing and there is no default.
        """
        self.known.append(key)
        table = self.holder(key)
        if key not in table.content:
            if default:
                return default[0]
            self.missing(key)
        try:
            return check(table.content[key])
        except Wrong as allowed:
            table.wrong(key, _("must be {allowed}, not {value!r}", allowed=allowed, value=table.content[key]))

    def holder(self, key: str) -> Table:
        """Return the table that a key is taken from: the shared one if only that has it, else this one."""
        if self.shared is not None and key in self.shared.content and key not in self.content:
            return self.shared
        return self

    def missing(self, key: str) -> NoReturn:
        """Raise a CourseError about a missing key, or about an unknown key that looks like it."""
        others = [other for other in self.content if other not in self.known]
        if near := get_close_matches(key, others, n=1):
            self.wrong(near[0], _("unknown key.{meant} That one is missing", meant=did_you_mean(near[0], [key])))
        self.wrong(key, _("is missing"))

    def table(self, key: str, *default: Mapping[str, Any]) -> Table:
        """Return the table under a key, or one that holds `default` if the key is missing."""
        return Table(self.path, self.take(key, mapping, *default), f"{self.prefix}{as_key(key)}.")

    def tables(self, key: str) -> tuple[Table, ...]:
        """Return the tables of an array of tables, `[[key]]`; none if the key is missing."""
        found = self.take(key, array_of_tables, ())
        return tuple(Table(self.path, content, f"{self.prefix}{key}[{number}].") for number, content in enumerate(found, 1))

    def finish(self) -> None:
        """Raise a CourseError if the table has a key that was never asked for."""
        for key in (*self.content, *(self.shared.content if self.shared else ())):
            if key not in self.known:
                meant, keys = did_you_mean(key, self.known), ", ".join(map(as_key, sorted(self.known)))
                known = n_("Allowed is {keys}", "Allowed are {keys}", len(self.known), keys=keys)
                self.holder(key).wrong(key, _("unknown key.{meant} {known}", meant=meant, known=known))

    def wrong(self, key: str, why: str) -> NoReturn:
        """Raise a CourseError about the value of `key`."""
        raise CourseError(_("{path}: {key}: {why}.", path=self.path, key=f"{self.prefix}{as_key(key)}", why=why))


@lru_cache(maxsize=256)  # every exercise asks for the shared files, and several steps of a grading for those of one exercise
def parsed(source: str) -> Mapping[str, Any]:
    """Return the table that a text in TOML holds. Raise what tomllib raises."""
    return tomllib.loads(source)


def as_key(name: str) -> str:
    """Return a key as TOML writes it: in quotes if it has other characters than letters, digits, `-` and `_`."""
    return name if re.fullmatch(r"[\w-]+", name, re.ASCII) else f'"{name}"'


def text(value: object) -> str:
    """Validate a text with at least one visible character."""
    if isinstance(value, str) and value.strip():
        return value
    raise Wrong(_("a text that is not empty"))


def texts(value: object) -> tuple[str, ...]:
    """Validate a list of texts."""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    raise Wrong(_("a list of texts"))


def languages(value: object) -> tuple[str, ...]:
    """Validate a list of language codes that includes English."""
    known = texts(value)
    if ENGLISH in known and all(language in LANGUAGES for language in known):
        return known
    raise Wrong(_('a list of languages from {known}, including "en"', known=", ".join(LANGUAGES)))


def between(low: int, high: int) -> Callable[[object], int]:
    """Return a validator of whole numbers from `low` to `high`, both included."""

    def whole_number(value: object) -> int:
        if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
            return value
        raise Wrong(_("a whole number from {low} to {high}", low=low, high=high))

    return whole_number


def one_of(*names: T) -> Callable[[object], T]:
    """Return a validator of a fixed set of words."""

    def chosen(value: object) -> T:
        if value in names:
            return value
        raise Wrong(either(f'"{name}"' for name in names))

    return chosen


def truth(value: object) -> bool:
    """Validate true or false."""
    if isinstance(value, bool):
        return value
    raise Wrong(_("true or false"))


def seconds(value: object) -> float:
    """Validate a duration in seconds, above 0 and up to one hour."""
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= 3600:
        return float(value)
    raise Wrong(_("a number of seconds above 0 and up to 3600"))


def signatures(value: object) -> tuple[Signature, ...]:
    """Validate a list of one signature or more."""
    try:
        found = tuple(Signature.parse(item) for item in texts(value))
    except ValueError as error:
        raise Wrong(_('a list of signatures such as "LayerNorm(normalized_shape, eps=1e-5)" ({why})', why=error)) from error
    if not found:
        raise Wrong(_("a list of at least one signature"))
    return found


def mapping(value: object) -> dict[str, Any]:
    """Validate a table."""
    if isinstance(value, dict):
        return value
    raise Wrong(_("a table"))


def array_of_tables(value: object) -> list[dict[str, Any]]:
    """Validate an array of tables."""
    if isinstance(value, list) and all(isinstance(item, dict) for item in value):
        return value
    raise Wrong(_("a list of tables"))
