"""Proofs in GitHub Actions: each problem as an annotation on the line where its author mends it, and a summary of all reports."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from normgrade.course.course import Course
from normgrade.course.files import read_text
from normgrade.course.layout import Files, settings_in
from normgrade.course.mistakes import WRONG
from normgrade.course.table import Table, as_key
from normgrade.language import _, n_
from normgrade.language.errors import CourseError
from normgrade.report.render.wording import MARKS
from normgrade.report.render.workflow_commands import (
    ERROR,
    command,
    folded,
    in_markdown,
    in_repository,
    in_turn,
    limited,
    preformatted,
    table,
)
from normgrade.report.report import Check, Outcome, Report

AFTER_A_NAME = re.compile(r"[\s,:;(（：，；]|$")
QUOTED = re.compile(r"\"([^\"]+)\"|'([^']+)'|`([^`]+)`")
KEY = re.compile(r"\.toml[:：]\s*([^\s:：]+)[:：]")  # in an error of a course: the key of which it tells
SHORTEST = 3  # characters of a quoted text that is looked for
OF_MISTAKES = ("wrong", "named")  # proofs whose problems begin with the name of a wrong answer
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem of a proof: its text, in one or more lines, and the file and the line where it is mended. The file may be missing."""

    exercise: str
    proof: Check
    text: str
    path: Path
    line: int = 1


def annotated(reports: Sequence[Report], course: Course) -> list[str]:
    """Return the commands that annotate the problems in the reports. The first problem of each comes before the second of any."""
    return limited(in_turn(map(annotation, problems_in(report, course)) for report in reports))


def annotation(problem: Problem) -> str:
    """Return the command that annotates a problem."""
    title = f"{problem.exercise} · {problem.proof.claim}"
    return command(ERROR, problem.text, file=in_repository(problem.path), line=problem.line, title=title)


def summary(reports: Sequence[Report]) -> Iterator[str]:
    """Yield the blocks of a summary: a table of the reports, then the claims of those with problems."""
    titles = (_("exercise"), _("proved"), _("failed"), _("undecided"))
    yield from table(titles, "|---|--:|--:|--:|", map(cells_of, reports))
    yield from (details(report) for report in reports if report.outcome is not Outcome.PASSED)


def cells_of(report: Report) -> list[str]:
    """Return the row of a report in the table, with the numbers of its claims by their outcome."""
    outcomes = Counter(check.outcome for check in counted(report))
    numbers = (outcomes[Outcome.PASSED], outcomes[Outcome.FAILED] + outcomes[Outcome.ERROR], outcomes[Outcome.SKIPPED])
    return [f"{MARKS[report.outcome]} {report.exercise}", *map(str, numbers)]


def counted(report: Report) -> list[Check]:
    """Return the proofs that count: a course may do without those that carry no points."""
    return [check for check in report.checks if check.points]


def details(report: Report) -> str:
    """Return the claims of a report that are not proved, with their problems, to be unfolded."""
    open_claims = [check for check in counted(report) if check.outcome is not Outcome.PASSED]
    title = n_("{exercise}: {n} claim is not proved", "{exercise}: {n} claims are not proved", len(open_claims), exercise=report.exercise)
    return folded(title, (part for check in open_claims for part in told(check)))


def told(check: Check) -> Iterator[str]:
    """Yield a claim with its mark, and its problems."""
    yield f"{MARKS[check.outcome]} {in_markdown(check.claim)}"
    if check.message:
        yield preformatted(check.message)


# The places of problems


def problems_in(report: Report, course: Course) -> list[Problem]:
    """Return the problems of all proofs that failed, in their order."""
    places = Places(course.files(report.exercise))
    failed = [check for check in report.checks if check.outcome is Outcome.FAILED]
    return [problem for check in failed for problem in places.problems_of(check)]


@dataclass(frozen=True)
class Places:
    """The files of an exercise and the names by which proofs call them."""

    files: Files

    def problems_of(self, proof: Check) -> Iterator[Problem]:
        """Yield the problems of a proof. A line that names no place belongs to the problem before it."""
        found: dict[tuple[Path, int], Problem] = {}
        at = None
        for text in proof.message.splitlines():
            if (there := self.named(proof.name, text)) is not None or at is None:
                at = there or (self.usual(proof.name), 1)
            known = found.get(at)
            found[at] = replace(known, text=f"{known.text}\n{text}") if known else Problem(self.files.slug, proof, text, *at)
        yield from found.values()

    def usual(self, proof: str) -> Path:
        """Return the file that problems of a proof are mended in, unless they name another one."""
        match proof:
            case "points" | "situations" | "suite" | "habits":
                return self.files.suite
            case "contract" | "stub":
                return self.files.stub
            case "right" | "mutants":
                return self.files.reference
            case "wrong" | "named":
                return self.files.mistakes
        return self.files.description if self.files.folder.is_dir() else settings_in(self.files.course)

    def named(self, proof: str, text: str) -> tuple[Path, int] | None:
        """Return the file and the line that a line of a proof's message is about; None if it names neither."""
        if proof in OF_MISTAKES:
            return beginning(text, self.entries)
        if proof == "habits" and (at := in_file(self.files.description, text.split()[:1])) is not None:
            return at
        if proof in ("situations", "suite") and (at := in_file(self.files.suite, tests_in(text))) is not None:
            return at
        path = beginning(text, self.called) or inside(text, self.paths)
        if path is None and proof == "mutants" and "`" in text and not text.startswith(" ") and (number := re.search(r"\d+", text)):
            return self.files.reference, int(number[0])
        if path is None:
            return None
        if proof == "contract" and (number := re.match(rf"{re.escape(path.name)}\D{{1,8}}(\d+)", text)):
            return path, int(number[1])
        return in_file(path, about(text)) or (path, 1)

    @cached_property
    def entries(self) -> Mapping[str, tuple[Path, int]]:
        """The entry of each wrong answer by its name: its file, and the line where it begins."""
        path = self.files.mistakes
        try:
            table = Table.of_optional(path)
            wrong = table.table(WRONG, {})
        except CourseError:  # another proof tells it
            return {}
        heads = {name: f"[{each.prefix}{as_key(name)}]" for each in (wrong, table) for name in each.content}
        return {name: in_file(path, (head, name)) or (path, 1) for name, head in heads.items()}

    @cached_property
    def called(self) -> Mapping[str, Path]:
        """The files that proofs call by their names."""
        files = self.files
        own = (files.description, files.stub, files.reference, files.mistakes, *files.alternatives, settings_in(files.course))
        return {**self.paths, **{path.name: path for path in own}, **{f"banned/{path.name}": path for path in files.refused}}

    @cached_property
    def paths(self) -> Mapping[str, Path]:
        """The files of the exercise, and those that it shares with others, by their paths in the course. They may be missing."""
        files = self.files
        shared = (files.shared_mistakes, settings_in(files.course), *files.folder.parent.glob("*.*"))
        there = (path for folder in (files.folder, files.solutions) for path in folder.rglob("*") if path.is_file())
        missing = (files.prompt_in(language) for language in Course(files.course).settings.languages)
        every = (*files.needed, *missing, *there, *shared, *files.solutions.parent.glob("*.*"), *files.helpers)
        return {path.relative_to(files.course).as_posix(): path for path in every}


def beginning(text: str, known: Mapping[str, T]) -> T | None:
    """Return the value of the longest name that a text begins with; None if it begins with none."""
    names = (name for name in known if text.startswith(name) and AFTER_A_NAME.match(text, len(name)))
    longest = max(names, key=len, default=None)
    return None if longest is None else known[longest]


def inside(text: str, known: Mapping[str, Path]) -> Path | None:
    """Return the longest of these paths that stands in a text; None if there is none."""
    longest = max((path for path in known if path in text), key=len, default=None)
    return None if longest is None else known[longest]


def in_file(path: Path, words: Iterable[str]) -> tuple[Path, int] | None:
    """Return a file and the first line that has one of these words, looked for in their order; None if it has none of them."""
    if not path.is_file() or path.suffix in (".npz", ".xz"):
        return None
    lines = read_text(path).splitlines()
    numbers = (number for word in words for number, line in enumerate(lines, 1) if word in line)
    number = next(numbers, None)
    return None if number is None else (path, number)


def about(text: str) -> Iterator[str]:
    """Yield the words of a problem that are likely to stand in its file: TODO, the key after the file's name, and quoted texts."""
    if "TODO" in text:
        yield "TODO"
    if key := KEY.search(text):
        table, _dot, name = key[1].rpartition(".")
        yield from ([f"[{table}]", name] if table else [name])
    yield from (word for groups in QUOTED.findall(text) if len(word := "".join(groups)) >= SHORTEST)


def tests_in(text: str) -> list[str]:
    """Return the beginnings of the definitions that a problem of a suite names: those of tests and of uses."""
    return [f"def {name}(" for name in re.findall(r"\b(test_\w+|typical|real)\b", text)]
