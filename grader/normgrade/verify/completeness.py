"""The gaps in an exercise that show before anything is played.

They are missing files, texts that are marked TODO, too few hints or mistakes, checks that no page announces, and bans of nothing.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from importlib.metadata import packages_distributions
from importlib.util import find_spec
from pathlib import Path

from normgrade.course.ban import Ban
from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.course.files import read_text
from normgrade.course.layout import Files, rules_in
from normgrade.course.links import dead_links
from normgrade.course.mistakes import read_mistakes
from normgrade.course.questions import questions_in
from normgrade.course.told import told
from normgrade.course.translations import file_in
from normgrade.inspection.inspection import is_open
from normgrade.language import ENGLISH, _, n_
from normgrade.language.errors import listed
from normgrade.oracle.cache import Cache
from normgrade.oracle.fingerprint import fingerprint
from normgrade.suite.situations import PREFIX
from normgrade.suite.suite import Suite

TODO = re.compile(r"\bTODO\b")  # the mark of texts that `normgrade new` leaves to the author
HEADING = re.compile(r"(#{1,6}) +(.*)")
FENCE = "```"
NEAR = 0.8  # the similarity at which the name of an unknown library counts as a typing mistake
ALL_WELL = b"every pattern matches something"


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
    more = *translated, suite, files.probes
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


# Points, and the sentences that announce checks


def points_in_words(suite: Suite) -> str:
    """Return the sums of the tests and of the situations with their parts: "tests 14 (test_rows 10, test_eps 4)"."""
    tests, situations = Counter[str](), Counter[str]()
    for test in suite.tests:
        (situations if test.name.startswith(PREFIX) else tests)[stem(test.name)] += test.points
    sums = [sum_in_words(word, parts) for word, parts in ((_("tests"), tests), (_("situations"), situations)) if parts]
    return listed(sums) if sums else _("there is no test")


def stem(name: str) -> str:
    """Return the name of a check as pages give it: without its case, and without the beginning of a situation's."""
    return name.partition("[")[0].removeprefix(PREFIX)


def sum_in_words(word: str, parts: Counter[str]) -> str:
    """Return a sum with its parts, but for those without points."""
    each = _(", ").join(f"{name} {points}" for name, points in parts.items() if points)
    return f"{word} {parts.total()} ({each})" if each else f"{word} {parts.total()}"


def announced(page: Path) -> list[str]:
    """Return the names of the checks that a page announces; none if there is no such page."""
    return told(read_text(page)) if page.is_file() else []


def announces(exercise: Exercise) -> bool:
    """Return True if the prompt of an exercise announces any check. A course may do without."""
    return bool(announced(exercise.prompt_in(ENGLISH)))


def unannounced(exercise: Exercise, suite: Suite, languages: Sequence[str]) -> Iterator[str]:
    """Yield a sentence for each check that neither prompt nor rules announce in a language, and for each that does not exist."""
    known = dict.fromkeys(map(stem, suite.names))
    for language in languages:
        prompt = exercise.prompt_in(language)
        there, where = announced(prompt), prompt.relative_to(exercise.course)
        of_rules = announced(rules_in(exercise.course, language))
        for name in known:
            if name not in (*there, *of_rules):
                yield _("{path}: no sentence announces {check}. Write `<!-- {check} -->` after the one that does.", path=where, check=name)
        for name in there:
            if name not in known:
                yield _("{path}: it announces {check}, which is no check of the suite.", path=where, check=name)


# Bans


def matching_nothing(exercise: Exercise, known: Cache) -> tuple[str, ...]:
    """Return the patterns that match nothing, in their order. If there are none, that is cached, as the search imports PyTorch."""
    patterns = (*exercise.banned, *exercise.allowed)
    key = fingerprint("patterns", *patterns)
    if known.get(key) == ALL_WELL:
        return ()
    found = tuple(pattern for pattern in patterns if not matches_something(pattern))
    if not found:
        known.put(key, ALL_WELL)
    return found


def matches_something(pattern: str) -> bool:
    """Return True if anything has such a name.

    A library that is not installed cannot be searched. It counts as existing, unless its name is nearly that of another library.
    """
    head = literal(pattern)[:1]
    if head and find_spec(head[0]) is None:
        return not get_close_matches(head[0], installed(), n=1, cutoff=NEAR)
    return any_match(pattern, names_below(literal(pattern))) or any_match(pattern, names_of_pytorch())


def any_match(pattern: str, names: Iterable[str]) -> bool:
    ban = Ban((pattern,))
    return any(ban.against(name) for name in names)


def literal(pattern: str) -> tuple[str, ...]:
    """Return the parts of a dotted pattern before the first part with a wildcard."""
    parts = pattern.split(".")
    wild = next((number for number, part in enumerate(parts) if re.search(r"[*?[]", part)), len(parts))
    return tuple(parts[:wild])


def names_below(parts: tuple[str, ...]) -> Iterator[str]:
    """Yield the dotted name itself, if it exists, and those of all its attributes."""
    if not parts:
        return
    name, thing = parts[0], import_module(parts[0])
    for part in parts[1:]:
        name = f"{name}.{part}"
        if not hasattr(thing, part) and not is_module(name):
            return
        thing = getattr(thing, part) if hasattr(thing, part) else import_module(name)
    yield name
    yield from (f"{name}.{each}" for each in dir(thing))


def is_module(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ImportError:  # it would be part of something that is no package
        return False


@cache
def names_of_pytorch() -> tuple[str, ...]:
    """Return the names of every operation, and of everything in the modules of PyTorch."""
    from normgrade.worker.untrusted.by_hand import KERNELS, names_of  # loads PyTorch

    operations = [name for operation in KERNELS for name in names_of(operation)]
    modules = [(name, module) for name, module in sys.modules.items() if name.partition(".")[0] == "torch"]
    return (*operations, *(f"{name}.{each}" for name, module in modules for each in vars(module)))


@cache
def installed() -> tuple[str, ...]:
    """Return the names of the libraries that can be imported."""
    return (*packages_distributions(), *sys.stdlib_module_names)
