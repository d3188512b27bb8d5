"""The settings of a course: rules for all its exercises."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from normgrade.language import ENGLISH

Reveal = Literal["full", "claims", "score"]
Credit = Literal["mistakes", "claims"]
REVEALS: tuple[Reveal, ...] = ("full", "claims", "score")  # from most to least
CREDITS: tuple[Credit, ...] = ("mistakes", "claims")


@dataclass(frozen=True, slots=True)
class Minimum:
    """The smallest number of each part that a complete exercise has.

    - `hints`: of its own, in `exercise.toml`.
    - `questions`: interview questions with an answer, in each prompt.
    - `alternatives`: other right ways of writing it.
    - `mistakes`: known ones, above level 1; `mistakes_of_level_1`: known ones of a warm-up.
    """

    hints: int = 3
    questions: int = 3
    alternatives: int = 4
    mistakes: int = 12
    mistakes_of_level_1: int = 5


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings in `course.toml`.

    - `title`: the course's title, for people.
    - `reveal`: how much reports say, `"full"`, `"claims"` or `"score"`; an exercise may say otherwise.
    - `banned`: globs of full dotted names that are banned in every exercise.
    - `languages`: codes of the languages that every text must be written in; "en" is one of them.
    - `credit`: the way to earn points, `"mistakes"` or `"claims"`; an exercise may say otherwise.
    - `minimum`: the smallest numbers of hints, mistakes and so on of a complete exercise.

    >>> settings = Settings(reveal="claims")
    >>> settings.languages, settings.credit, settings.minimum.alternatives
    (('en',), 'mistakes', 4)
    """

    title: str = "normgrade"
    reveal: Reveal = "full"
    banned: tuple[str, ...] = ()
    languages: tuple[str, ...] = (ENGLISH,)
    credit: Credit = "mistakes"
    minimum: Minimum = Minimum()
