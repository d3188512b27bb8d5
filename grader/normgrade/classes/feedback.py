"""Feedback for each student of a class: a page with the reports, as far as the course reveals them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from types import MappingProxyType

from normgrade.classes.gradebook import Gradebook, Mark
from normgrade.classes.page_files import Page, moodle_folder, page_names
from normgrade.course.settings import Reveal
from normgrade.language import _
from normgrade.language.errors import UsageError
from normgrade.report.render.html import Head, render_html
from normgrade.report.render.markdown import render_markdown
from normgrade.report.report import Report
from normgrade.report.reveal import reveal

Render = Callable[[Sequence[Report], Head], str]
Levels = Mapping[str, Reveal]  # how much of a report the course reveals, by exercise
RENDERERS: Mapping[str, tuple[str, Render]] = MappingProxyType({"html": (".html", render_html), "md": (".md", render_markdown)})
IN_MOODLE = "feedback"  # the name of the file in a folder for Moodle


@dataclass(frozen=True, slots=True)
class Told:
    """The reports of a student, and a sentence for each mark that a person set."""

    student: str
    reports: tuple[Report, ...]
    sentences: tuple[str, ...]


def told(student: str, marks: Sequence[Mark], levels: Levels | None) -> Told:
    """Return everything that marks tell a student, cut to the levels of the course; None cuts nothing."""
    graded = [mark for mark in marks if mark.result is not None]
    reports = [reveal(under_its_name(mark), "full" if levels is None else levels[mark.exercise]) for mark in graded]
    return Told(student, tuple(reports), tuple(sentence for mark in marks if (sentence := override_in_words(mark))))


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
        return PurePosixPath(folder, IN_MOODLE + suffix) if folder else PurePosixPath(names[mark.student] + suffix)

    for mark in gradebook.marks().values():
        if (owner := owners.setdefault(path_of(mark), mark.student)) != mark.student:
            two = {"one": owner, "other": mark.student, "path": path_of(mark)}
            raise UsageError(_('The pages of {one} and {other} would both be "{path}". Grade them with another --layout.', **two))
    for student in names:
        by_path: dict[PurePosixPath, list[Mark]] = {}
        for mark in gradebook.marks(student).values():
            by_path.setdefault(path_of(mark), []).append(mark)
        for path, marks in by_path.items():
            said = told(student, marks, levels)
            yield Page(path, render(said.reports, Head(student, said.sentences)))
