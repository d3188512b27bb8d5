"""What every format for people says in the same words: claims, differences, scores and next steps."""

from __future__ import annotations

import math
from collections.abc import Sequence

from normgrade.language import N_, _, n_, retold
from normgrade.language.visible import printable as printable
from normgrade.report.place_names import place_in_words
from normgrade.report.render.numbers import as_pair, as_size
from normgrade.report.report import Check, Diagnosis, Difference, Finding, Outcome, Report
from normgrade.worker.walls import TIERS

WEAKEST = TIERS[0]
CLAIMS = 3  # that a mistake breaks, shown in full
MARKS = {Outcome.PASSED: "✓", Outcome.FAILED: "✗", Outcome.SKIPPED: "–", Outcome.ERROR: "!", Outcome.NOT_STARTED: "–"}
LARGEST_RELATIVE = 1e6  # a larger relative error only says that 0 is expected
OUTCOMES = (N_("passed"), N_("failed"), N_("skipped"), N_("error"), N_("not started"))
KINDS = (
    N_("interface"), N_("formula"), N_("state"), N_("gradient"), N_("edge"), N_("stability"), N_("precision"), N_("proof"),
)  # fmt: skip
RULES = (N_("file"), N_("syntax"), N_("contract"), N_("signature"), N_("banned"))
SANDBOXES = (N_("none"),)  # the tiers are names


def one_line(text: str) -> str:
    """A printable text on a single line."""
    return " ".join(printable(text).split())


def bounded(text: str, lines: int, characters: int = 4000) -> str:
    """The beginning of a text, and how much of it is left out."""
    text = printable(text).expandtabs(4).strip("\n").rstrip()
    kept = text[:characters].split("\n")[:lines]
    left_out = text.count("\n") + 1 - len(kept)
    if left_out:
        return "\n".join([*kept, n_("… and {n} more line", "… and {n} more lines", left_out)])
    return text if len(text) <= characters else f"{text[:characters]} …"


def outcome_in_word(outcome: Outcome) -> str:
    return retold(outcome.value, OUTCOMES)


def kind_in_word(kind: str) -> str:
    return retold(one_line(kind), KINDS)


def rule_in_word(finding: Finding) -> str:
    return retold(one_line(finding.rule), RULES)


def sandbox_in_word(report: Report) -> str:
    return retold(one_line(report.sandbox), SANDBOXES)


def claim_of(check: Check) -> str:
    """What the check claims; its name where the suite makes no claim."""
    return one_line(check.claim) or one_line(check.name)


def difference_in_words(difference: Difference) -> str:
    """How many numbers differ, by how much, and where it is worst; or what is there instead."""
    if difference.at is None:
        expected, actual = as_pair(difference.expected, difference.actual)
        return _("expected {expected}, got {actual}", expected=one_line(expected), actual=one_line(actual))
    parts = [count_in_words(difference.mismatched, difference.total)]
    if difference.max_abs is not None and math.isfinite(difference.max_abs):
        size, relative = as_size(difference.max_abs), relative_in_words(difference.max_rel)
        parts.append(_("at most {size}{relative}", size=size, relative=relative))
    if difference.allowed is not None:
        parts.append(_("allowed {size}", size=as_size(difference.allowed)))
    if difference.at:
        parts.append(_("worst at {index}", index=list(map(int, difference.at))))
    return _(", ").join(parts)


def count_in_words(mismatched: int, total: int) -> str:
    if total == 1:
        return _("the number differs")
    return n_("{n} of {total} numbers differs", "{n} of {total} numbers differ", mismatched, total=total)


def relative_in_words(max_rel: float | None) -> str:
    """The relative error, as a percentage where that is easy to read."""
    if max_rel is None or max_rel > LARGEST_RELATIVE or math.isnan(max_rel):
        return ""
    percent = max_rel * 100
    return _(" (relative {size})", size=f"{as_size(percent)} %" if 0.01 <= percent < 1000 else as_size(max_rel))


def what_it_is(difference: Difference) -> str:
    """The place with its dtype and shape: step 1 · output · float32 (4, 3)."""
    parts = [place_in_words(one_line(difference.place))]
    if difference.dtype is not None:
        parts.append(one_line(difference.dtype))
    if difference.shape is not None:
        parts.append(str(tuple(map(int, difference.shape))))
    return " · ".join(parts)


def search_stopped(report: Report) -> str:
    """What is said in place of a diagnosis where the search for one was stopped; nothing where it was not."""
    if report.stopped_after_s is None:
        return ""
    if not report.stopped_after_s:
        return _("No time was left to look for the mistake: `--timeout` gives more.")
    return _("The search for the mistake was stopped after {seconds:.1f} s: which one it is remains open.", seconds=report.stopped_after_s)


def names_of(diagnosis: Diagnosis) -> str:
    return " + ".join(map(one_line, diagnosis.mistakes))


def explained(diagnosis: Diagnosis, checks: Sequence[Check]) -> list[str]:
    """The claims that a mistake breaks, or how many there are."""
    claims = {check.name: claim_of(check) for check in checks}
    shown_by = list(dict.fromkeys(claims.get(name, one_line(name)) for name in diagnosis.checks))
    return shown_by if len(shown_by) <= CLAIMS else [_("explains all {n} claims that fail", n=len(shown_by))]


def course_in_words(report: Report) -> str:
    """Whose claims these are, where the course is not the one that normgrade carries; else nothing."""
    return _("course: {folder}", folder=one_line(report.course)) if report.course else ""


def score_in_words(report: Report) -> str:
    return n_("{earned} of {n} point", "{earned} of {n} points", report.possible, earned=report.earned)


def outcome_in_words(report: Report) -> str:
    if report.outcome is Outcome.PASSED:
        return _("passed")
    if report.outcome is Outcome.ERROR:
        return _("error: the grader could not tell, which is no fault of your code")
    if report.outcome is Outcome.NOT_STARTED:
        return _("not started")
    if report.findings and report.earned == report.possible:
        return _("not passed: what the findings name decides")
    return _("not passed")


def next_step(report: Report) -> str:
    """What to do next; nothing for a report that passed."""
    slug = one_line(report.exercise)
    if report.outcome is Outcome.ERROR:
        return _("Show this report to whoever keeps the course; `normgrade verify {slug}` proves where it is broken.", slug=slug)
    if report.outcome is not Outcome.FAILED or any(check.kind == "proof" for check in report.checks):
        return ""
    failed = [check for check in report.checks if check.outcome is Outcome.FAILED]
    if report.diagnoses and any(check.message or check.differences for check in failed):  # the course reveals numbers
        mistake = one_line(report.diagnoses[0].mistakes[0])
        return _("`normgrade explain {mistake} --exercise {slug}` shows it in numbers.", mistake=mistake, slug=slug)
    if failed and not report.diagnoses:
        return _("`normgrade hint {slug}` gives a hint, `normgrade show {slug}` shows the task again.", slug=slug)
    return _("Read the prompt again with `normgrade show {slug}`.", slug=slug)


def seed_in_words(seed: int) -> str:
    """How to have inputs again that are not the usual ones."""
    return _("Seed {seed}: `--seed {seed}` draws the same inputs again.", seed=seed)


def losses_in_words(reports: Sequence[Report]) -> list[str]:
    """What code could do behind the weakest walls; nothing where all stood behind stronger ones."""
    open_to_it = dict.fromkeys(one_line(loss) for report in reports if report.sandbox == WEAKEST for loss in report.lost)
    if not open_to_it:
        return []
    return [
        _("{tier}: this code ran with your permissions. What was open to it:", tier=WEAKEST),
        *(f"  {_(loss)}" for loss in open_to_it),
        _("`normgrade doctor` says why there are no stronger walls here."),
    ]


def not_started(report: Report) -> str:
    slug, submission = one_line(report.exercise), one_line(report.submission)
    return _(
        "{slug} is not started: `normgrade show {slug}` shows the task, and {submission} is where your code goes.",
        slug=slug,
        submission=submission,
    )
