"""The exercise of a file and its attempt, as its name and the folders around it tell them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from string import ascii_lowercase, ascii_uppercase

SEPARATED = str.maketrans(ascii_uppercase + " -", ascii_lowercase + "__")  # keeps the length, so that places stay the same
ATTEMPT = re.compile(r"(?P<stem>.+?)(?: ?\((?P<copy>\d{1,4})\)|-(?P<resubmission>\d{1,4}))", re.DOTALL)  # of a browser, of Canvas
SUFFIX = re.compile(r"\.(?:py|ipynb|zip)$", re.IGNORECASE)


class Rank(IntEnum):
    """How surely the exercise of a file is known; the best comes first."""

    NAME = 0
    FOLDER = 1
    PART = 2
    ANY = 3


@dataclass(frozen=True, slots=True)
class Told:
    """The exercise of a file, how surely it is known, and the number of the attempt, from 1 on."""

    exercise: str
    rank: Rank
    attempt: int


@dataclass(frozen=True, slots=True)
class Part:
    """A slug at the beginning or the end of a name, and the other part of the name."""

    slug: str
    other: str


@dataclass(frozen=True)
class Names:
    """The exercises that names may tell: those of the course, or only one, to which every file belongs."""

    slugs: Collection[str]
    exercise: str | None = None

    @cached_property
    def by_key(self) -> dict[str, str]:
        """The slugs by their keys, of which each slug has two: "layer_norm" and "layernorm"."""
        wanted = sorted(self.slugs) if self.exercise is None else [self.exercise]
        return {slug.replace("_", ""): slug for slug in wanted} | {slug: slug for slug in wanted}

    def told(self, file: str) -> Told | None:
        """Return the exercise that a path below a student's folder tells; None if it tells none."""
        *folders, name = file.split("/")
        whole = without_suffix(name)
        stem, attempt = (whole, 1) if self.exactly(whole) else attempt_in(whole)
        attempt = max([attempt, *(attempt_in(without_suffix(folder))[1] for folder in folders if SUFFIX.search(folder))])
        if slug := self.exactly(stem):
            return Told(slug, Rank.NAME, attempt)
        for folder in reversed(folders):
            if slug := self.slug(without_suffix(folder)):
                return Told(slug, Rank.FOLDER, attempt)
        if part := self.part(stem):
            return Told(part.slug, Rank.PART, attempt)
        return None if self.exercise is None else Told(self.exercise, Rank.ANY, attempt)

    def slug(self, stem: str) -> str | None:
        """Return the slug that a name without its suffix is, whatever its case, its separators and its attempt."""
        return self.exactly(stem) or self.exactly(attempt_in(stem)[0])

    def exactly(self, stem: str) -> str | None:
        key = stem.translate(SEPARATED)
        return self.by_key.get(key) or self.by_key.get(key.replace("_", ""))

    def part(self, stem: str) -> Part | None:
        """Return the longest slug with which a name begins or ends, at a separator."""
        return max(self.parts(stem), key=lambda part: len(part.slug), default=None)

    def parts(self, stem: str) -> Iterator[Part]:
        for place in (place for place, sign in enumerate(stem.translate(SEPARATED)) if sign == "_"):
            before, after = stem[:place], stem[place + 1 :]
            if before and (slug := self.exactly(after)):
                yield Part(slug, before)
            if after and (slug := self.exactly(before)):
                yield Part(slug, after)


def without_suffix(name: str) -> str:
    """Return the name of a Python file, a notebook or an archive without its suffix."""
    return SUFFIX.sub("", name)


def attempt_in(stem: str) -> tuple[str, int]:
    """Return a name without the number of its attempt, and the number, from 1 on."""
    match = ATTEMPT.fullmatch(stem)
    if match is None:
        return stem, 1
    return match["stem"], int(match["copy"] or match["resubmission"]) + 1
