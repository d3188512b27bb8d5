"""Fingerprints of a source: hashes of short runs of its tokens, chosen by winnowing, each with the lines where it stands.

Winnowing is the method of Schleimer, Wilkerson and Aiken, "Winnowing: Local Algorithms for Document Fingerprinting", SIGMOD 2003. Of every
`WINDOW` hashes next to each other the smallest is kept. So two sources that share a run of at least `WINDOW` + `RUN` − 1 tokens always
share a fingerprint, and a shared run of fewer than `RUN` tokens never makes one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import NamedTuple

from normgrade.classes.similar.tokens import Token, streams

RUN = 3  # tokens in a hash; tests/benchmarks/similar.py measures both numbers
WINDOW = 2  # hashes of which one is kept
HASH_BYTES = 8


class Lines(NamedTuple):
    """The first and the last of some lines, from 1."""

    first: int
    last: int


Fingerprints = Mapping[int, Sequence[Lines]]


def fingerprints(tree: ast.Module) -> Fingerprints:
    """Return the fingerprints of a syntax tree, each with the lines of every run that has it. They are the same in every process."""
    found: dict[int, dict[Lines, None]] = {}
    for tokens in streams(tree):
        for hashed, lines in winnowed(hashes([*runs(tokens)])):
            found.setdefault(hashed, {})[lines] = None
    return {hashed: (*lines,) for hashed, lines in found.items()}


def runs(tokens: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """Yield all runs of tokens; none if there are too few tokens for one."""
    return (tokens[start : start + RUN] for start in range(len(tokens) - RUN + 1))


def hashes(found: Sequence[Sequence[Token]]) -> Sequence[tuple[int, Lines]]:
    """Return the hash of each run, and its lines."""
    return [(hash_of(run), Lines(min(each.first for each in run), max(each.last for each in run))) for run in found]


def hash_of(run: Sequence[Token]) -> int:
    text = "\n".join(each.text for each in run)
    return int.from_bytes(blake2b(text.encode(errors="backslashreplace"), digest_size=HASH_BYTES).digest())


def winnowed(hashed: Sequence[tuple[int, Lines]]) -> Iterator[tuple[int, Lines]]:
    """Yield the smallest hash of each window, the last one if there are several. One may come more than once."""
    for start in range(max(min(len(hashed), 1), len(hashed) - WINDOW + 1)):
        yield min(reversed(hashed[start : start + WINDOW]), key=lambda each: each[0])
