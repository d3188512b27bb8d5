"""Reports as JSON, version 1, which is the contract for programs; and reports that are read from it."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import StrEnum
from functools import cache
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

import numpy as np

from normgrade import __version__
from normgrade.language.places import Place
from normgrade.language.visible import HOLDS_A_COMMAND, STEERS, visible
from normgrade.report.report import (
    NOTHING_COMPUTED,
    UNLISTED,
    ArrayDifference,
    Check,
    Diagnosis,
    Difference,
    Report,
    Spot,
    ValueDifference,
    WorstNumber,
    WrongStep,
)

Json = Mapping[str, Any]
VERSION = 1
OF_ONE_VALUE = {"mismatched": 1, "total": 1, "max_abs": None, "max_rel": None, "allowed": None, "at": None}  # if no numbers are compared
OF_A_DIFFERENCE = tuple("place called dtype shape mismatched total max_abs max_rel allowed at expected actual looks_like".split())
KEYS: Mapping[type, Sequence[str]] = {  # in their order; other classes have a key for each of their fields
    Report: tuple(
        "exercise submission outcome score granted withheld digest sandbox lost seed course duration_s findings diagnoses unexplained "
        "first_wrong_step cells limits stopped_after_s deaths checks".split()
    ),
    Check: tuple("name claim kind outcome points courtesy earned duration_s message hint stdout lines call raised differences".split()),
    Diagnosis: tuple("mistakes says checks cost texts spots".split()),
    ArrayDifference: OF_A_DIFFERENCE,
    ValueDifference: OF_A_DIFFERENCE,
}
RENAMED = {"first_wrong_step": "step"}  # keys that are called as they were first
NOT_FINITE = {"nan", "inf", "-inf"}
LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")  # a str can hold one, UTF-8 cannot


def render_json(reports: Sequence[Report]) -> str:
    """Return all reports as one JSON object, after the version of the format and of normgrade."""
    return dumped({"version": VERSION, "normgrade": __version__, "reports": [report_as_json(report) for report in reports]})


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


# Reports


def report_as_json(report: Report) -> dict[str, Any]:
    """Return a report as an object in `reports`."""
    written: dict[str, Any] = as_json(report)
    return written


def as_json(value: Any) -> Any:
    """Return a value as JSON can hold it: NaN and infinities are the strings "nan", "inf" and "-inf"."""
    plain = value.item() if isinstance(value, np.generic) else value
    match plain:
        case StrEnum():
            return plain.value
        case float():
            return plain if math.isfinite(plain) else str(plain)
        case tuple():
            return [as_json(each) for each in plain]
        case WrongStep(says, spot):
            return {"says": says, "line": spot.line, "column": spot.column, "width": spot.width, "text": spot.text}
    if not is_dataclass(plain):
        return plain
    written = {name: part(plain, name) for name in KEYS.get(type(plain)) or [each.name for each in fields(plain)]}
    if written.get("courtesy") is False:
        del written["courtesy"]
    return written


def part(whole: Any, name: str) -> Any:
    """Return a field of a dataclass as JSON can hold it; seconds are rounded to milliseconds."""
    if name == "score":
        return {"earned": whole.earned, "possible": whole.possible}
    if name in OF_ONE_VALUE and isinstance(whole, ValueDifference):
        return OF_ONE_VALUE[name]
    value = getattr(whole, RENAMED.get(name, name))
    return to_milliseconds(value) if name.endswith("_s") and value is not None else as_json(value)


def report_from_json(content: Json, source: str) -> Report:
    """Return the report on a source that is described by an object in `reports`. Raise LookupError, TypeError or ValueError for others.

    Of the arrays of a difference, only the worst number is left.
    """
    idle = any(NOTHING_COMPUTED in each["mistakes"] for each in content["diagnoses"])
    flat = {**content, "possible": content["score"]["possible"], "step": content["first_wrong_step"], "source": source, "idle": idle}
    report: Report = from_json(Report, flat)
    return report


def from_json(kind: Any, content: Any) -> Any:
    """Return content as a value of an annotation of a report. Fields that are missing have their default."""
    if content is None:
        return None
    if kind == Difference:
        return difference(content)
    if kind is WrongStep:
        return WrongStep(content["says"], Spot(UNLISTED, *(content[name] for name in ("line", "column", "width", "text"))))
    if get_origin(kind) is UnionType:
        return from_json(get_args(kind)[0], content)
    if get_origin(kind) is tuple:
        return tuple(from_json(get_args(kind)[0], each) for each in content)
    if is_dataclass(kind):
        made: Any = kind
        kinds = kinds_of(made)
        return made(**{name: from_json(kinds[name], content[name]) for name in kinds if name in content})
    return kind(content) if issubclass(kind, StrEnum) else content


@cache
def kinds_of(kind: type) -> dict[str, Any]:
    """Return the annotation of each field of a dataclass."""
    return get_type_hints(kind)


def difference(content: Json) -> Difference:
    """Return the difference that an object describes."""
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


def to_milliseconds(duration_s: float) -> float:
    return round(float(duration_s), 3)
