"""Reports as JSON, version 1: the contract for programs."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from normgrade import __version__
from normgrade.language.visible import HOLDS_A_COMMAND, STEERS, visible
from normgrade.report.report import ArrayDifference, Check, Diagnosis, Difference, Finding, Raised, Report, Spot, WrongStep

VERSION = 1
OF_ONE_VALUE = {"mismatched": 1, "total": 1, "max_abs": None, "max_rel": None, "allowed": None, "at": None}  # if no numbers are compared
LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")  # a str can hold one, UTF-8 cannot


def render_json(reports: Sequence[Report]) -> str:
    """Return all reports as one JSON object."""
    return as_object({"reports": [report_as_json(report) for report in reports]})


def as_object(content: Mapping[str, Any]) -> str:
    """Return the content as one JSON object, after the version of the format and of normgrade."""
    return dumped({"version": VERSION, "normgrade": __version__, **content})


def dumped(content: Mapping[str, Any]) -> str:
    """Return an object as JSON in which no text does harm in a terminal or a log."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, indent=2)
    return HOLDS_A_COMMAND.sub(escaped, STEERS.sub(escaped, LONE_SURROGATE.sub("\ufffd", text))) + "\n"


def readable(content: Any) -> Any:
    """Return content for JSON in which every text may be shown to people: without control characters and commands of a CI system."""
    if isinstance(content, Mapping):
        return {name: readable(value) for name, value in content.items()}
    if isinstance(content, list):
        return list(map(readable, content))
    return visible(content) if isinstance(content, str) else content


def escaped(sign: re.Match[str]) -> str:
    """Return a character as an ASCII escape of JSON, so that it does no harm in a terminal or a log."""
    return f"\\u{ord(sign[0]):04x}"


def report_as_json(report: Report) -> dict[str, Any]:
    return {
        "exercise": report.exercise,
        "submission": report.submission,
        "outcome": report.outcome.value,
        "score": {"earned": report.earned, "possible": report.possible},
        "granted": report.granted,
        "withheld": report.withheld,
        "digest": report.digest,
        "sandbox": report.sandbox,
        "lost": list(report.lost),
        "seed": report.seed,
        "course": report.course,
        "duration_s": to_milliseconds(report.duration_s),
        "findings": [finding_as_json(finding) for finding in report.findings],
        "diagnoses": [diagnosis_as_json(diagnosis) for diagnosis in report.diagnoses],
        "unexplained": list(report.unexplained),
        "first_wrong_step": None if report.step is None else step_as_json(report.step),
        "cells": list(report.cells),
        "limits": list(report.limits),
        "stopped_after_s": None if report.stopped_after_s is None else to_milliseconds(report.stopped_after_s),
        "deaths": [{"check": death.check, "play": death.play, "why": death.why} for death in report.deaths],
        "checks": [check_as_json(check) for check in report.checks],
    }


def finding_as_json(finding: Finding) -> dict[str, Any]:
    return {"line": finding.line, "column": finding.column, "rule": str(finding.rule), "text": finding.text}


def diagnosis_as_json(diagnosis: Diagnosis) -> dict[str, Any]:
    return {
        "mistakes": list(diagnosis.mistakes),
        "says": diagnosis.says,
        "checks": list(diagnosis.checks),
        "cost": diagnosis.cost,
        "texts": list(diagnosis.texts),
        "spots": [spot_as_json(spot) for spot in diagnosis.spots],
    }


def spot_as_json(spot: Spot) -> dict[str, Any]:
    return {name: getattr(spot, name) for name in ("mistake", "line", "column", "width", "text", "remedy")}


def step_as_json(step: WrongStep) -> dict[str, Any]:
    spot = step.spot
    return {"says": step.says, "line": spot.line, "column": spot.column, "width": spot.width, "text": spot.text}


def check_as_json(check: Check) -> dict[str, Any]:
    return {
        "name": check.name,
        "claim": check.claim,
        "kind": str(check.kind),
        "outcome": check.outcome.value,
        "points": check.points,
        **({"courtesy": True} if check.courtesy else {}),
        "earned": check.earned,
        "duration_s": to_milliseconds(check.duration_s),
        "message": check.message,
        "hint": check.hint,
        "stdout": check.stdout,
        "lines": list(check.lines),
        "call": check.call,
        "raised": None if check.raised is None else raised_as_json(check.raised),
        "differences": [difference_as_json(difference) for difference in check.differences],
    }


def raised_as_json(raised: Raised) -> dict[str, Any]:
    return {name: getattr(raised, name) for name in ("said", "line", "column", "width", "text", "function", "advice")}


def difference_as_json(difference: Difference) -> dict[str, Any]:
    return {
        "place": difference.place,
        "called": difference.called,
        "dtype": difference.dtype,
        "shape": None if difference.shape is None else [int(size) for size in difference.shape],
        **(size_as_json(difference) if isinstance(difference, ArrayDifference) else OF_ONE_VALUE),
        "expected": as_json_value(difference.expected),
        "actual": as_json_value(difference.actual),
        "looks_like": difference.looks_like,
    }


def size_as_json(difference: ArrayDifference) -> dict[str, Any]:
    return {
        "mismatched": int(difference.mismatched),
        "total": int(difference.total),
        "max_abs": as_json_value(difference.max_abs),
        "max_rel": as_json_value(difference.max_rel),
        "allowed": as_json_value(difference.allowed),
        "at": [int(index) for index in difference.at],
    }


def as_json_value(value: bool | int | float | str | None) -> bool | int | float | str | None:
    """Return the value as JSON can hold it: NaN and infinities are the strings "nan", "inf" and "-inf"."""
    plain = value.item() if isinstance(value, np.generic) else value
    return str(plain) if isinstance(plain, float) and not math.isfinite(plain) else plain


def to_milliseconds(duration_s: float) -> float:
    return round(float(duration_s), 3)
