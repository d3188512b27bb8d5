"""The exercise of a file and its attempt, as its name, the folders around it, or the names that it defines tell them."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cached_property
from pathlib import Path
from string import ascii_lowercase, ascii_uppercase

from normgrade.classes.hand_ins import HandIn
from normgrade.inspection.source import decoded, parse

Contracts = Mapping[str, Collection[str]]

SEPARATED = str.maketrans(ascii_uppercase + " -", ascii_lowercase + "__")  # keeps the length, so that places stay the same
COPY = re.compile(r" ?\(\d{1,4}\)\Z")  # of a browser, which tells nothing of the order
RESUBMISSION = re.compile(r"(?P<stem>.+?)-(?P<number>\d{1,4})", re.DOTALL)  # of Canvas
SUFFIX = re.compile(r"\.(?:py|ipynb|zip)$", re.IGNORECASE)


class Rank(IntEnum):
    """How surely the exercise of a file is known; the best comes first."""

    NAME = 0
    FOLDER = 1
    PART = 2
    DEFINED = 3
    ANY = 4


@dataclass(frozen=True)
class Names:
    """The exercises that names may tell: those of the course, or only one, to which every file belongs.

    contracts: a function that returns the names that a file for each exercise defines, by slug.
    """

    slugs: Collection[str]
    exercise: str | None = None
    contracts: Callable[[], Contracts] = dict

    @cached_property
    def by_key(self) -> dict[str, str]:
        """The slugs by their keys, of which each slug has two: "layer_norm" and "layernorm"."""
        wanted = sorted(self.slugs) if self.exercise is None else [self.exercise]
        return {slug.replace("_", ""): slug for slug in wanted} | {slug: slug for slug in wanted}

    @cached_property
    def by_contract(self) -> Mapping[frozenset[str], str]:
        """The slugs by the names of their contract. A contract that several exercises share tells none of them."""
        found = {slug: frozenset(names) for slug, names in self.contracts().items()}
        times = Counter(found.values())
        return {names: slug for slug, names in found.items() if times[names] == 1}

    def told(self, hand_in: HandIn) -> list[HandIn]:
        """Return the hand-in with the exercise that its path below the student tells, or else with each whose names the file defines."""
        *folders, name = hand_in.file.split("/")
        whole = without_suffix(name)
        stem, attempt = (whole, 1) if self.exactly(whole) else attempt_in(whole)
        attempt = max([attempt, *(attempt_in(without_suffix(folder))[1] for folder in folders if SUFFIX.search(folder))])
        rank, slugs = self.exercises(stem, folders, hand_in.content)
        return [replace(hand_in, exercise=slug, rank=rank, attempt=attempt) for slug in slugs]

    def exercises(self, stem: str, folders: Sequence[str], content: bytes) -> tuple[Rank, list[str]]:
        """Return the exercises of a file, and how surely they are known."""
        if slug := self.exactly(stem):
            return Rank.NAME, [slug]
        if slug := next(filter(None, map(self.slug, map(without_suffix, reversed(folders)))), None):
            return Rank.FOLDER, [slug]
        if part := self.part(stem):
            return Rank.PART, [part[0]]
        return (Rank.ANY, [self.exercise]) if self.exercise is not None else (Rank.DEFINED, self.defined_in(content))

    def defined_in(self, content: bytes) -> list[str]:
        """Return the exercises whose whole contract a source defines. Functions beside the class of an exercise only help it."""
        defined = names_defined(content)
        fitting = [names for names in self.by_contract if names <= defined] if defined else []
        with_class = [names for names in fitting if any(name[0].isupper() for name in names)]
        return [self.by_contract[names] for names in with_class or fitting]

    def slug(self, stem: str) -> str | None:
        """Return the slug that a name without its suffix is, whatever its case, its separators and its attempt."""
        return self.exactly(stem) or self.exactly(attempt_in(stem)[0])

    def exactly(self, stem: str) -> str | None:
        key = stem.translate(SEPARATED)
        return self.by_key.get(key) or self.by_key.get(key.replace("_", ""))

    def part(self, stem: str) -> tuple[str, str] | None:
        """Return the longest slug with which a name begins or ends, at a separator, and the other part of the name."""
        return max(self.parts(stem), key=lambda part: len(part[0]), default=None)

    def parts(self, stem: str) -> Iterator[tuple[str, str]]:
        for place in (place for place, sign in enumerate(stem.translate(SEPARATED)) if sign == "_"):
            before, after = stem[:place], stem[place + 1 :]
            if before and (slug := self.exactly(after)):
                yield slug, before
            if after and (slug := self.exactly(before)):
                yield slug, after


def without_suffix(name: str) -> str:
    """Return the name of a Python file, a notebook or an archive without its suffix."""
    return SUFFIX.sub("", name)


def attempt_in(stem: str) -> tuple[str, int]:
    """Return a name without the number of its attempt, and the number, from 1 on."""
    stem = without_copy(stem)
    match = RESUBMISSION.fullmatch(stem)
    return (stem, 1) if match is None else (match["stem"], int(match["number"]) + 1)


def without_copy(stem: str) -> str:
    """Return a name without the number that a browser gives a copy.

    >>> without_copy("layer_norm (1)")
    'layer_norm'
    """
    return COPY.sub("", stem) or stem


def names_defined(content: bytes) -> set[str]:
    """Return the classes and functions that a source defines, without running it; none if Python cannot parse it."""
    source = decoded(Path(), content)
    tree = parse(source) if isinstance(source, str) else source
    kinds = (ast.ClassDef, ast.FunctionDef)
    return {node.name for node in tree.body if isinstance(node, kinds)} if isinstance(tree, ast.Module) else set()
