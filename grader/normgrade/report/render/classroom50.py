"""Reports as `result.json` of Classroom 50, in the form `classroom50/result/v1`."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from normgrade.language import _
from normgrade.language.errors import UsageError, listed
from normgrade.report.render.check_words import case_of, in_short
from normgrade.report.render.json import dumped, readable
from normgrade.report.render.plain import plain
from normgrade.report.render.wording import one_line, titled
from normgrade.report.report import Check, Outcome, Report

SCHEMA = "classroom50/result/v1"
NEEDED = ("CLASSROOM", "ASSIGNMENT", "SUBMISSION_TAG", "COMMIT_URL", "RELEASE_URL")
TAG_TIME = re.compile(r"submit/(\d{4}-\d\d-\d\d)T(\d\d)[-:]?(\d\d)[-:]?(\d\d)Z?(?:-|$)")
GIT_S = 30


@dataclass(frozen=True, slots=True)
class HandedIn:
    """The facts about a submission that a runner of Classroom 50 tells in the environment.

    kind: "individual", "group" or "team".
    time: the time of the commit, in UTC, as `2026-02-02T09:30:00Z`.
    """

    classroom: str
    assignment: str
    kind: str
    owner: str
    tag: str
    commit: str
    release: str
    review: str
    time: str


def render_classroom50(reports: Sequence[Report], handed_in: HandedIn) -> str:
    """Return all reports as one `result.json`. The score is in whole points, and never more than the largest one."""
    several, possible = len(reports) > 1, sum(report.possible for report in reports)
    content = {
        "schema": SCHEMA,
        "classroom": handed_in.classroom,
        "assignment": handed_in.assignment,
        "assignment_type": handed_in.kind,
        "owner": handed_in.owner,
        "submission": handed_in.tag,
        "commit": handed_in.commit,
        "release": handed_in.release,
        "review": handed_in.review,
        "datetime": handed_in.time,
        "score": min(sum(report.earned for report in reports), possible),
        "max-score": possible,
        "tests": [test for report in reports for test in tests_of(report, f"{one_line(report.exercise)}: " if several else "")],
    }
    return dumped(readable(content))


def tests_of(report: Report, before: str) -> list[dict[str, Any]]:
    """Return a test for the whole report, and one for each check. The first has the points that no claim has; all, if some are granted."""
    points = sum(check.points for check in report.checks)
    counted = report.checks if report.earned == report.of_claims and points <= report.possible else ()
    whole = {
        "test-name": f"{before}{titled(report)}",
        "passed": report.outcome is Outcome.PASSED,
        "score": report.earned - sum(check.earned for check in counted),
        "max-score": report.possible - sum(check.points for check in counted),
        "output": plain([report]),
    }
    return [whole, *(test_of(report, check, before, check in counted) for check in report.checks)]


def test_of(report: Report, check: Check, before: str, counts: bool) -> dict[str, Any]:
    """Return the test of one check, which has its points if it counts. A courtesy that fails costs its points, but counts as passed."""
    return {
        "test-name": f"{before}{case_of(check)}",
        "passed": check.outcome is Outcome.PASSED or check.asked_in_vain,
        "score": check.earned if counts else 0,
        "max-score": check.points if counts else 0,
        "output": "\n".join(in_short(report, check)),
    }


def handed_in_here(environment: Mapping[str, str] = os.environ) -> HandedIn:
    """Return the facts that the environment tells. Raise a UsageError that names the variables that it lacks."""
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
    return HandedIn(
        classroom=classroom,
        assignment=assignment,
        kind=environment.get("ASSIGNMENT_TYPE") or "individual",
        owner=owner or "",
        tag=tag,
        commit=commit,
        release=release,
        review=environment.get("REVIEW_URL") or commit,
        time=time_of(tag, environment.get("GITHUB_SHA") or "HEAD"),
    )


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
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=GIT_S)
    except (OSError, subprocess.SubprocessError):
        return None
    return int(done.stdout) if done.returncode == 0 and done.stdout.strip().isdecimal() else None
