"""The words that all formats for people share: claims, differences, scores, and the checks of a claim taken together."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from normgrade.language import _, n_
from normgrade.language.visible import blank, in_columns, printable, width
from normgrade.report.render.numbers import as_pair, as_size
from normgrade.report.report import (
    NOTHING_RAN,
    Check,
    Comparison,
    Diagnosis,
    Difference,
    Kind,
    Outcome,
    Report,
    Rule,
    Spot,
    ValueDifference,
)
from normgrade.worker.walls import TIERS

WEAKEST = TIERS[0]
CODE_COLUMNS = 68  # of a line of the learner's code in a diagnosis
LINES = 20  # of a message, or of printed output
MARKS = {Outcome.PASSED: "✓", Outcome.FAILED: "✗", Outcome.SKIPPED: "–", Outcome.ERROR: "!", Outcome.NOT_STARTED: "–"}
LARGEST_RELATIVE = 1e6  # above it, 0 or almost 0 is expected, and the relative error is left out
NAMED = 6  # other cases with the same outcome, or places that are left out
GRAVITY = (Outcome.ERROR, Outcome.FAILED, Outcome.SKIPPED, Outcome.PASSED)


def one_line(text: str) -> str:
    """Return the text, made printable, on a single line."""
    return " ".join(printable(text).split())


def cut(text: str, characters: int) -> str:
    """Return a text, or only its beginning if it is longer."""
    return text if len(text) <= characters else f"{text[:characters]} …"


def bounded(text: str, lines: int, characters: int = 4000) -> str:
    """Return the beginning of a text, and how much of it is left out."""
    text = printable(text).expandtabs(4).strip("\n").rstrip()
    kept = text[:characters].split("\n")[:lines]
    left_out = text.count("\n") + 1 - len(kept)
    if left_out:
        return "\n".join([*kept, n_("… and {n} more line", "… and {n} more lines", left_out)])
    return cut(text, characters)


def word_of(word: Outcome | Kind | Rule) -> str:
    """Return an outcome, a kind or a rule in the current language."""
    return _(str(word))


def sandbox_in_word(report: Report) -> str:
    """Return the name of the walls, which is the same in every language, or a word for none if nothing ran."""
    return _(NOTHING_RAN) if report.sandbox == NOTHING_RAN else one_line(report.sandbox)


def titled(report: Report) -> str:
    """Return the exercise, and the submission if it says more than that, as the files of several people do."""
    exercise, submission = one_line(report.exercise), one_line(report.submission)
    return exercise if submission == f"{exercise}.py" else f"{exercise} · {submission}"


def claim_of(check: Check) -> str:
    """Return the claim of the check; its name if the suite makes no claim."""
    return one_line(check.claim) or one_line(check.name)


def difference_in_words(difference: Difference) -> str:
    """Return the number of differing numbers and the error of the worst; for other values, the expected and the actual value.

    The worst number is the one whose error is the largest multiple of its allowed error.
    """
    if isinstance(difference, ValueDifference):
        expected, actual = as_pair(difference.expected, difference.actual)
        return _("expected {expected}, got {actual}", expected=one_line(expected), actual=one_line(actual))
    off, allowed = abs(float(difference.actual) - float(difference.expected)), as_size(difference.allowed)
    if math.isfinite(off):
        relative = relative_in_words(off / abs(difference.expected) if difference.expected else math.inf)
        worst = _("off by {size}{relative}, allowed {allowed}", size=as_size(off), relative=relative, allowed=allowed)
    else:
        worst = _("allowed {size}", size=allowed)
    if difference.at:
        worst = _("worst at {index}: {worst}", index=list(map(int, difference.at)), worst=worst)
    return _(", ").join((count_in_words(difference.mismatched, difference.total), worst))


def count_in_words(mismatched: int, total: int) -> str:
    if total == 1:
        return _("the number differs")
    return n_("{n} of {total} numbers differs", "{n} of {total} numbers differ", mismatched, total=total)


def relative_in_words(max_rel: float) -> str:
    """Return the relative error, as a percentage if that is easy to read; "" if it is NaN or larger than LARGEST_RELATIVE."""
    if max_rel > LARGEST_RELATIVE or math.isnan(max_rel):
        return ""
    percent = max_rel * 100
    return _(" (relative {size})", size=f"{as_size(percent)} %" if 0.01 <= percent < 1000 else as_size(max_rel))


def place_of(found: Comparison) -> str:
    """Return the place in the current language, on a single line; in English if it has not been put into words."""
    return one_line(found.called or found.place)


def what_it_is(found: Comparison) -> str:
    """Return the place with its dtype and shape: step 1 · output · float32 · (4, 3)."""
    parts = [place_of(found)]
    if found.dtype is not None:
        parts.append(one_line(found.dtype))
    if found.shape is not None:
        parts.append(str(tuple(map(int, found.shape))))
    return " · ".join(parts)


def search_in_words(report: Report) -> str:
    """Return a sentence if the search for a diagnosis goes on or was stopped; "" if it came to its end."""
    if report.searching:
        return _("Looking for the mistake …")
    if report.stopped_after_s is None:
        return ""
    if not report.stopped_after_s:
        return _("There was no time left to look for the mistake. Use `--timeout` to allow more time.")
    return _(
        "The search for the mistake was stopped after {seconds:.1f} s, before the mistake was certain.", seconds=report.stopped_after_s
    )


def deaths_in_words(report: Report) -> str:
    """Return how often the process of the submission died, and at which play first; "" if it never died."""
    if not report.deaths:
        return ""
    first = report.deaths[0]
    return n_(
        "The process that ran your code died at play {play} ({check}): {why}. Everything was played again. Only one death is allowed.",
        "The process that ran your code died {n} times, first at play {play} ({check}): {why}. Only one death is allowed.",
        len(report.deaths),
        play=first.play,
        check=one_line(first.check),
        why=one_line(first.why),
    )


def names_of(diagnosis: Diagnosis) -> str:
    return " + ".join(map(one_line, diagnosis.mistakes))


def pointed_at(spot: Spot, columns: int = CODE_COLUMNS) -> list[str]:
    """Return a line of the learner's code without its indentation, and below it a caret and the remedy.

    The code takes at most so many columns: a long line is cut around the caret. A remedy that does not fit beside the caret stands
    below it, however long it is.
    """
    start = spot.column - 1
    indent = min(len(spot.text) - len(spot.text.lstrip()), start)
    first = indent if start + spot.width - indent <= columns else max(indent, start - columns // 4)
    before = ("…" if first > indent else "") + shown(spot.text[first:start])
    marked = shown(spot.text[start : start + min(spot.width, max(1, columns - len(before)))])
    rest = shown(spot.text[start + spot.width :].rstrip()) if len(marked) >= spot.width else "…"
    room = max(0, columns - len(before) - len(marked))
    behind = rest if len(rest) <= room else rest[: max(0, room - 1)] + "…"
    caret = blank(before) + "^" * max(1, width(marked))
    said = one_line(spot.remedy)
    beside = bool(said) and width(f"{caret} {said}") <= columns
    lines = [f"{before}{marked}{behind}", f"{caret} {said}" if beside else caret, *([] if beside or not said else [said])]
    gutters = [str(spot.line), *[" " * len(str(spot.line))] * (len(lines) - 1)]
    return [f"{gutter} │ {line}" for gutter, line in zip(gutters, lines, strict=True)]


def shown(code: str) -> str:
    """Return a piece of a line of code with a known width in columns."""
    return in_columns(printable(code))


def course_in_words(report: Report) -> str:
    """Return the folder of the course; "" for the course that normgrade carries."""
    return _("course: {folder}", folder=one_line(report.course)) if report.course else ""


def score_in_words(report: Report) -> str:
    if report.searching:
        return n_("at least {earned} of {n} point", "at least {earned} of {n} points", report.possible, earned=report.earned)
    return n_("{earned} of {n} point", "{earned} of {n} points", report.possible, earned=report.earned)


def credit_in_words(report: Report) -> str:
    """Return how the points come about if they are more than those of the claims; else ""."""
    if report.earned <= report.of_claims or not report.diagnoses:
        return ""
    cost, named = report.possible - report.earned, len(report.diagnoses[0].mistakes)
    return n_(
        "{n} mistake (−{cost}); counted by claims: {claims}",
        "{n} mistakes (−{cost}); counted by claims: {claims}",
        named,
        cost=cost,
        claims=report.of_claims,
    )


def asked_as_well(claim: str) -> str:
    """Return the words for a claim that is a courtesy: it does not decide."""
    return _("not required to pass: {claim}", claim=claim)


def also_asked(report: Report) -> list[str]:
    """Return the courtesies that a passing submission lacks, each once."""
    if report.outcome is not Outcome.PASSED:
        return []
    claims = dict.fromkeys(claim_of(check) for check in report.checks if check.asked_in_vain)
    return [asked_as_well(claim) for claim in claims]


def said_first(report: Report) -> list[str]:
    """Return the sentences below the verdict: cells that did not run as a whole, and courtesies that a passing submission lacks."""
    return [*map(one_line, report.cells), *also_asked(report)]


def outcome_in_words(report: Report) -> str:
    if report.outcome is Outcome.PASSED:
        return _("passed")
    if report.outcome is Outcome.ERROR:
        return _("error: the grader failed, not your code")
    if report.outcome is Outcome.NOT_STARTED:
        return _("not started")
    if report.findings and report.earned == report.possible:
        first = report.findings[0]
        where = _("line {line}", line=first.line) if first.line else one_line(report.submission)
        return _("not passed because of {where} ({rule})", where=where, rule=word_of(first.rule))
    return _("not passed")


def seed_in_words(seed: int) -> str:
    """Return how to draw the inputs of a seed again."""
    return _("Seed {seed}: use `--seed {seed}` to draw the same inputs again.", seed=seed)


def losses_in_words(reports: Sequence[Report]) -> list[str]:
    """Return the harm that submissions could do inside the weakest walls; empty if all of them ran inside stronger ones."""
    open_to_it = dict.fromkeys(one_line(loss) for report in reports if report.sandbox == WEAKEST for loss in report.lost)
    if not open_to_it:
        return []
    return [
        _("{tier}: this code ran with your permissions. These were not protected:", tier=WEAKEST),
        *(f"  {_(loss)}" for loss in open_to_it),
        _("Run `normgrade doctor` to see why stronger walls are not available here."),
    ]


def not_started(report: Report) -> str:
    slug, submission = one_line(report.exercise), one_line(report.submission)
    return _(
        "{slug} is not started. Run `normgrade show {slug}` to read the task, and write your code in {submission}.",
        slug=slug,
        submission=submission,
    )


# The checks of a claim


@dataclass(frozen=True, slots=True)
class Cases:
    """The checks of one test, in their order."""

    stem: str  # the test's name without its parameters
    checks: tuple[Check, ...]

    @property
    def shown(self) -> Check:
        """The first case with the worst outcome; claim, kind and message are taken from it."""
        return min(self.checks, key=lambda check: GRAVITY.index(check.outcome))

    @property
    def outcome(self) -> Outcome:
        return self.shown.outcome

    @property
    def shown_as(self) -> Outcome:
        """The outcome whose mark is shown."""
        return self.shown.shown_as

    @property
    def word(self) -> str:
        """The outcome in the current language."""
        return _("not required") if self.shown.asked_in_vain else word_of(self.outcome)

    def ended(self, outcome: Outcome) -> tuple[Check, ...]:
        return tuple(check for check in self.checks if check.outcome is outcome)

    @property
    def failures(self) -> tuple[Check, ...]:
        """The failed cases of which the course reveals something."""
        ended = (*self.ended(Outcome.ERROR), *self.ended(Outcome.FAILED))
        return tuple(check for check in ended if check.message.strip() or check.differences or check.stdout.strip())

    def first_failures(self, most: int) -> Iterator[tuple[str, Check]]:
        """Yield so many of the failed cases, each with its name; the remaining ones are named with the last."""
        failed = self.failures
        for number, check in enumerate(failed[:most], 1):
            yield which_cases(self.stem, failed[number - 1 :] if number == most else [check]), check

    @property
    def claim(self) -> str:
        return claim_of(self.shown) if self.shown.claim.strip() else self.stem

    @property
    def kind(self) -> Kind:
        return self.shown.kind

    @property
    def holding(self) -> int:
        return len(self.ended(Outcome.PASSED))

    @property
    def earned(self) -> int:
        return sum(check.earned for check in self.checks)

    @property
    def points(self) -> int:
        return sum(check.points for check in self.checks)


def grouped(checks: Sequence[Check]) -> tuple[Cases, ...]:
    """Return the checks by test, in the order in which each test first appears."""
    groups: dict[tuple[str, str], list[Check]] = {}
    for check in checks:
        groups.setdefault((stem_of(check), check.claim), []).append(check)
    return tuple(Cases(stem, tuple(group)) for (stem, _), group in groups.items())


def stem_of(check: Check) -> str:
    return one_line(check.name).partition("[")[0]


def which_cases(stem: str, checks: Sequence[Check]) -> str:
    """Return the name of the case that is shown, and those of the others with the same outcome."""
    shown, *others = (one_line(check.name) for check in checks)
    names = [name.removeprefix(stem) for name in others[:NAMED]]
    more = [_("{n} more", n=len(others) - NAMED)] if len(others) > NAMED else []
    return " · ".join((shown, _("also {cases}", cases=", ".join(names + more)))) if others else shown


# The words about one check


def case_of(check: Check) -> str:
    """Return the claim of a check, and its parameters if the claim is checked in several cases."""
    _stem, bracket, parameters = one_line(check.name).partition("[")
    return f"{claim_of(check)} {bracket}{parameters}" if bracket and check.claim.strip() else claim_of(check)


def details_of(report: Report, check: Check) -> Iterator[str]:
    """Yield the lines that tell why a check did not pass, as far as the report reveals it, with the whole diagnosis."""
    yield from failure_of(check)
    for diagnosis in report.diagnoses:
        if check.name in diagnosis.checks:
            yield _("Diagnosis: {names}: {says}", names=names_of(diagnosis), says=one_line(diagnosis.says))
            yield from (f"  {line}" for spot in diagnosis.spots for line in pointed_at(spot))
    if check.hint:
        yield _("Hint: ") + one_line(check.hint)


def in_short(report: Report, check: Check) -> Iterator[str]:
    """Yield the same lines where the diagnosis stands elsewhere, with the call that failed and the output of the submission.

    A hint names the usual cause, so it is left out if a diagnosis names the actual one.
    """
    if check.call:
        yield _("The call: {call}", call=one_line(check.call))
    yield from failure_of(check)
    if explained := [diagnosis for diagnosis in report.diagnoses[:1] if check.name in diagnosis.checks]:
        yield _("explained by: {names}", names=names_of(explained[0]))
    elif check.hint:
        yield _("Hint: ") + one_line(check.hint)
    if check.stdout.strip():
        yield _("your code printed:")
        yield from (f"  {line}" for line in bounded(check.stdout, LINES).split("\n"))


def failure_of(check: Check) -> Iterator[str]:
    """Yield the message of a check, and its differences with their likenesses."""
    if check.message:
        yield check.message
    for difference in check.differences:
        yield _(": ").join((what_it_is(difference), difference_in_words(difference)))
        if difference.looks_like:
            yield "  " + _("looks like: {words}", words=one_line(difference.looks_like))
