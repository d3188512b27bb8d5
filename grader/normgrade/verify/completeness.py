"""The gaps in an exercise, in the order in which its author fills them: files, texts that are marked TODO, hints, mistakes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.course.files import read_text
from normgrade.course.layout import Files
from normgrade.course.links import dead_links
from normgrade.course.mistakes import read_mistakes
from normgrade.course.questions import questions_in
from normgrade.course.translations import file_in
from normgrade.inspection.inspection import is_open
from normgrade.language import _, n_

TODO = re.compile(r"\bTODO\b")  # the mark of texts that `normgrade new` leaves to the author
HEADING = re.compile(r"(#{1,6}) +(.*)")
FENCE = "```"


def lacking(exercise: Exercise) -> Iterator[str]:
    """Yield a sentence for everything that an exercise lacks. Its files have to be readable."""
    yield from missing_files(exercise)
    yield from unwritten(exercise)
    yield from too_few(exercise)


def missing_files(files: Files) -> Iterator[str]:
    """Yield a sentence for each missing file that every exercise needs, and for each missing prompt in a language of the course."""
    for path in dict.fromkeys((*files.needed, *prompts(files))):
        if not path.is_file():
            yield _("{path} is missing.", path=path.relative_to(files.course))


def unwritten(files: Files) -> Iterator[str]:
    """Yield a sentence for each file with TODO, empty section of a prompt, and dead link, and for a reference that only raises."""
    for path in texts(files):
        where, text = path.relative_to(files.course), read_text(path)
        if lines := [number for number, line in enumerate(text.splitlines(), 1) if TODO.search(line)]:
            said = n_("{path}: {n} line contains TODO: line {line}.", "{path}: {n} lines contain TODO, first on line {line}.", len(lines),
                      path=where, line=lines[0])  # fmt: skip
            yield said
        if path.suffix == ".md":
            for heading in empty_sections(text):
                yield _('{path}: the section "{heading}" is empty.', path=where, heading=heading)
            for link in dead_links(path, text):
                yield _('{path}: the link to "{link}" does not lead to a file.', path=where, link=link)
        if path == files.reference and is_unwritten(path):
            yield _("{path} still raises NotImplementedError. Write it first: the proofs need it.", path=where)


def too_few(exercise: Exercise) -> Iterator[str]:
    """Yield a sentence for everything of which there is less than the course asks for."""
    minimum = Course(exercise.course).settings.minimum
    mistakes = minimum.mistakes if exercise.level > 1 else minimum.mistakes_of_level_1
    counted = [
        (exercise.description, _("hints"), len(exercise.hints), minimum.hints),
        *(
            (path, _("interview questions"), len(questions_in(read_text(path), exercise.slug)), minimum.questions)
            for path in prompts(exercise)
            if path.is_file()
        ),
        (exercise.alternatives_folder, _("alternatives"), len(exercise.alternatives), minimum.alternatives),
        (exercise.mistakes, _("mistakes"), len(read_mistakes(exercise)), mistakes),
    ]
    for path, what, number, least in counted:
        if number < least:
            counts = {"number": number, "least": least}
            where = path.relative_to(exercise.course)
            yield _("{path}: expected at least {least} {what}, found {number}.", path=where, what=what, **counts)


def prompts(files: Files) -> list[Path]:
    """Return the prompt in each language of the course."""
    return [files.prompt_in(language) for language in Course(files.course).settings.languages]


def texts(files: Files) -> list[Path]:
    """Return the existing files of an exercise, in the order in which an author writes them."""
    languages = Course(files.course).settings.languages
    translated = [file_in(folder, language) for folder in (files.folder, files.solutions) for language in languages]
    description, prompt, stub, reference, mistakes, suite = files.needed
    more = *translated, files.wrong, files.equivalent, suite, files.probes
    written = description, prompt, *prompts(files), stub, reference, *files.alternatives, mistakes, *more
    return [path for path in dict.fromkeys(written) if path is not None and path.is_file()]


def is_unwritten(path: Path) -> bool:
    """Return True if a file is Python and raises NotImplementedError, as a stub does."""
    try:
        return path.is_file() and is_open(ast.parse(read_text(path)))
    except SyntaxError:
        return False


def empty_sections(markdown: str) -> Iterator[str]:
    """Yield the headings that no text follows before the next one of their level or above."""
    above: list[tuple[int, str]] = []  # headings without a text so far
    in_code = False
    for line in markdown.splitlines():
        in_code ^= line.startswith(FENCE)
        if not in_code and (heading := HEADING.fullmatch(line)):
            level = len(heading[1])
            yield from (title for other, title in above if other >= level)
            above = [each for each in above if each[0] < level] + [(level, heading[2])]
        elif line.strip():
            above = []
    yield from (title for _level, title in above)
