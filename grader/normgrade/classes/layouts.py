"""The path of a hand-in: the student whom it tells in each layout of a system or a course, the exercise, and the attempt."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cached_property, partial
from pathlib import Path
from string import ascii_lowercase, ascii_uppercase
from types import MappingProxyType

from normgrade.classes.hand_ins import HandIn
from normgrade.inspection.source import decoded, parse
from normgrade.language import _
from normgrade.language.errors import UsageError, did_you_mean, either, listed

# The exercise of a file, as its name, the folders around it, or the names that it defines tell it


Contracts = Mapping[str, Collection[str]]

SEPARATED = str.maketrans(ascii_uppercase + " -", ascii_lowercase + "__")  # keeps the length, so that places stay the same
COPY = re.compile(r" ?\(\d{1,4}\)\Z")  # of a browser, which tells nothing of the order
RESUBMISSION = re.compile(r"(?P<stem>.+?)-(?P<number>\d{1,4})", re.DOTALL)  # of Canvas
SUFFIX = re.compile(r"\.(?:py|ipynb|zip)$", re.IGNORECASE)


class Rank(IntEnum):
    """How surely the exercise of a file is known; the best comes first."""

    NAME = 0
    FOLDER = 1
    PART = 2
    DEFINED = 3
    ANY = 4


@dataclass(frozen=True)
class Names:
    """The exercises that names may tell: those of the course, or only one, to which every file belongs.

    contracts: a function that returns the names that a file for each exercise defines, by slug.
    """

    slugs: Collection[str]
    exercise: str | None = None
    contracts: Callable[[], Contracts] = dict

    @cached_property
    def by_key(self) -> dict[str, str]:
        """The slugs by their keys, of which each slug has two: "layer_norm" and "layernorm"."""
        wanted = sorted(self.slugs) if self.exercise is None else [self.exercise]
        return {slug.replace("_", ""): slug for slug in wanted} | {slug: slug for slug in wanted}

    @cached_property
    def by_contract(self) -> Mapping[frozenset[str], str]:
        """The slugs by the names of their contract. A contract that several exercises share tells none of them."""
        found = {slug: frozenset(names) for slug, names in self.contracts().items()}
        times = Counter(found.values())
        return {names: slug for slug, names in found.items() if times[names] == 1}

    def told(self, hand_in: HandIn) -> list[HandIn]:
        """Return the hand-in with the exercise that its path below the student tells, or else with each whose names the file defines."""
        *folders, name = hand_in.file.split("/")
        whole = without_suffix(name)
        stem, attempt = (whole, 1) if self.exactly(whole) else attempt_in(whole)
        attempt = max([attempt, *(attempt_in(without_suffix(folder))[1] for folder in folders if SUFFIX.search(folder))])
        rank, slugs = self.exercises(stem, folders, hand_in.content)
        return [replace(hand_in, exercise=slug, rank=rank, attempt=attempt) for slug in slugs]

    def exercises(self, stem: str, folders: Sequence[str], content: bytes) -> tuple[Rank, list[str]]:
        """Return the exercises of a file, and how surely they are known."""
        if slug := self.exactly(stem):
            return Rank.NAME, [slug]
        if slug := next(filter(None, map(self.slug, map(without_suffix, reversed(folders)))), None):
            return Rank.FOLDER, [slug]
        if part := self.part(stem):
            return Rank.PART, [part[0]]
        return (Rank.ANY, [self.exercise]) if self.exercise is not None else (Rank.DEFINED, self.defined_in(content))

    def defined_in(self, content: bytes) -> list[str]:
        """Return the exercises whose whole contract a source defines. Functions beside the class of an exercise only help it."""
        defined = names_defined(content)
        fitting = [names for names in self.by_contract if names <= defined] if defined else []
        with_class = [names for names in fitting if any(name[0].isupper() for name in names)]
        return [self.by_contract[names] for names in with_class or fitting]

    def slug(self, stem: str) -> str | None:
        """Return the slug that a name without its suffix is, whatever its case, its separators and its attempt."""
        return self.exactly(stem) or self.exactly(attempt_in(stem)[0])

    def exactly(self, stem: str) -> str | None:
        key = stem.translate(SEPARATED)
        return self.by_key.get(key) or self.by_key.get(key.replace("_", ""))

    def part(self, stem: str) -> tuple[str, str] | None:
        """Return the longest slug with which a name begins or ends, at a separator, and the other part of the name."""
        return max(self.parts(stem), key=lambda part: len(part[0]), default=None)

    def parts(self, stem: str) -> Iterator[tuple[str, str]]:
        for place in (place for place, sign in enumerate(stem.translate(SEPARATED)) if sign == "_"):
            before, after = stem[:place], stem[place + 1 :]
            if before and (slug := self.exactly(after)):
                yield slug, before
            if after and (slug := self.exactly(before)):
                yield slug, after


def without_suffix(name: str) -> str:
    """Return the name of a Python file, a notebook or an archive without its suffix."""
    return SUFFIX.sub("", name)


def attempt_in(stem: str) -> tuple[str, int]:
    """Return a name without the number of its attempt, and the number, from 1 on."""
    stem = without_copy(stem)
    match = RESUBMISSION.fullmatch(stem)
    return (stem, 1) if match is None else (match["stem"], int(match["number"]) + 1)


def without_copy(stem: str) -> str:
    """Return a name without the number that a browser gives a copy.

    >>> without_copy("layer_norm (1)")
    'layer_norm'
    """
    return COPY.sub("", stem) or stem


def names_defined(content: bytes) -> set[str]:
    """Return the classes and functions that a source defines, without running it; none if Python cannot parse it."""
    source = decoded(Path(), content)
    tree = parse(source) if isinstance(source, str) else source
    kinds = (ast.ClassDef, ast.FunctionDef)
    return {node.name for node in tree.body if isinstance(node, kinds)} if isinstance(tree, ast.Module) else set()


# The student: the systems of teaching, and the patterns in which they write who handed in a file


MOODLE, CANVAS, GRADESCOPE, FLAT, FOLDERS = "moodle", "canvas", "gradescope", "flat", "folders"
IN_MOODLE = "_assignsubmission_file_"  # the end of the name of a student's folder
SYSTEMS: Mapping[str, re.Pattern[str]] = MappingProxyType(
    {
        MOODLE: re.compile(r"(?:^|/)(?P<student>[^/]+?)_(?P<id>\d+)_assignsubmission_file(?:_/?|/)(?P<file>.+)", re.DOTALL),
        CANVAS: re.compile(
            r"(?:^|/)(?:(?P<late>LATE_)?(?P<anonymous>anon_[^/_]+)|(?P<student>[^/]+?)(?P<was_late>_LATE)?_(?P<id>\d+))"
            r"_(?P<upload>\d+)_(?P<file>.+)",
            re.DOTALL,
        ),
        GRADESCOPE: re.compile(r"(?:^|/)(?P<student>submission_\d+)/(?P<file>.+)", re.DOTALL),
        "nbgrader": re.compile(r"(?:^|/)submitted/(?P<student>[^/]+)/(?P<file>[^/]+/.+)", re.DOTALL),
        "classroom": re.compile(r"(?:^|/)(?P<homework>[^/]+)-submissions/(?P=homework)-(?P<student>[^/]+)/(?P<file>.+)", re.DOTALL),
    }
)
BY_FOLDERS = frozenset({FLAT, FOLDERS})  # the layouts of no system, in which any name may be a student's
LAYOUTS = (*SYSTEMS, FLAT, FOLDERS)  # the more special ones come first: they win if another places as many files
ONE_ARCHIVE = re.compile(r"(?P<student>[^/]+)\.zip(?:/(?P<file>.*))?", re.IGNORECASE | re.DOTALL)
ARCHIVE = ".zip"

Parts = Mapping[str, str]  # of a path: `student`, `file`, `above` the student, and if the layout has them `id`, `upload` and `late`
Reading = Callable[[str], Parts | None]  # from a path to its parts, if the layout fits


def best_layout(paths: Sequence[str], names: Names) -> str:
    """Return the name of the layout that places the most files, and the more special one of equals."""
    placed: dict[str, int] = {}
    for name in LAYOUTS:
        placed[name] = sum(parts is not None for parts in map(reading(name, paths, names), paths))
        if placed[name] == len(paths):  # no other places more
            break
    return max(placed, key=placed.__getitem__)


def placing(layout: str, paths: Sequence[str], names: Names, number: int) -> Callable[[str], HandIn | None]:
    """Return a function from a path to a hand-in of the student whom it tells, without an exercise; None if it tells none.

    Raise a UsageError if the layout is neither a name nor a pattern. All paths lie below the one that was passed with this number.
    """
    read = reading(layout, paths, names)

    def place(path: str) -> HandIn | None:
        parts = read(path)
        if parts is None:
            return None
        student, id = parts["student"] or parts["anonymous"], parts.get("id", "")
        return HandIn(
            student,
            "",
            path,
            b"",
            id,
            late=any(parts.get(each) for each in ("late", "was_late")),
            folder=f"{student}_{id}{IN_MOODLE}" if layout == MOODLE else "",
            among="" if layout == CANVAS else f"{number} {parts['above']}",
            file=parts["file"],
            tree=number,
            upload=int(parts.get("upload", "0")),
        )

    return place


def reading(layout: str, paths: Sequence[str], names: Names) -> Reading:
    """Return the way to read each of these paths, which are all files of a tree."""
    if layout == FLAT:
        return partial(flat, names)
    if layout == FOLDERS:
        return partial(searched, folders(paths, names))
    return partial(searched, SYSTEMS[layout]) if layout in SYSTEMS else own_layout(layout)


def searched(pattern: re.Pattern[str], path: str) -> Parts | None:
    """Return the parts of a path that a pattern finds in it."""
    match = pattern.search(path)
    return None if match is None else {"above": path[: match.start("student")], **match.groupdict("")}


def flat(names: Names, path: str) -> Parts | None:
    """Return the parts of a file without folders, as "alice_layer_norm.py", or of one in a student's archive."""
    name = path.partition("/")[2] or path
    if match := ONE_ARCHIVE.fullmatch(name):
        return {"above": "", **match.groupdict("")}
    stem = without_suffix(name)
    if "/" in name or names.slug(stem):
        return None
    if part := names.part(attempt_in(stem)[0]) or names.part(stem):
        return {"above": "", "student": part[1], "file": name}
    return {"above": "", "student": without_copy(stem), "file": name} if names.exercise and stem != name else None


def folders(paths: Sequence[str], names: Names) -> re.Pattern[str]:
    """Return the pattern of a folder that has one folder, or one archive, for each student."""
    parts = [path.split("/") for path in paths]
    level = 0 if of_one_student(parts, names) else level_of_students(parts, names)
    return re.compile(rf"^(?:[^/]+/){{{level}}}(?P<student>[^/]+?)(?i:\.zip)?/(?P<file>.+)", re.DOTALL)


def of_one_student(paths: Sequence[Sequence[str]], names: Names) -> bool:
    """Return True if a tree is the folder of one student: every file named for an exercise lies in it, or in a folder named for one."""
    own = [names.slug(without_suffix(path[1] if len(path) > 2 else path[-1])) is not None for path in paths]
    named = [names.slug(without_suffix(path[-1])) is not None for path in paths]
    return any(own) and all(is_own or not is_named for is_own, is_named in zip(own, named, strict=True))


def level_of_students(paths: Sequence[Sequence[str]], names: Names) -> int:
    """Return the number of folders above those of the students. One folder that is everything in an archive only wraps the others."""
    level = 1
    while is_wrapper(paths, level, names):
        level += 1
    return level


def is_wrapper(paths: Sequence[Sequence[str]], level: int, names: Names) -> bool:
    """Return True if everything lies in one folder here, in an archive, and several folders lie in that one or in the only one in it."""
    here = {path[level] for path in paths if len(path) > level}
    below = {path[level + 1] for path in paths if len(path) > level + 2}
    if len(here) != 1 or not any(map(is_archive, paths[0][: level + 1])):
        return False
    return sum(not names.slug(folder) for folder in below) > 1 or (all(map(is_archive, here)) and is_wrapper(paths, level + 1, names))


def is_archive(name: str) -> bool:
    return name.lower().endswith(ARCHIVE)


# Patterns of a course's own, such as "{student}/*/{exercise}.py"

GOOD = "hw3/{student}/**/{file}"
FIELDS = ("student", "exercise", "id", "file")
ANY_FOLDERS, NAME = "**", "*"  # any number of folders; any name, or a part of one
WILD = re.compile(r"\{([^{}]*)\}|\*+")


def own_layout(text: str) -> Reading:
    """Return the way to read paths by a pattern, which begins at a name: first at those below the folder that was passed."""
    if not set(text) & set("{}/*"):
        known, example = either(LAYOUTS), "{student}/*/{exercise}.py"
        said = _('There is no layout "{name}": choose {known}, or a pattern such as "{example}".', name=text, known=known, example=example)
        raise UsageError(said + did_you_mean(text, LAYOUTS))
    pattern = pattern_of(text)

    def parts(path: str) -> Parts | None:
        starts = [0, *(place.end() for place in re.finditer("/", path))]
        for start in (*starts[1:2], 0, *starts[2:]):
            if match := pattern.fullmatch(path, start):
                below = path[match.end("student") :].lstrip("/")
                told = match.groupdict("")
                return {**told, "file": told.get("exercise") or below or match[0], "above": path[:start]}
        return None

    return parts


def pattern_of(text: str) -> re.Pattern[str]:
    """Return the pattern that a text describes. Raise a UsageError if it names no student, or a field twice or unknown."""
    fields = [field for field in WILD.findall(text) if field] + ["" for _each in re.findall(r"\{\}", text)]
    if unknown := [field for field in fields if field not in FIELDS]:
        known = listed(f"{{{each}}}" for each in FIELDS)
        raise refused(text, _("{field} is none of {known}", field=f"{{{unknown[0]}}}", known=known))
    if fields.count("student") != 1 or len(set(fields)) < len(fields):
        raise refused(text, _("it needs {field} once, and every other field at most once", field="{student}"))
    return re.compile(expression_of([*filter(None, text.split("/"))]))


def expression_of(parts: list[str]) -> str:
    """Return the expression for the parts of a path.

    The first folders that fit are taken, and the search never goes back over them: a stranger's path could have it do so for long.
    """
    *folders, last = [*parts, NAME] if parts[-1] == ANY_FOLDERS else parts
    runs = [""]  # folders one below the other, between any number of others
    for part in folders:
        if part == ANY_FOLDERS:
            runs.append("")
        else:
            runs[-1] += f"(?>{of_name(part)}/)"
    first, *others = runs
    if not others:
        return first + of_name(last)
    between = "(?:[^/]+/)*?"
    middle = "".join(f"(?>{between}{run})" for run in others[:-1])
    return f"{first}{middle}{between}{others[-1]}{of_name(last)}"


def of_name(part: str) -> str:
    """Return the expression for one name. Between two signs that stand for anything, the first text that fits is taken."""
    pieces, end, wild = [], 0, ""
    for match in WILD.finditer(part):
        fixed = re.escape(part[end : match.start()])
        pieces.append(f"(?>{wild}{fixed})" if wild and fixed else wild + fixed)
        wild, end = f"(?P<{match[1]}>[^/]+?)" if match[1] else "[^/]*?", match.end()
    return "".join(pieces) + wild + re.escape(part[end:])


def refused(text: str, why: str) -> UsageError:
    return UsageError(_('The pattern "{pattern}" of the layout is wrong: {why}. A good one is "{good}".', pattern=text, why=why, good=GOOD))
