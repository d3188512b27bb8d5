"""The content of a gradebook: results of gradings, marks that a person set, and the mark that counts."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from normgrade.classes.hand_ins import HandIn
from normgrade.report.report import Outcome, Report


@dataclass(frozen=True, slots=True)
class Origin:
    """Everything besides the submission that decides a result.

    course: the digest of the exercise's files.
    program: the digest of normgrade's sources.
    versions: the versions of normgrade, Python, NumPy and PyTorch.
    seed: the seed of the inputs.
    """

    course: str
    program: str
    versions: Mapping[str, str]
    seed: int


@dataclass(frozen=True, slots=True)
class Result:
    """One grading of one hand-in, at a time. Each field is a column of the table.

    report: the report as compressed JSON, an object in its `reports`. Only the marks of all students lack it, and the source.
    course, program, versions, seed: the origin.
    folder: the student's in Moodle, as the layout told it.
    """

    student: str
    exercise: str
    attempt: int
    late: bool
    origin: str
    digest: str
    source: bytes
    outcome: Outcome
    earned: int
    possible: int
    mistakes: tuple[str, ...]
    report: bytes
    course: str
    program: str
    versions: Mapping[str, str]
    seed: int
    tier: str
    seconds: float
    at: datetime
    folder: str = ""

    @classmethod
    def of(cls, hand_in: HandIn, digest: str, report: str, graded: Origin) -> Result:
        """Return the result that a report describes, made now."""
        content: dict[str, Any] = json.loads(report)
        content["submission"] = hand_in.origin
        return cls(
            student=hand_in.student,
            exercise=hand_in.exercise,
            attempt=hand_in.attempt,
            late=hand_in.late,
            origin=hand_in.origin,
            digest=digest,
            source=hand_in.content,
            outcome=Outcome(content["outcome"]),
            earned=content["score"]["earned"],
            possible=content["score"]["possible"],
            mistakes=tuple(dict.fromkeys(name for diagnosis in content["diagnoses"][:1] for name in diagnosis["mistakes"])),
            report=zlib.compress(as_json(content).encode()),
            tier=content["sandbox"],
            seconds=content["duration_s"],
            at=datetime.now(UTC),
            folder=hand_in.folder,
            **asdict(graded),
        )

    @property
    def graded(self) -> Origin:
        """Everything besides the submission that decided the result."""
        return Origin(self.course, self.program, self.versions, self.seed)

    @property
    def text(self) -> str:
        """The report, an object in the `reports` of JSON, as text."""
        return zlib.decompress(self.report).decode()

    @property
    def as_report(self) -> Report:
        """The report, with everything except for the arrays of its differences."""
        from normgrade.report.render.json import report_from_json  # loads NumPy

        return report_from_json(json.loads(self.text), self.source.decode(errors="replace"))


@dataclass(frozen=True, slots=True)
class Override:
    """A mark that a person set: the points, those that it replaced, and who set it why and when. Without points, it ends an earlier one."""

    student: str
    exercise: str
    points: float | None
    was: float | None
    who: str
    why: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Mark:
    """The mark of one student at one exercise: the newest result of the latest attempt, and the override if there is one."""

    student: str
    exercise: str
    result: Result | None
    override: Override | None = None

    @property
    def points(self) -> float:
        """The points that count."""
        if self.override is not None and self.override.points is not None:
            return self.override.points
        return 0 if self.result is None else self.result.earned

    @property
    def outcome(self) -> Outcome:
        """How the grading ended; without a result as if it were skipped."""
        return Outcome.SKIPPED if self.result is None else self.result.outcome

    @property
    def late(self) -> bool:
        """True if the hand-in came late."""
        return self.result is not None and self.result.late


def as_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
