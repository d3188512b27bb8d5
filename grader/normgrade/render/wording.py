"""What every format for people says in the same words: claims, differences, scores and next steps."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from normgrade.output import without_escapes
from normgrade.render.numbers import as_pair, as_size
from normgrade.report import Check, Diagnosis, Difference, Outcome, Report
from normgrade.sandbox import TIERS

WEAKEST = TIERS[0]
LARGEST_RELATIVE = 1e6  # a larger relative error only says that 0 is expected
UNPRINTABLE = re.compile(  # control characters, turners of the writing direction, and what no UTF-8 or XML can hold
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)


def printable(text: str) -> str:
    """The text without anything that could steer a terminal or break a file; newlines and tabs stay."""
    return UNPRINTABLE.sub("", without_escapes(text))


def one_line(text: str) -> str:
    """A printable text on a single line."""
    return " ".join(printable(text).split())


def bounded(text: str, lines: int, characters: int = 4000) -> str:
    """The beginning of a text, and how much of it is left out."""
    text = printable(text).expandtabs(4).strip("\n").rstrip()
    kept = text[:characters].split("\n")[:lines]
    left_out = text.count("\n") + 1 - len(kept)
    if left_out:
        return "\n".join([*kept, f"… and {left_out} more {'line' if left_out == 1 else 'lines'}"])
    return text if len(text) <= characters else f"{text[:characters]} …"


def claim_of(check: Check) -> str:
    """What the check claims; its name where the suite makes no claim."""
    return one_line(check.claim) or one_line(check.name)


def difference_in_words(difference: Difference) -> str:
    """How many numbers differ, by how much, and where it is worst; or what is there instead."""
    if difference.at is None:
        expected, actual = as_pair(difference.expected, difference.actual)
        return f"expected {one_line(expected)}, got {one_line(actual)}"
    parts = [count_in_words(difference.mismatched, difference.total)]
    if difference.max_abs is not None and math.isfinite(difference.max_abs):
        parts.append(f"at most {as_size(difference.max_abs)}{relative_in_words(difference.max_rel)}")
    if difference.allowed is not None:
        parts.append(f"allowed {as_size(difference.allowed)}")
    if difference.at:
        parts.append(f"worst at {list(map(int, difference.at))}")
    return ", ".join(parts)


def count_in_words(mismatched: int, total: int) -> str:
    if total == 1:
        return "the number differs"
    return f"{mismatched} of {total} numbers {'differs' if mismatched == 1 else 'differ'}"


def relative_in_words(max_rel: float | None) -> str:
    """The relative error, as a percentage where that is easy to read."""
    if max_rel is None or max_rel > LARGEST_RELATIVE or math.isnan(max_rel):
        return ""
    percent = max_rel * 100
    return f" (relative {as_size(percent)} %)" if 0.01 <= percent < 1000 else f" (relative {as_size(max_rel)})"


def what_it_is(difference: Difference) -> str:
    """The place with its dtype and shape: step 1 · output · float32 (4, 3)."""
    parts = [one_line(difference.place)]
    if difference.dtype is not None:
        parts.append(one_line(difference.dtype))
    if difference.shape is not None:
        parts.append(str(tuple(map(int, difference.shape))))
    return " · ".join(parts)


def names_of(diagnosis: Diagnosis) -> str:
    return " + ".join(map(one_line, diagnosis.mistakes))


def score_in_words(report: Report) -> str:
    return f"{report.earned} of {report.possible} {'point' if report.possible == 1 else 'points'}"


def outcome_in_words(report: Report) -> str:
    if report.outcome is Outcome.PASSED:
        return "passed"
    if report.outcome is Outcome.ERROR:
        return "error: the grader could not tell, which is no fault of your code"
    if report.outcome is Outcome.NOT_STARTED:
        return "not started"
    if report.findings and report.earned == report.possible:
        return "not passed: what the findings name decides"
    return "not passed"


def next_step(report: Report) -> str:
    """What to do next; nothing for a report that passed."""
    slug = one_line(report.exercise)
    if report.outcome is Outcome.ERROR:
        return f"Show this report to whoever keeps the course; `normgrade verify {slug}` proves where it is broken."
    if report.outcome is Outcome.FAILED and all(check.kind != "proof" for check in report.checks):
        return f"Read the prompt again with `normgrade show {slug}`."
    return ""


def losses_in_words(reports: Sequence[Report]) -> list[str]:
    """What code could do behind the weakest walls; nothing where all stood behind stronger ones."""
    open_to_it = dict.fromkeys(one_line(loss) for report in reports if report.sandbox == WEAKEST for loss in report.lost)
    if not open_to_it:
        return []
    return [
        f"{WEAKEST}: this code ran with your permissions. What was open to it:",
        *(f"  {loss}" for loss in open_to_it),
        "`normgrade doctor` says why there are no stronger walls here.",
    ]


def not_started(report: Report) -> str:
    slug, submission = one_line(report.exercise), one_line(report.submission)
    return f"{slug} is not started: `normgrade show {slug}` shows the task, and {submission} is where your code goes."
