"""Reports as the results of learning platforms: Gradescope, PrairieLearn, Classroom 50.

A platform shows one test for each check, and the points of them all. What it is told of a test is the same everywhere, under other keys.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from normgrade import __version__
from normgrade.language import _
from normgrade.language.errors import UsageError, listed
from normgrade.report.render import EVERYTHING
from normgrade.report.render.json import dumped, readable, to_milliseconds
from normgrade.report.render.plain import finding_lines, plain
from normgrade.report.render.summary import verdict
from normgrade.report.render.wording import asked_as_well, bounded, case_of, credit_in_words, in_short, one_line, titled, word_of
from normgrade.report.report import Outcome, Report, Rule

Json = dict[str, Any]
LENGTHS = (20_000, 2_000, 200)  # of a text, in characters: the first with which the whole is small enough


@dataclass(frozen=True, slots=True)
class Scored:
    """A test as every platform shows it: its name, its points of so many, and the words about it.

    `passed`: true if it holds; a failed courtesy does not hold, but is `excused`.
    """

    name: str
    points: int
    most: int
    passed: bool
    output: str
    excused: bool = False


def scored(reports: Sequence[Report], report: Report) -> list[Scored]:
    """Return a test for each check of a report. If it is one of several, each name begins with the exercise."""
    return [
        Scored(
            before(reports, report) + (asked_as_well(case_of(check)) if check.asked_in_vain else case_of(check)),
            report.points_of(check),
            check.points,
            check.outcome is Outcome.PASSED,
            "\n".join(in_short(report, check)),
            check.asked_in_vain,
        )
        for check in report.checks
    ]


def before(reports: Sequence[Report], report: Report) -> str:
    """Return the beginning of the names of a report's tests: the exercise, if there are several reports."""
    return f"{one_line(report.exercise)}: " if len(reports) > 1 else ""


def sums(reports: Sequence[Report]) -> tuple[int, int]:
    """Return the points that all reports earn together, and those that they could earn."""
    return sum(report.earned for report in reports), sum(report.possible for report in reports)


# Gradescope

TEXT = "text"  # shown as it is: without a format, Gradescope reads the output at the top as HTML


def render_gradescope(reports: Sequence[Report]) -> str:
    """Return all reports as one `results.json`. The total is given at the top: a diagnosis may grant more points than the claims have."""
    content = {
        "extra_data": {"normgrade": __version__, "reports": [facts_of(report) for report in reports]},
        "score": sums(reports)[0],
        "execution_time": to_milliseconds(sum(report.duration_s for report in reports)),
        "output": plain(reports),
        "output_format": TEXT,
        "test_output_format": TEXT,
        "test_name_format": TEXT,
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": [test for report in reports for test in for_gradescope(reports, report)],
    }
    return dumped(readable(content))


def facts_of(report: Report) -> Json:
    """Return the facts that answer a question about the points later on."""
    return {
        "exercise": one_line(report.exercise),
        "submission": one_line(report.submission),
        "digest": report.digest,
        "outcome": report.outcome.value,
        "earned": report.earned,
        "possible": report.possible,
        "seed": report.seed,
        "sandbox": one_line(report.sandbox),
        "lost": list(map(one_line, report.lost)),
        "mistakes": [one_line(mistake) for diagnosis in report.diagnoses[:1] for mistake in diagnosis.mistakes],
    }


def for_gradescope(reports: Sequence[Report], report: Report) -> Iterator[Json]:
    """Yield a test without points for each finding, and one for each check; one for the whole report if it has no checks."""
    for finding in report.findings:
        said = cut("\n".join(finding_lines(finding)))
        yield {"status": "failed", "name": before(reports, report) + word_of(finding.rule), "output": said}
    passed = report.outcome is Outcome.PASSED
    whole = Scored(before(reports, report) + titled(report), report.earned, report.possible, passed, verdict(report))
    for test in scored(reports, report) or [whole]:
        points = {"score": test.points, "max_score": test.most}
        yield {**points, "status": "passed" if test.passed else "failed", "name": test.name, "output": cut(test.output)}


def cut(output: str) -> str:
    """Return a text, with a notice if its end was left out."""
    most = LENGTHS[0]
    return output if len(output) <= most else output[:most] + "\n" + _("… {n} more characters", n=len(output) - most)


# PrairieLearn

UNREADABLE = (Rule.FILE, Rule.SYNTAX, Rule.CONTRACT)
MOST_BYTES = 1_000_000  # the smaller of the two meanings of a megabyte


def render_prairielearn(reports: Sequence[Report]) -> str:
    """Return all reports as one `results.json` of at most a megabyte; texts that are cut for that end with a notice.

    A file that cannot be loaded is not gradable, and costs no attempt.
    """
    texts = (dumped(readable(for_prairielearn(reports, length))) for length in LENGTHS)
    small = next((text for text in texts if len(text.encode()) <= MOST_BYTES), "")
    return small or dumped(readable({**for_prairielearn(reports, LENGTHS[-1]), "tests": []}))


def for_prairielearn(reports: Sequence[Report], length: int) -> Json:
    """Return the results, in which no text is longer than `length` characters."""

    def short(text: str) -> str:
        return bounded(text, EVERYTHING, length)

    def written(test: Scored) -> Json:
        output = {"output": short(test.output)} if test.output else {}
        return {"name": short(test.name), "points": test.points, "max_points": test.most, **output}

    earned, possible = sums(reports)
    gradable = any(map(is_gradable, reports)) or not reports
    faults = [] if gradable else [short(fault) for report in reports for fault in faults_of(report)]
    return {
        "normgrade": __version__,
        "gradable": gradable,
        "score": min(earned / possible, 1.0) if possible else 0.0,
        **({} if gradable else {"format_errors": faults}),
        "message": short("\n".join(_(": ").join((titled(report), verdict(report))) for report in reports)),
        "output": short(plain(reports)),
        "tests": [written(test) for report in reports for test in (*scored(reports, report), *beyond(reports, report))],
    }


def is_gradable(report: Report) -> bool:
    """Return False for a file that cannot be loaded, for an untouched stub, and after a fault of the grader: none costs an attempt."""
    unreadable = any(finding.rule in UNREADABLE for finding in report.findings)
    return report.outcome in (Outcome.PASSED, Outcome.FAILED) and not unreadable


def faults_of(report: Report) -> list[str]:
    """Return the reasons why a report is not gradable."""
    return ["\n".join(finding_lines(finding)) for finding in report.findings] or [plain([report])]


def beyond(reports: Sequence[Report], report: Report) -> Iterator[Scored]:
    """Yield a test for the points that no check has, such as those that a diagnosis grants."""
    rest = report.earned - sum(map(report.points_of, report.checks))
    if rest or not report.checks:
        said = before(reports, report) + (credit_in_words(report) or verdict(report))
        yield Scored(said, rest, 0 if report.checks else report.possible, False, "")


# Classroom 50

SCHEMA = "classroom50/result/v1"
NEEDED = ("CLASSROOM", "ASSIGNMENT", "SUBMISSION_TAG", "COMMIT_URL", "RELEASE_URL")
TAG_TIME = re.compile(r"submit/(\d{4}-\d\d-\d\d)T(\d\d)[-:]?(\d\d)[-:]?(\d\d)Z?(?:-|$)")


def render_classroom50(reports: Sequence[Report]) -> str:
    """Return all reports as one `result.json`. The score is in whole points, and never more than the largest one."""
    earned, possible = sums(reports)
    tests = [test for report in reports for test in for_classroom50(reports, report)]
    return dumped(readable({**handed_in_here(), "score": min(earned, possible), "max-score": possible, "tests": tests}))


def for_classroom50(reports: Sequence[Report], report: Report) -> Iterator[Json]:
    """Yield a test for the whole report, and one for each check. The first has the points that no claim has; all, if some are granted.

    A courtesy that fails costs its points, but counts as passed.
    """
    tests = scored(reports, report)
    points, most = sum(test.points for test in tests), sum(test.most for test in tests)
    counts = report.earned == report.of_claims and most <= report.possible
    given = (report.earned - points, report.possible - most) if counts else (report.earned, report.possible)
    name = before(reports, report) + titled(report)
    yield {
        "test-name": name, "passed": report.outcome is Outcome.PASSED, "score": given[0], "max-score": given[1], "output": plain([report])
    }  # fmt: skip
    for test in tests:
        score, largest = (test.points, test.most) if counts else (0, 0)
        passed = test.passed or test.excused
        yield {"test-name": test.name, "passed": passed, "score": score, "max-score": largest, "output": test.output}


def handed_in_here(environment: Mapping[str, str] = os.environ) -> Json:
    """Return the facts about a submission that a runner tells in the environment. Raise a UsageError that names the missing variables."""
    owner = environment.get("OWNER") or environment.get("USERNAME") or environment.get("GITHUB_ACTOR")
    missing = [name for name in NEEDED if not environment.get(name)] + ([] if owner else ["OWNER"])
    if missing:
        raise UsageError(
            _(
                "The format classroom50 needs {variables} in the environment, as a runner of Classroom 50 sets them. "
                "Use --format json elsewhere.",
                variables=listed(missing),
            )
        )
    classroom, assignment, tag, commit, release = (environment[name] for name in NEEDED)
    return {
        "schema": SCHEMA,
        "classroom": classroom,
        "assignment": assignment,
        "assignment_type": environment.get("ASSIGNMENT_TYPE") or "individual",
        "owner": owner,
        "submission": tag,
        "commit": commit,
        "release": release,
        "review": environment.get("REVIEW_URL") or commit,
        "datetime": time_of(tag, environment.get("GITHUB_SHA") or "HEAD"),
    }


def time_of(tag: str, commit: str) -> str:
    """Return the time of a commit in this repository; without a repository, the time that the tag of the submission tells."""
    if (seconds := seconds_of(commit)) is not None:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    told = TAG_TIME.match(tag)
    if told is None:
        raise UsageError(
            _(
                'The time of the commit is not known: this folder is no Git repository, and SUBMISSION_TAG is "{tag}", not '
                '"submit/2026-02-02T09-30-00Z-…".',
                tag=tag,
            )
        )
    day, hour, minute, second = told.groups()
    return f"{day}T{hour}:{minute}:{second}Z"


def seconds_of(commit: str, folder: Path = Path()) -> int | None:
    """Return the time of a commit in seconds since 1970; None if Git does not know it."""
    command = ["git", "-c", "safe.directory=*", "-c", "log.showSignature=false", "log", "-1", "--format=%ct", "--end-of-options", commit]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    except OSError:
        return None
    return int(done.stdout) if done.returncode == 0 and done.stdout.strip().isdecimal() else None
