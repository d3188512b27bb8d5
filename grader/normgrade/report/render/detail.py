"""Levels of detail in which a report is shown."""

from __future__ import annotations

from dataclasses import dataclass

EVERYTHING = 10**6


@dataclass(frozen=True, slots=True)
class Detail:
    """The numbers of failed claims, of cases of each claim and of differences of each case that are shown."""

    claims: int
    cases: int
    differences: int
    whole: bool = False  # every claim with its numbers, seed and times, not one screen
    maps: int = 0  # claims with a heat map
    cells: tuple[int, int] = (10, 32)  # rows and columns of each
    lines: int = 1000  # of the learner's code
    more: str = "-v"  # the option or key that shows the rest
    advice: bool = True  # with the next step


QUIET = Detail(claims=0, cases=0, differences=0)  # one line for a report
USUAL = Detail(claims=3, cases=1, differences=2)
BRIEF = Detail(claims=3, cases=1, differences=2, maps=1, cells=(6, 12), lines=60)  # in a notebook, or on a page of many reports
FULL = Detail(EVERYTHING, cases=1, differences=3, maps=3)  # on a page of its own
VERBOSE = Detail(EVERYTHING, EVERYTHING, EVERYTHING, whole=True)
