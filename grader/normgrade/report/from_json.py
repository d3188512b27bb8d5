"""Reports read from the JSON that `normgrade.report.render.json` writes. Of the arrays of a difference, only the worst number is left."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from normgrade.language.places import Place
from normgrade.report.report import (
    NOTHING_COMPUTED,
    UNLISTED,
    ArrayDifference,
    Check,
    Death,
    Diagnosis,
    Difference,
    Finding,
    Kind,
    Outcome,
    Raised,
    Report,
    Rule,
    Spot,
    ValueDifference,
    WorstNumber,
    WrongStep,
)

Json = Mapping[str, Any]
NOT_FINITE = {"nan", "inf", "-inf"}


def report_from_json(content: Json, source: str) -> Report:
    """Return the report on a source that is described by an object in `reports`. Raise LookupError, TypeError or ValueError for others."""
    return Report(
        **{name: content[name] for name in ("exercise", "submission", "sandbox", "seed", "duration_s", "granted", "withheld", "digest")},
        **{name: content[name] for name in ("course", "stopped_after_s")},
        outcome=Outcome(content["outcome"]),
        possible=content["score"]["possible"],
        findings=tuple(Finding(**{**each, "rule": Rule(each["rule"])}) for each in content["findings"]),
        diagnoses=tuple(map(diagnosis, content["diagnoses"])),
        checks=tuple(map(check, content["checks"])),
        lost=tuple(content["lost"]),
        source=source,
        unexplained=tuple(content["unexplained"]),
        deaths=tuple(Death(**each) for each in content["deaths"]),
        cells=tuple(content.get("cells", ())),
        limits=tuple(content["limits"]),
        idle=any(NOTHING_COMPUTED in each["mistakes"] for each in content["diagnoses"]),
        step=None if content["first_wrong_step"] is None else wrong_step(content["first_wrong_step"]),
    )


def diagnosis(content: Json) -> Diagnosis:
    spots = tuple(Spot(**each) for each in content["spots"])
    names = {name: tuple(content[name]) for name in ("mistakes", "checks", "texts")}
    return Diagnosis(says=content["says"], cost=content["cost"], spots=spots, **names)


def wrong_step(content: Json) -> WrongStep:
    return WrongStep(content["says"], Spot(UNLISTED, *(content[name] for name in ("line", "column", "width", "text"))))


def check(content: Json) -> Check:
    raised = content["raised"]
    return Check(
        **{name: content[name] for name in ("name", "claim", "points", "duration_s", "message", "hint", "stdout", "call")},
        kind=Kind(content["kind"]),
        outcome=Outcome(content["outcome"]),
        differences=tuple(map(difference, content["differences"])),
        lines=tuple(content["lines"]),
        raised=None if raised is None else Raised(**raised),
        courtesy=content.get("courtesy", False),
    )


def difference(content: Json) -> Difference:
    shape = None if content["shape"] is None else tuple(content["shape"])
    same: dict[str, Any] = {name: content[name] for name in ("dtype", "called", "looks_like")}
    same |= {"place": Place.of(content["place"]), "shape": shape}
    if content["at"] is None:
        return ValueDifference(expected=content["expected"], actual=content["actual"], **same)
    sizes = {name: number(content[name]) for name in ("max_abs", "max_rel", "allowed", "expected", "actual")}
    counts = {name: content[name] for name in ("mismatched", "total")}
    worst = WorstNumber(*(np.array([sizes[name]]) for name in ("expected", "actual", "allowed")))
    return ArrayDifference(at=tuple(content["at"]), numbers=worst, **counts, **sizes, **same)


def number(value: bool | int | float | str) -> Any:
    """Return a number, which JSON holds as a string if it is not finite."""
    return float(value) if value in NOT_FINITE else value
