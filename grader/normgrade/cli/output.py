"""The files that reports go to: the one that --output names, and those that a runner of GitHub Actions names in the environment.

A file that --output names is overwritten only if normgrade wrote it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from normgrade import __version__
from normgrade.course.files import leads_to_device, read_start, refuse_link, write_or_put
from normgrade.language import _
from normgrade.language.errors import UsageError
from normgrade.language.visible import visible_name
from normgrade.learner.workspace import MARK, Workspace
from normgrade.report.render import refuse_without_facts, renderer
from normgrade.report.render.workflow_commands import add_to_summary
from normgrade.report.report import Outcome, Report

SUFFIXES: Mapping[str, str] = {".txt": "terminal", ".json": "json", ".xml": "junit", ".html": "html"}  # each with its usual format
SUFFIX_OF: Mapping[str, str] = {
    **{format: suffix for suffix, format in SUFFIXES.items()},
    **{"gradescope": ".json", "github": ".txt", "classroom50": ".json", "prairielearn": ".json"},
}
TITLE = f"normgrade {__version__}\n\n"  # above a report for people, so that it is recognised
TITLED = ("terminal", "github")
STARTS = re.compile(  # the first bytes of reports of normgrade, in all versions that have such a sign
    rb"""normgrade\ \d+\.\S+\n\n
    |\{\s*"version":\ \d+,\s*"normgrade":\ "
    |\{\s*"extra_data":\ \{\s*"normgrade":\ "
    |\{\s*"normgrade":\ "
    |\{\s*"schema":\ "classroom50/result/v1"
    |<\?xml\ [^>]*>\s*<testsuites\ name="normgrade"
    |<!DOCTYPE\ html>\s*<html\ [^>]*>\s*<head>\s*<meta\ name="generator"\ content="normgrade">
    |\Z""",  # an empty file, as mktemp makes one
    re.VERBOSE,
)
START_BYTES = 256
WhyNot = Callable[[Path], str]
OUTPUT = "GITHUB_OUTPUT"  # the variable that names the file of a runner for outputs


def format_of(format: str | None, output: Path | None) -> str:
    """Return the format that --format names, or the suffix of the file. Raise a UsageError if they contradict each other."""
    meant = SUFFIXES.get(output.suffix.lower()) if output is not None else None
    if format is None:
        return meant or "terminal"
    renderer(format)
    refuse_without_facts(format)
    suffix = SUFFIX_OF[format]
    if meant in (None, SUFFIXES[suffix]):
        return format
    raise UsageError(
        _(
            '--format is {format}, but the file name "{path}" means {meant}. Omit --format, or use a file name that ends in {suffix}.',
            format=format,
            path=output,
            meant=meant,
            suffix=suffix,
        )
    )


def refuse_unless_writable(path: Path, why_not: WhyNot | None = None) -> None:
    """Raise a UsageError if nothing can be written to that path, or nothing should be.

    `why_not` returns why an existing file must be kept, or "" if it may be replaced. By default only a report may be, and the path may
    lead to a device.
    """
    if path.is_dir():
        raise unwritable(path, _("it is a folder"))
    if not path.parent.is_dir():
        raise unwritable(path, _('the folder "{folder}" does not exist', folder=path.parent))
    if why_not is None and leads_to_device(path):
        return
    refuse_links(path, Workspace.find(path.parent))
    try:
        refuse_link(path)
        if why := why_kept(path, why_not or no_report):
            raise unwritable(path, why)
    except OSError as error:
        raise unwritable(path, error.strerror) from error


def why_kept(path: Path, why_not: WhyNot) -> str:
    """Return why a file must not be written; "" if it may be. The file need not exist."""
    if path.name == MARK or ".normgrade" in Path(os.path.realpath(path.parent)).parts:
        return _("normgrade uses this file itself")
    if why_not is no_report and path.suffix.lower() == ".py":
        return _("a file that ends in .py holds code")
    return why_not(path) if os.path.lexists(path) else ""


def no_report(path: Path) -> str:
    """Return why a file must not be replaced by a report; "" if it is a report or empty."""
    return "" if STARTS.match(read_start(path, START_BYTES)[1]) else _("the existing file is not a report of normgrade")


def refuse_links(path: Path, workspace: Workspace | None) -> None:
    """Raise a UsageError if one of the folders on the path to a file is a link in the workspace."""
    if workspace is not None and (link := workspace.link_on_the_way(path)) is not None:
        raise UsageError(
            _(
                'The folder "{folder}" is a link to "{target}", and links in a workspace are not followed. Use the real path of the file.',
                folder=link,
                target=os.readlink(link),
            )
        )


def write_report(output: Path, format: str, text: str) -> None:
    """Write a report, as a new file with the usual mode, or to a device. Raise a UsageError if that is not possible."""
    titled = format in TITLED and not leads_to_device(output)
    write_output(output, ((TITLE if titled else "") + text).encode())


def write_output(path: Path, content: bytes, why_not: WhyNot | None = None) -> None:
    """Write a file if `refuse_unless_writable` raises nothing. Raise a UsageError if that is not possible."""
    refuse_unless_writable(path, why_not)  # again: another program may have written there during a long work
    try:
        write_or_put(path, content, 0o666)
    except OSError as error:
        raise unwritable(path, error.strerror) from error


def unwritable(path: Path, why: str | None) -> UsageError:
    """Return the error for a path that nothing can be written to."""
    return UsageError(
        _('Nothing can be written to "{path}" ({why}). Use --output PATH to choose another place.', path=visible_name(path), why=why)
    )


# The files of a runner


def tell_runner(format: str, reports: Sequence[Report]) -> None:
    """Append all that belongs to a format to the files of the runner, if it names any: the summary of a step, or its outputs."""
    if format == "github":
        from normgrade.report.render.github import step_summary  # loads NumPy

        add_to_summary(step_summary(reports))
    elif format == "classroom50":
        tell_outputs(reports)


def tell_outputs(reports: Sequence[Report]) -> None:
    """Append the state of a commit and a line about it to the outputs."""
    if not (path := os.environ.get(OUTPUT)):
        return
    try:
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(outputs(reports))
    except OSError as error:
        raise UsageError(
            _(
                'The file "{path}" in {variable} cannot be written ({error}). Unset {variable} to do without it.',
                path=path,
                variable=OUTPUT,
                error=error.strerror,
            )
        ) from error


def outputs(reports: Sequence[Report]) -> str:
    """Return the state of a commit and a line about it."""
    passed = sum(report.outcome is Outcome.PASSED for report in reports)
    earned, possible = sum(report.earned for report in reports), sum(report.possible for report in reports)
    said = _(
        "{earned} of {possible} points, {passed} of {total} passed", earned=earned, possible=possible, passed=passed, total=len(reports)
    )
    return f"status={'success' if passed == len(reports) else 'failure'}\nsummary={said}\n"
