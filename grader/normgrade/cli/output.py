"""The file that --output names: its format, and if a report may be written there. A file is overwritten only if it is a report."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Mapping
from pathlib import Path

from normgrade import __version__
from normgrade.course.files import leads_to_device, put_in_place, read_start, refuse_link, write_directly
from normgrade.language import _
from normgrade.language.errors import UsageError
from normgrade.learner.workspace import MARK, Workspace
from normgrade.report.render import refuse_without_facts, renderer

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


def refuse_unless_writable(output: Path) -> None:
    """Raise a UsageError if no report can be written to that path, or none should be."""
    if output.is_dir():
        raise UsageError(_('The report cannot be written to "{path}": it is a folder. Use --output FILE to choose a file.', path=output))
    if not output.parent.is_dir():
        raise UsageError(
            _(
                'The report cannot be written to "{path}": the folder "{folder}" does not exist. '
                "Create it, or use --output FILE to choose another file.",
                path=output,
                folder=output.parent,
            )
        )
    if leads_to_device(output):
        return
    refuse_links(output, Workspace.find(output.parent))
    try:
        refuse_link(output)
        if why := not_for_reports(output):
            raise OSError(errno.EEXIST, why)
    except OSError as error:
        raise unwritable(output, error) from error


def not_for_reports(output: Path) -> str:
    """Return why a file must not be replaced by a report; "" if it may be. A file that exists must be a report or empty."""
    if output.suffix.lower() == ".py":
        return _("a file that ends in .py holds code")
    if is_own(output):
        return _("normgrade uses this file itself")
    if os.path.lexists(output) and not STARTS.match(read_start(output, START_BYTES)[1]):
        return _("the existing file is not a report of normgrade")
    return ""


def is_own(output: Path) -> bool:
    """Return True if a path belongs to normgrade itself: a workspace's settings, or a file in `.normgrade`. The file need not exist."""
    return output.name == MARK or ".normgrade" in Path(os.path.realpath(output.parent)).parts


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
    title = TITLE if format in TITLED else ""
    refuse_unless_writable(output)  # again: another program may have written there during grading
    try:
        if leads_to_device(output):
            write_directly(output, text.encode())
        else:
            put_in_place(output, (title + text).encode(), 0o666)
    except OSError as error:
        raise unwritable(output, error) from error


def unwritable(output: Path, error: OSError) -> UsageError:
    """Return the error for a path that no report can be written to."""
    return UsageError(
        _(
            'The report cannot be written to "{path}" ({error}). Use --output FILE to choose another file.',
            path=output,
            error=error.strerror,
        )
    )
