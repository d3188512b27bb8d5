"""Course and Exercise: the only place that knows where files are, in a clone, in the wheel, or anywhere else."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from itertools import product
from pathlib import Path
from string import Formatter
from typing import Any, Literal, NoReturn, TypeVar, cast

from normgrade import PACKAGE
from normgrade.course.signature import Signature
from normgrade.language import ENGLISH, LANGUAGES, _, spoken
from normgrade.language.errors import CourseError, UsageError, did_you_mean, either

T = TypeVar("T")
D = TypeVar("D")
Reveal = Literal["full", "claims", "score"]
OF_THE_GRADER = "clone copy_ detach equal expand lift_fresh mul new_empty_strided ones_like sum transpose view".split()  # operations
REVEALS = ("full", "claims", "score")


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a submission may use: seconds for one answer, and for all its answers together; memory beyond what the libraries hold."""

    answer_s: float = 5.0
    total_s: float = 30.0
    memory_mib: int = 1024


@dataclass(frozen=True, slots=True)
class Exercise:
    """One task. `defines` is its contract; `banned`, and `allowed` all the same, are glob patterns of dotted names: "torch.nn.*Norm*"."""

    slug: str
    course: Path
    title: str
    group: str
    level: int
    order: int
    points: int
    defines: tuple[Signature, ...]
    banned: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    places: Mapping[str, str] = field(default_factory=dict, hash=False)  # what its own probes' places are called, by template
    limits: Limits = Limits()
    reveal: Reveal = "full"

    def bans(self, name: str) -> bool:
        """Whether a submission may not use what has this full dotted name."""
        return matches(name, self.banned) and not matches(name, self.allowed)

    @property
    def file_name(self) -> str:
        """What a learner's file is called."""
        return f"{self.slug}.py"

    @property
    def other_course(self) -> str:
        """The folder of its course, where that is not the one that normgrade carries; else nothing."""
        return "" if os.path.realpath(self.course) == str(carried()) else str(self.course)

    @property
    def folder(self) -> Path:
        return self.course / "exercises" / self.slug

    @property
    def prompt(self) -> Path:
        """In the language that is spoken, where it is written in that language."""
        prompt = self.prompt_in(spoken())
        return prompt if prompt.is_file() else self.prompt_in(ENGLISH)

    def prompt_in(self, language: str) -> Path:
        return self.folder / ("README.md" if language == ENGLISH else f"README.{language}.md")

    @property
    def stub(self) -> Path:
        return self.folder / self.file_name

    @property
    def probes(self) -> Path | None:
        """The exercise's own probes, where the generic ones do not reach."""
        path = self.folder / "probes.py"
        return path if path.exists() else None

    @property
    def reference(self) -> Path:
        return self.course / "solutions" / self.slug / "reference.py"

    @property
    def alternatives(self) -> tuple[Path, ...]:
        return tuple(sorted(self.reference.parent.glob("alternatives/*.py")))

    @property
    def mistakes(self) -> Path:
        return self.reference.with_name("mistakes.toml")

    @property
    def equivalent(self) -> Path:
        """The mutants of the reference that are as good as it is."""
        return self.reference.with_name("equivalent.toml")

    @property
    def suite(self) -> Path:
        return self.course / "tests" / "hidden" / f"test_{self.slug}.py"


@dataclass(frozen=True, slots=True)
class Settings:
    """What `course.toml` says: rules that hold for every exercise."""

    title: str = "normgrade"
    reveal: Reveal = "full"
    banned: tuple[str, ...] = ()
    languages: tuple[str, ...] = (ENGLISH,)  # in which every text has to be there


@dataclass(frozen=True)
class Course:
    """A folder with `exercises/`, `solutions/` and `tests/hidden/`."""

    root: Path

    @classmethod
    def find(cls, root: Path | None = None) -> Course:
        """The course at `root`, else at NORMGRADE_COURSE, else the one that normgrade carries. Its path is free of links and of `..`."""
        root = Path(os.path.realpath(root or named_by_environment() or carried()))
        if not os.path.isdir(root / "exercises"):
            raise UsageError(
                _('No course at "{folder}": it has no folder "exercises". Name one with --course DIR or NORMGRADE_COURSE.', folder=root)
            )
        return cls(root)

    @cached_property
    def settings(self) -> Settings:
        path = self.root / "course.toml"
        if not path.exists():
            return Settings()
        table = Table.read(path)
        settings = Settings(
            title=table.take("title", text, "normgrade"),
            reveal=table.take("reveal", reveal, "full"),
            banned=bans_of(table),
            languages=table.take("languages", languages, (ENGLISH,)),
        )
        table.finish()
        return settings

    @cached_property
    def slugs(self) -> tuple[str, ...]:
        return tuple(sorted(path.name for path in (self.root / "exercises").iterdir() if (path / "exercise.toml").exists()))

    def __iter__(self) -> Iterator[Exercise]:
        """Every exercise, in the order in which they are meant to be taken."""
        return iter(sorted(map(self.exercise, self.slugs), key=lambda exercise: (exercise.order, exercise.slug)))

    def exercise(self, slug: str) -> Exercise:
        if slug not in self.slugs:
            meant = did_you_mean(slug, self.slugs)
            raise UsageError(_('No exercise named "{slug}".{meant} `normgrade list` shows them all.', slug=slug, meant=meant))
        exercise = read_exercise(self.root, slug, self.settings)
        for path in (exercise.prompt, exercise.stub, exercise.reference, exercise.mistakes, exercise.suite):
            if not path.is_file():
                raise CourseError(
                    _(
                        '{folder}: the exercise "{slug}" needs the file {path}, which does not exist.',
                        folder=exercise.folder,
                        slug=slug,
                        path=path,
                    )
                )
        return exercise


def named_by_environment() -> Path | None:
    named = os.environ.get("NORMGRADE_COURSE")
    return Path(named) if named else None


def carried() -> Path:
    """The course that normgrade carries: inside the wheel, or the clone around an editable install."""
    package = Path(os.path.realpath(PACKAGE))
    wheel = package / "_course"
    return wheel if wheel.is_dir() else package.parents[1]


def read_exercise(root: Path, slug: str, settings: Settings) -> Exercise:
    table = Table.read(root / "exercises" / slug / "exercise.toml")
    limits = Table(table.path, table.take("limits", mapping, {}), "limits.")
    exercise = Exercise(
        slug=slug,
        course=root,
        title=table.spoken("title", text),
        group=table.spoken("group", text),
        level=table.take("level", between(1, 4)),
        order=table.take("order", between(0, 9999)),
        points=table.take("points", between(1, 1000), 20),
        defines=table.take("defines", signatures),
        banned=settings.banned + bans_of(table),
        allowed=table.take("allowed", texts, ()),
        hints=table.spoken("hints", texts, ()),
        places=table.spoken("places", words_of_places, {}),
        limits=read_limits(limits),
        reveal=table.take("reveal", reveal, settings.reveal),
    )
    for name in exercise.allowed:
        if not matches(name, exercise.banned):
            banned = ", ".join(exercise.banned) or _("none")
            table.wrong("allowed", _('"{name}" is not banned; banned are {banned}', name=name, banned=banned))
    table.finish()
    return exercise


def bans_of(table: Table) -> tuple[str, ...]:
    """The patterns that a file bans. None may stop the grader itself, which plays every probe in the same process."""
    banned = table.take("banned", texts, ())
    for pattern, operation in product(banned, OF_THE_GRADER):
        for name in (f"torch.{operation}", f"torch.ops.aten.{operation}"):
            if matches(name, [pattern]):
                said = _(
                    '"{pattern}" bans `{name}` too, which the grader itself calls: name what is meant more closely, '
                    'or ban "torch" where PyTorch is not to be imported at all',
                    pattern=pattern,
                    name=name,
                )
                table.wrong("banned", said)
    return banned


def matches(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def read_limits(table: Table) -> Limits:
    usual = Limits()
    limits = Limits(
        answer_s=table.take("answer_s", seconds, usual.answer_s),
        total_s=table.take("total_s", seconds, usual.total_s),
        memory_mib=table.take("memory_mib", between(16, 2**20), usual.memory_mib),
    )
    table.finish()
    return limits


def read(path: Path) -> str:
    """The text of one of the course's files."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise CourseError(_("{path}: cannot be read ({error}).", path=path, error=error.strerror)) from error
    except UnicodeDecodeError as error:
        place, byte = error.start + 1, error.object[error.start]
        raise CourseError(_("{path}: not UTF-8: byte {place} is 0x{byte:02x}.", path=path, place=place, byte=byte)) from error


class Wrong(Exception):
    """What is allowed in the place of a value that is not."""


@dataclass(frozen=True)
class Table:
    """A TOML table that is read key by key; what is wrong in it is said with file, key and what is allowed."""

    path: Path
    content: Mapping[str, Any]
    prefix: str = ""
    known: list[str] = field(default_factory=list)

    @classmethod
    def read(cls, path: Path) -> Table:
        return cls.parse(path, read(path))

    @classmethod
    def parse(cls, path: Path, source: str) -> Table:
        try:
            return cls(path, tomllib.loads(source))
        except (ValueError, RecursionError) as error:  # beside its own errors: a number without end, brackets within brackets
            raise CourseError(_("{path}: not valid TOML: {error}.", path=path, error=error)) from error

    def take(self, key: str, check: Callable[[Any], T], *default: D) -> T | D:
        """The value of `key` if `check` lets it pass; the default where there is no such key."""
        self.known.append(key)
        if key not in self.content:
            if default:
                return default[0]
            self.wrong(key, _("is missing"))
        try:
            return check(self.content[key])
        except Wrong as allowed:
            self.wrong(key, _("must be {allowed}, not {value!r}", allowed=allowed, value=self.content[key]))

    def spoken(self, key: str, check: Callable[[Any], T], *default: D) -> T | D:
        """The value in the language that is spoken: of `"key.zh"`, say. Where there is none, of `key`, in English."""
        said: dict[str, T | D | None] = {ENGLISH: self.take(key, check, *default)}
        for language in LANGUAGES:
            if language != ENGLISH:
                said[language] = self.take(f"{key}.{language}", check, None)
        return said[spoken()] or cast(T | D, said[ENGLISH])

    def tables(self, key: str) -> tuple[Table, ...]:
        """The tables of an array of tables, `[[key]]`; none where there is no such key."""
        found = self.take(key, array_of_tables, ())
        return tuple(Table(self.path, content, f"{self.prefix}{key}[{number}].") for number, content in enumerate(found, 1))

    def finish(self) -> None:
        """Refuse the keys that nobody took."""
        for key in self.content:
            if key not in self.known:
                self.wrong(key, _("unknown key; allowed are {keys}", keys=", ".join(map(as_key, sorted(self.known)))))

    def wrong(self, key: str, why: str) -> NoReturn:
        raise CourseError(_("{path}: {key}: {why}.", path=self.path, key=f"{self.prefix}{key}", why=why))


def as_key(name: str) -> str:
    """As TOML wants it written: a name with a dot in it, in quotes."""
    return f'"{name}"' if "." in name else name


def text(value: object) -> str:
    if isinstance(value, str) and value.strip():
        return value
    raise Wrong(_("a text that is not empty"))


def texts(value: object) -> tuple[str, ...]:
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    raise Wrong(_("a list of texts"))


def words_of_places(value: object) -> dict[str, str]:
    """What places are called, by template; a text may say the names that its template says, and no others."""
    if isinstance(value, dict) and all(
        isinstance(said, str) and fields_of(said) <= fields_of(template) for template, said in value.items()
    ):
        return value
    raise Wrong(_("a table of texts, each with no other {names} in braces than its key has"))


def fields_of(template: str) -> set[str | None]:
    try:
        return {name for _text, name, _format, _conversion in Formatter().parse(template) if name is not None}
    except ValueError:  # a brace without its partner
        return {None}


def languages(value: object) -> tuple[str, ...]:
    known = texts(value)
    if ENGLISH in known and all(language in LANGUAGES for language in known):
        return known
    raise Wrong(_('a list of languages, "en" among them; known are {known}', known=", ".join(LANGUAGES)))


def between(low: int, high: int) -> Callable[[object], int]:
    def whole_number(value: object) -> int:
        if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
            return value
        raise Wrong(_("a whole number from {low} to {high}", low=low, high=high))

    return whole_number


def seconds(value: object) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= 3600:
        return float(value)
    raise Wrong(_("a number of seconds above 0 and up to 3600"))


def reveal(value: object) -> Reveal:
    if value in REVEALS:
        return cast(Reveal, value)
    raise Wrong(either(f'"{name}"' for name in REVEALS))


def signatures(value: object) -> tuple[Signature, ...]:
    try:
        found = tuple(Signature.parse(item) for item in texts(value))
    except ValueError as error:
        raise Wrong(_('a list of signatures such as "LayerNorm(normalized_shape, eps=1e-5)" ({why})', why=error)) from error
    if not found:
        raise Wrong(_("a list of at least one signature"))
    return found


def mapping(value: object) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    raise Wrong(_("a table"))


def array_of_tables(value: object) -> list[dict[str, Any]]:
    if isinstance(value, list) and all(isinstance(item, dict) for item in value):
        return value
    raise Wrong(_("a list of tables"))
