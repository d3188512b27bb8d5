"""Everything about one graded submission, as plain frozen data; each output format is a renderer of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from normgrade.language.places import Place

if TYPE_CHECKING:
    import numpy as np  # not at run time: a verdict of inspection must not wait for it


class Outcome(StrEnum):
    """What became of a check or a report. `error` is only ever the fault of grader, suite or machine."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"
    ERROR = "error"
    NOT_STARTED = "not started"


@dataclass(frozen=True, slots=True)
class Finding:
    """What inspection said about one place of the source. Lines and columns count from 1; 0 means the whole file."""

    line: int
    column: int
    rule: str  # "syntax", "contract", "signature", "banned", "file"
    text: str


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """Both sides of a difference in full, for renderers that show more than its worst value."""

    expected: np.ndarray
    actual: np.ndarray
    allowed: np.ndarray


@dataclass(frozen=True, slots=True)
class Difference:
    """One place where observation and expectation disagree.

    `expected` and `actual` are the two numbers at the worst index `at`; where no numbers can be compared (another shape,
    another type, nothing there) they are two short descriptions and `at` is None.
    """

    place: Place
    dtype: str | None
    shape: tuple[int, ...] | None
    mismatched: int
    total: int
    max_abs: float | None
    max_rel: float | None
    allowed: float | None  # at the worst index
    at: tuple[int, ...] | None
    expected: bool | int | float | str | None
    actual: bool | int | float | str | None
    looks_like: str | None = None
    numbers: Numbers | None = field(default=None, compare=False, repr=False)
    called: str = field(default="", compare=False)  # the place, in the language that is spoken; empty where nobody has put it into words


@dataclass(frozen=True, slots=True)
class Check:
    """One hidden test: a claim, a kind, points, an outcome."""

    name: str
    claim: str
    kind: str
    outcome: Outcome
    points: int
    duration_s: float = 0.0
    message: str = ""
    hint: str = ""
    stdout: str = ""
    differences: tuple[Difference, ...] = ()
    lines: tuple[int, ...] = ()  # of the submission, where it raised something

    @property
    def earned(self) -> int:
        return self.points if self.outcome is Outcome.PASSED else 0


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The known mistakes that together explain every difference, and the checks that show them."""

    mistakes: tuple[str, ...]
    says: str
    checks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """Everything about one submission."""

    exercise: str
    submission: str
    outcome: Outcome
    possible: int
    sandbox: str
    seed: int
    duration_s: float
    findings: tuple[Finding, ...] = ()
    diagnoses: tuple[Diagnosis, ...] = ()
    checks: tuple[Check, ...] = ()
    lost: tuple[str, ...] = ()  # what the walls did not keep the code from, "files: …"
    withheld: int = 0  # points earned by checks that the course does not reveal
    source: str = ""  # what was graded
    digest: str = ""  # SHA-256 of the file that it was read from
    course: str = ""  # the folder of the course, where it is not the one that normgrade carries
    stopped_after_s: float | None = None  # the search for the mistake; None where it came to its end

    @property
    def earned(self) -> int:
        return self.withheld + sum(check.earned for check in self.checks)


def judgement(outcomes: Sequence[Outcome], findings: bool) -> Outcome:
    """What becomes of the whole: a broken suite outweighs all, then one failure or finding is enough."""
    if Outcome.ERROR in outcomes:
        return Outcome.ERROR
    passed = not findings and all(outcome is Outcome.PASSED for outcome in outcomes)
    return Outcome.PASSED if passed else Outcome.FAILED
