"""The facts that the outline of a report shows: verdict, diagnosis, crash, example, claims, next step."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from textwrap import shorten

from normgrade.language import _, n_
from normgrade.report.render.numbers import as_pair, as_size
from normgrade.report.render.wording import (
    MARKS,
    bounded,
    claim_of,
    count_in_words,
    grouped,
    names_of,
    one_line,
    outcome_in_words,
    place_of,
    score_in_words,
    word_of,
)
from normgrade.report.report import (
    BUILT_IN,
    CRASH,
    SOME_INPUTS,
    UNLISTED,
    Check,
    Diagnosis,
    Difference,
    Kind,
    Outcome,
    Report,
    Rule,
    Spot,
    ValueDifference,
    WrongStep,
)

BY_HAND = "ByHand: "  # how the exception of a banned call begins
SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=。)")
LONG = 160  # characters of an exception's message
CUT = " …"
NAMED = 2  # mistakes of a report among many


@dataclass(frozen=True, slots=True)
class Named:
    """A mistake of a diagnosis: its name, its explanation with the remedy, and its places in the submission."""

    name: str
    says: str
    spots: tuple[Spot, ...]

    @property
    def in_short(self) -> str:
        """The first sentence of the explanation."""
        return SENTENCE.split(self.says, maxsplit=1)[0]


@dataclass(frozen=True, slots=True)
class Example:
    """One failure in numbers: the call that shows it, the actual and the expected value, and the mistake that they look like.

    `claim` is the claim that fails, and `hint` its usual cause. Each may be empty.
    """

    outcome: Outcome
    claim: str
    call: str
    found: str
    likeness: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Next:
    """The next step: a sentence if the grader could not tell, else commands to type, the most useful first. Both may be empty."""

    says: str
    commands: tuple[str, ...]


def verdict(report: Report) -> str:
    """Return points and outcome: "16 of 20 points, not passed"."""
    score, outcome = score_in_words(report), outcome_in_words(report)
    if report.outcome is Outcome.FAILED and report.earned == report.possible:
        return _("{score}; {outcome}", score=score, outcome=outcome)
    return _("{score}, {outcome}", score=score, outcome=outcome)


def cost_in_words(report: Report) -> str:
    """Return the points that the mistakes cost, if the score was computed from them and nothing else costs points; else ""."""
    if report.earned <= report.of_claims or not report.diagnoses or report.unexplained:
        return ""
    cost = report.possible - report.earned
    return n_(", costs {n} point", ", costs {n} points", cost)


def diagnosis_of(report: Report) -> Diagnosis | None:
    """Return the diagnosis to show, which is the first one; None if it names no mistake."""
    return next((each for each in report.diagnoses[:1] if each.mistakes), None)


def mistakes_of(diagnosis: Diagnosis) -> list[Named]:
    """Return the mistakes of a diagnosis with their texts and places."""
    if len(diagnosis.mistakes) == 1 or len(diagnosis.texts) != len(diagnosis.mistakes):
        return [Named(names_of(diagnosis), diagnosis.says, diagnosis.spots)]
    spots = {name: tuple(spot for spot in diagnosis.spots if spot.mistake == name) for name in diagnosis.mistakes}
    told = zip(diagnosis.mistakes, diagnosis.texts, strict=True)
    return [Named(one_line(name), text, spots[name]) for name, text in told]


def reach_of(diagnosis: Diagnosis, checks: Sequence[Check]) -> str:
    """Return how many of the failing claims a diagnosis explains completely; "" if there are none."""
    failing = failing_claims(checks)
    explained = sum(all(check.name in diagnosis.checks for check in failed) for failed in failing.values())
    if not explained:
        return ""
    several, total = len(diagnosis.mistakes) > 1, len(failing)
    if explained < total and several:
        return _("explain {explained} of {total} failing claims", explained=explained, total=total)
    if explained < total:
        return _("explains {explained} of {total} failing claims", explained=explained, total=total)
    if several:
        return n_("explain the failing claim", "explain all {n} failing claims", explained)
    return n_("explains the failing claim", "explains all {n} failing claims", explained)


def failing_claims(checks: Sequence[Check]) -> dict[str, list[Check]]:
    """Return the checks that failed, by their claim."""
    failing: dict[str, list[Check]] = {}
    for check in checks:
        if check.outcome is Outcome.FAILED:
            failing.setdefault(claim_of(check), []).append(check)
    return failing


def left_open(report: Report) -> list[str]:
    """Return the failing claims that the diagnosis does not explain, each with the likeness of a difference there."""
    diagnosis = diagnosis_of(report)
    if diagnosis is None:
        return []
    unexplained = failing_claims([check for check in report.checks if check.name not in diagnosis.checks])
    likenesses = {claim: next(filter(None, map(likeness_of, checks)), "") for claim, checks in unexplained.items()}
    return [_(": ").join(filter(None, (claim.rstrip(".。"), likeness))) for claim, likeness in likenesses.items()]


def likeness_of(check: Check) -> str:
    """Return the first likeness of a difference in a check; "" if there is none."""
    return one_line(next((each.looks_like for each in check.differences if each.looks_like), ""))


def step_of(report: Report) -> WrongStep | None:
    """Return the first wrong step; None if a diagnosis names it, or if it is not certain."""
    diagnosis = diagnosis_of(report)
    return None if diagnosis is not None and UNLISTED in diagnosis.mistakes else report.step


def in_short(said: str) -> str:
    """Return the message of an exception; of a long one only the first sentence."""
    said = one_line(said)
    return said if len(said) <= LONG else shorten(SENTENCE.split(said, maxsplit=1)[0], LONG, placeholder="") + CUT


def crash_of(report: Report) -> Check | None:
    """Return the first check that failed because of an exception, unless a known mistake or a finding already tells of it."""
    diagnosis = diagnosis_of(report)
    explained = () if diagnosis is None or {SOME_INPUTS, CRASH} & {*diagnosis.mistakes} else diagnosis.checks
    banned = any(finding.rule is Rule.BANNED for finding in report.findings)
    failed = [check for check in report.checks if check.outcome is Outcome.FAILED and check.name not in explained]
    failed.sort(key=lambda check: (check.courtesy, not check.lines))
    return next((check for check in failed if check.raised and not (banned and check.raised.said.startswith(BY_HAND))), None)


def example_of(report: Report) -> Example | None:
    """Return the failure that tells most; None if the course reveals no failure.

    That is one that the diagnosis explains or, without a diagnosis, one whose numbers look like a simple mistake.
    """
    shown, diagnosis = shown_of(report), diagnosis_of(report)
    if shown is None:
        return None
    broken = report.outcome is Outcome.ERROR
    claim = claim_of(shown) if broken or diagnosis is None else ""
    hint = one_line(shown.hint) if claim and not (broken or report.searching) else ""
    difference = next((each for each in shown.differences if each.looks_like), next(iter(shown.differences), None))
    if difference is None:
        found, likeness = shown.message, ""
    else:
        found = found_at(difference)
        likeness = one_line(difference.looks_like or "") or ("" if shown.raised is not None else one_line(shown.message))
    return Example(shown.shown_as, claim, one_line(shown.call), bounded(one_line(found), 1, 300), likeness, hint)


def shown_of(report: Report) -> Check | None:
    """Return the check of that failure."""
    diagnosis = diagnosis_of(report)
    ended = grouped(report.checks)
    told = [check for outcome in (Outcome.ERROR, Outcome.FAILED) for cases in ended for check in cases.ended(outcome)]
    told = [check for check in told if check.differences or (check.message.strip() and check.raised is None)]
    told.sort(key=lambda check: (check.courtesy, check.kind is Kind.PRECISION))  # ordinary numbers tell more
    if report.outcome is Outcome.ERROR:
        telling = told
    elif diagnosis is not None:
        telling = [check for check in told if check.name in diagnosis.checks]
    else:
        telling = [check for check in told if any(each.looks_like for each in check.differences)]
    return next(iter((*telling, *told)), None)


def in_vain(report: Report) -> str:
    """Return how many courtesies a failed submission lacks; "" if there are none."""
    courtesies = sum(cases.shown.asked_in_vain for cases in grouped(report.checks)) if report.outcome is Outcome.FAILED else 0
    if not courtesies:
        return ""
    return n_(
        "{n} failed claim is not required to pass: {mark}.",
        "{n} failed claims are not required to pass: {mark}.",
        courtesies,
        mark=MARKS[Outcome.SKIPPED],
    )


def found_at(difference: Difference) -> str:
    """Return the actual and the expected value of a difference, or of its worst number."""
    place = place_of(difference)
    if difference.place.step is not None:
        place = place.partition(" · ")[2] or place
    if isinstance(difference, ValueDifference):
        expected, actual = map(one_line, as_pair(difference.expected, difference.actual))
        return _("{place} is {actual}, expected {expected}", place=place, actual=actual, expected=expected)
    expected, actual = as_pair(difference.expected, difference.actual)
    where = f"{place}[{', '.join(map(str, map(int, difference.at)))}]" if difference.at else place
    found = _(
        "{where} is {actual}, expected {expected} ± {allowed}",
        where=where,
        actual=actual,
        expected=expected,
        allowed=as_size(difference.allowed),
    )
    return found if difference.total == 1 else f"{found}{_('; ')}{count_in_words(difference.mismatched, difference.total)}"


def not_tried(report: Report) -> str:
    """Return how many claims were not tried; "" if all were."""
    skipped = sum(cases.outcome is Outcome.SKIPPED for cases in grouped(report.checks))
    return n_("{n} claim was not checked.", "{n} claims were not checked.", skipped) if skipped else ""


def next_step(report: Report, more: str = "-v") -> Next:
    """Return the next step, which is empty for a report that passed or is for the author.

    `more` is the option or key that shows all claims.
    """
    slug = one_line(report.exercise)
    if report.outcome is Outcome.ERROR:
        maintain = _("Show this report to the maintainer of the course. Run `normgrade verify {slug}` to see what is broken.", slug=slug)
        return Next(maintain, ())
    if report.outcome is not Outcome.FAILED or report.for_author or any(check.kind is Kind.PROOF for check in report.checks):
        return Next("", ())
    commands = [*telling(report, slug)] or [f"normgrade show {slug}"]
    return Next("", (*commands, *([_("{key}: all claims", key=more)] if report.checks and more else ())))


def telling(report: Report, slug: str) -> Iterator[str]:
    """Yield the commands that tell more of what failed: the mistake in numbers, or a hint, and the failing call to step through."""
    failed, diagnosis = [check for check in report.checks if check.outcome is Outcome.FAILED], diagnosis_of(report)
    reveals = any(check.message or check.differences for check in failed)
    known = [name for name in (diagnosis.mistakes if diagnosis is not None else ()) if name not in BUILT_IN]
    if known and reveals:
        yield f"normgrade explain {one_line(known[0])} --exercise {slug}"
        return
    if failed and diagnosis is None and crash_of(report) is None:
        yield f"normgrade hint {slug}"
    if reveals:
        leading = crash_of(report) or shown_of(report) or next(check for check in failed if check.message)
        yield f"normgrade repro {slug} {one_line(leading.name).partition('[')[0]}"


def claims_without_more(report: Report) -> list[str]:
    """Return the claims that fail, if the report shows neither an example, nor a crash, nor a finding."""
    if example_of(report) is not None or crash_of(report) is not None or report.findings:
        return []
    return [*failing_claims([check for check in report.checks if check.decides])]


def named(report: Report) -> str:
    """Return the first mistakes of the first diagnosis; if there is none, the rules that inspection found broken."""
    names = [one_line(name) for diagnosis in report.diagnoses[:1] for name in diagnosis.mistakes]
    more = [_("{n} more", n=len(names) - NAMED)] if len(names) > NAMED else []
    rules = dict.fromkeys(word_of(finding.rule) for finding in report.findings)
    return " + ".join(names[:NAMED] + more) or _(", ").join(rules)
