"""Feedback for each student of a class: a page with the reports, as far as the course reveals them; and folders of pages."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from types import MappingProxyType

from normgrade.classes.gradebook import Gradebook
from normgrade.classes.hand_ins import Mark
from normgrade.classes.layouts import IN_MOODLE
from normgrade.course.files import own_folder, put_in_place, read_start
from normgrade.course.settings import Reveal
from normgrade.language import _
from normgrade.language.errors import UsageError
from normgrade.report.render.html import render_html
from normgrade.report.render.outline import Head
from normgrade.report.render.plain import render_markdown
from normgrade.report.report import Report, reveal

Render = Callable[[Sequence[Report], Head], str]
Levels = Mapping[str, Reveal]  # how much of a report the course reveals, by exercise
RENDERERS: Mapping[str, tuple[str, Render]] = MappingProxyType({"html": (".html", render_html), "md": (".md", render_markdown)})
FILE_IN_MOODLE = "feedback"  # the name of the file in a folder for Moodle


def told(marks: Sequence[Mark], levels: Levels | None) -> tuple[list[Report], list[str]]:
    """Return the reports of marks, cut to the levels of the course or whole if they are None, and a sentence for each mark set by hand."""
    graded = [mark for mark in marks if mark.result is not None]
    reports = [reveal(under_its_name(mark), "full" if levels is None else levels[mark.exercise]) for mark in graded]
    return reports, [*filter(None, map(override_in_words, marks))]


def under_its_name(mark: Mark) -> Report:
    """Return the report of a mark under the name of the file, without the folders of the teacher."""
    assert mark.result is not None
    report = mark.result.as_report
    return replace(report, submission=PurePosixPath(report.submission).name, course="")


def override_in_words(mark: Mark) -> str:
    """Return a sentence about a mark that a person set; "" if none did."""
    set_by = mark.override
    if set_by is None or set_by.points is None:
        return ""
    graded = _("none") if mark.result is None else f"{mark.result.earned:g}"
    return _(
        "{slug}: {points:g} points count, not {graded}. {who} set them on {day}: {why}",
        slug=mark.exercise,
        points=set_by.points,
        graded=graded,
        who=set_by.who,
        day=f"{set_by.at:%Y-%m-%d}",
        why=set_by.why,
    )


def feedback_pages(gradebook: Gradebook, levels: Levels | None, format: str) -> Iterator[Page]:
    """Yield the pages of all students with a mark.

    Marks of hand-ins that came from Moodle are in a folder for each of its assignments, as its upload of feedback files expects it.
    """
    suffix, render = RENDERERS[format]
    names, owners = page_names(gradebook.students()), dict[PurePosixPath, str]()

    def path_of(mark: Mark) -> PurePosixPath:
        folder = "" if mark.result is None else moodle_folder(mark.result.folder)
        return PurePosixPath(folder, FILE_IN_MOODLE + suffix) if folder else PurePosixPath(names[mark.student] + suffix)

    for mark in gradebook.marks().values():
        if (owner := owners.setdefault(path_of(mark), mark.student)) != mark.student:
            two = {"one": owner, "other": mark.student, "path": path_of(mark)}
            raise UsageError(_('The pages of {one} and {other} would both be "{path}". Grade them with another --layout.', **two))
    for student in names:
        by_path: dict[PurePosixPath, list[Mark]] = {}
        for mark in gradebook.marks(student).values():
            by_path.setdefault(path_of(mark), []).append(mark)
        for path, marks in by_path.items():
            reports, sentences = told(marks, levels)
            yield Page(path, render(reports, Head(student, tuple(sentences))))


# A folder of pages: files that are not normgrade's own are never replaced, and links in it are not followed


OURS = re.compile(rb'<!-- normgrade -->|<!DOCTYPE html>\s*<html [^>]*>\s*<head>\s*<meta name="generator" content="normgrade">|\Z')
START_BYTES = 256


@dataclass(frozen=True, slots=True)
class Page:
    """A file to write: its path below the folder, and its text."""

    path: PurePosixPath
    text: str


def write_pages(folder: Path, pages: Iterable[Page]) -> int:
    """Write pages as they come, which only their owner may read, and return their number. Raise a UsageError if one cannot be written."""
    written = 0
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for page in pages:
            write_page(folder, page)
            written += 1
    except OSError as error:
        said = _('The pages cannot be written to "{path}" ({error}). Choose another folder.', path=folder, error=error.strerror)
        raise UsageError(said) from error
    return written


def write_page(folder: Path, page: Page) -> None:
    """Write a page, and make the folders below `folder` that it needs. Raise OSError if a file that is not ours is in its place."""
    target = folder
    for part in page.path.parts[:-1]:
        target = own_folder(target / part)
    target /= page.path.name
    if os.path.lexists(target) and not OURS.match(read_start(target, START_BYTES)[1]):
        raise FileExistsError(errno.EEXIST, _('"{path}" is there already, and normgrade did not write it', path=target))
    put_in_place(target, page.text.encode(), 0o600)


# Names: safe on every system, and never shared by two students


MOST_BYTES = 90  # of a name without its suffix
KEPT = " -_.,()'"  # besides letters, marks and digits
RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d|index)(?:\..*)?", re.IGNORECASE)  # names that Windows or a server uses itself


def page_names(students: Iterable[str]) -> Mapping[str, str]:
    """Return the name of each student's file, without a suffix: the student's name if it is safe, else one like it with a hash."""
    names = [*students]
    alike = Counter(map(key_of, names))
    return {name: own_name(name, alike[key_of(name)] > 1) for name in names}


def key_of(name: str) -> str:
    """Return what is the same for names that some file system holds for the same."""
    return unicodedata.normalize("NFKC", safe(name)).casefold()


def own_name(name: str, is_shared: bool) -> str:
    """Return a safe name for a student. It has a hash if it is not the student's name, or like that of somebody else."""
    made = safe(name)
    if made == name and not is_shared and not RESERVED.fullmatch(made):
        return made
    mark = hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest()[:10]
    return f"{shortened(made, MOST_BYTES - 1 - len(mark)).rstrip(' -_')}-{mark}"


def safe(name: str) -> str:
    """Return a name of letters, digits and a few signs, of at most MOST_BYTES, that neither begins nor ends with a sign of its own."""
    written = unicodedata.normalize("NFC", name)
    return shortened("".join(sign if sign in KEPT or unicodedata.category(sign)[0] in "LMN" else "-" for sign in written), MOST_BYTES)


def shortened(name: str, most_bytes: int) -> str:
    kept = name.encode()[:most_bytes].decode(errors="ignore")
    return kept.lstrip(" .-_").rstrip(" .") or "student"


def moodle_folder(folder: str) -> str:
    """Return the folder that Moodle expects feedback in, for the folder of a hand-in from there; "" for none.

    >>> moodle_folder("Anna_Li_7_assignsubmission_file_")
    'Anna Li_7_assignsubmission_file_'
    """
    student, _line, number = folder.removesuffix(IN_MOODLE).rpartition("_")
    return f"{safe(student.replace('_', ' '))}_{number}{IN_MOODLE}" if folder else ""
