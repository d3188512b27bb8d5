"""Course, Exercise and Settings: the only module that knows the paths of a course's files."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property, partial
from itertools import product
from pathlib import Path
from typing import Literal

from normgrade.course.ban import Ban
from normgrade.course.files import read_text
from normgrade.course.library import Library
from normgrade.course.package import PACKAGE
from normgrade.course.path import circle, in_path_order
from normgrade.course.signature import Signature
from normgrade.course.table import Table, between, languages, mapping, one_of, seconds, signatures, text, texts
from normgrade.course.translations import translated, translations
from normgrade.language import ENGLISH, _, spoken
from normgrade.language.errors import CourseError, UsageError, did_you_mean

Reveal = Literal["full", "claims", "score"]
Credit = Literal["mistakes", "claims"]
CREDITS: tuple[Credit, ...] = ("mistakes", "claims")
REVEALS: tuple[Reveal, ...] = ("full", "claims", "score")  # from most to least
UNWRITTEN = "raise NotImplementedError"  # in the reference of a first draft
OF_THE_GRADER = "clone copy_ detach equal expand lift_fresh mul new_empty_strided ones_like sum transpose view".split()  # operations


@dataclass(frozen=True, slots=True)
class Limits:
    """The time and memory that a submission may use.

    - `answer_s`: seconds for one answer, above 0 and up to 3600.
    - `total_s`: seconds for all answers of one grading together, above 0 and up to 3600.
    - `memory_mib`: MiB of memory beyond what Python, NumPy and PyTorch already hold, from 16 to 1048576.

    >>> Limits(answer_s=2.0)
    Limits(answer_s=2.0, total_s=30.0, memory_mib=1024)
    """

    answer_s: float = 5.0
    total_s: float = 30.0
    memory_mib: int = 1024


@dataclass(frozen=True, slots=True)
class Exercise:
    """One task of a course, as its `exercise.toml` describes it.

    - `slug`: the name of its folder and of the learner's file, as in `"layer_norm"`.
    - `course`: the root folder of its course.
    - `title`, `group`: texts for people, in the current language.
    - `level`: its difficulty, from 1 to 4.
    - `order`: its place in the course, from 0 to 9999.
    - `points`: the points that a submission can earn, from 1 to 1000.
    - `after`: the slugs of exercises that are best done before it. It is advice: nothing is ever locked.
    - `defines`: the contract, one signature for each class or function that the learner's file must define.
    - `banned`, `allowed`: globs of full dotted names, as in `"torch.nn.*Norm*"`. `allowed` overrides `banned`.
    - `hints`: texts for people, in the order in which they are given.
    - `limits`: the time and memory that a submission may use.
    - `reveal`: how much a report says, `"full"`, `"claims"` or `"score"`.
    - `credit`: the way to earn points: `"claims"` counts claims that hold; `"mistakes"` also gives all points minus the cost of the named
      mistakes, if that is more.

    `Course.exercise` reads one and checks every value.

    >>> exercise = Course.find().exercise("layer_norm")
    >>> exercise.level, exercise.points, exercise.reveal
    (1, 20, 'full')
    >>> str(exercise.defines[0])
    'LayerNorm(normalized_shape, eps=1e-05, elementwise_affine=True, bias=True)'
    """

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
    places: Mapping[str, str] = field(default_factory=dict, hash=False)  # words for the places of its own probes, by template
    limits: Limits = Limits()
    reveal: Reveal = "full"
    credit: Credit = "mistakes"
    spread: tuple[str, ...] = ()  # right alternatives whose rounding is allowed as well as the reference's
    left_out: Mapping[str, str] = field(default_factory=dict, hash=False)  # situations that make no sense here, with reasons
    left_out_envelope: Mapping[str, str] = field(default_factory=dict, hash=False)  # parts of the envelope not played, with reasons
    left_out_habits: Mapping[str, str] = field(default_factory=dict, hash=False)  # habits that change nothing here, with reasons
    after: tuple[str, ...] = ()  # the exercises after which it is best done
    courtesy: tuple[str, ...] = ()  # situations that do not decide whether a submission passes

    @classmethod
    def at(cls, course: Path, slug: str) -> Exercise:
        """Return an exercise of which only the paths of its files are known. The files need not exist yet.

        >>> Exercise.at(Path("course"), "my_norm").suite.as_posix()
        'course/tests/hidden/test_my_norm.py'
        """
        return cls(slug, course, title="", group="", level=1, order=0, points=0, defines=())

    def leaves_out(self, *names: str) -> bool:
        """Return if a situation with one of these names is left out.

        >>> Course.find().exercise("layer_norm").leaves_out("as_built", "all")
        False
        """
        return not self.left_out.keys().isdisjoint(names)

    @property
    def ban(self) -> Ban:
        """The names that a submission may not use."""
        return Ban(self.banned, self.allowed)

    @property
    def written_with(self) -> Library:
        """The library that it is written with: NumPy if PyTorch is banned as a whole.

        >>> Course.find().exercise("layer_norm").written_with
        <Library.TORCH: 'torch'>
        """
        return Library.TORCH if self.ban.against("torch") is None else Library.NUMPY

    @property
    def file_name(self) -> str:
        """The name of the learner's file.

        >>> Course.find().exercise("layer_norm").file_name
        'layer_norm.py'
        """
        return f"{self.slug}.py"

    @property
    def other_course(self) -> str:
        """The folder of its course; "" for the course that normgrade carries.

        >>> Course(carried()).exercise("layer_norm").other_course
        ''
        """
        return "" if os.path.realpath(self.course) == str(carried()) else str(self.course)

    @property
    def folder(self) -> Path:
        """The folder that learners see: prompt, stub, `exercise.toml` and probes.

        >>> Course.find().exercise("layer_norm").folder.name
        'layer_norm'
        """
        return self.course / "exercises" / self.slug

    @property
    def prompt(self) -> Path:
        """The file of the task in the current language; in English if it has no translation.

        >>> Course.find().exercise("layer_norm").prompt.suffix
        '.md'
        """
        prompt = self.prompt_in(spoken())
        return prompt if prompt.is_file() else self.prompt_in(ENGLISH)

    def prompt_in(self, language: str) -> Path:
        """Return the file of the task in one language, a code such as "en" or "zh". The file may be missing.

        >>> Course.find().exercise("layer_norm").prompt_in("zh").name
        'README.zh.md'
        """
        return self.folder / ("README.md" if language == ENGLISH else f"README.{language}.md")

    @property
    def stub(self) -> Path:
        """The file that a learner starts from.

        >>> Course.find().exercise("layer_norm").stub.name
        'layer_norm.py'
        """
        return self.folder / self.file_name

    @property
    def description(self) -> Path:
        """The file `exercise.toml`, which describes the exercise.

        >>> Course.find().exercise("layer_norm").description.name
        'exercise.toml'
        """
        return self.folder / "exercise.toml"

    @property
    def needed(self) -> tuple[Path, ...]:
        """The files that every exercise needs, in the order in which an author writes them.

        >>> [path.name for path in Course(carried()).exercise("layer_norm").needed]
        ['exercise.toml', 'README.md', 'layer_norm.py', 'reference.py', 'mistakes.toml', 'test_layer_norm.py']
        """
        return self.description, self.prompt_in(ENGLISH), self.stub, self.reference, self.mistakes, self.suite

    @property
    def probes(self) -> Path | None:
        """The file of the exercise's own probes; None if the generic probes are enough.

        >>> Course.find().exercise("spectral_norm").probes.name
        'probes.py'
        >>> Course.find().exercise("batch_norm").probes is None
        True
        """
        path = self.folder / "probes.py"
        return path if path.exists() else None

    @property
    def shared_probes(self) -> Path | None:
        """The file that probes of the course share, `exercises/shared_probes.py`; None if its own probes do not use it or it is missing.

        >>> Course.find().exercise("batch_norm").shared_probes is None
        True
        """
        path = self.folder.with_name("shared_probes.py")
        used = self.probes is not None and path.stem in read_text(self.probes)  # probes of an exercise in NumPy do not use it
        return path if used and path.exists() else None

    @property
    def figure(self) -> Path | None:
        """The file of the prompt's figure, `figure.svg`; None if it has none.

        >>> Course.find().exercise("layer_norm").figure is None
        True
        """
        path = self.folder / "figure.svg"
        return path if path.exists() else None

    @property
    def reference(self) -> Path:
        """The right implementation that submissions are compared with.

        >>> Course.find().exercise("layer_norm").reference.name
        'reference.py'
        """
        return self.course / "solutions" / self.slug / "reference.py"

    @property
    def alternatives(self) -> tuple[Path, ...]:
        """Other right implementations, sorted by path.

        >>> {path.parent.name for path in Course.find().exercise("layer_norm").alternatives}
        {'alternatives'}
        """
        return tuple(sorted(self.alternatives_folder.glob("*.py")))

    @property
    def alternatives_folder(self) -> Path:
        """The folder of the alternatives. It may be missing.

        >>> Course.find().exercise("layer_norm").alternatives_folder.name
        'alternatives'
        """
        return self.reference.with_name("alternatives")

    @property
    def refused(self) -> tuple[Path, ...]:
        """Submissions that break the ban and must be refused for it, sorted by path.

        >>> {path.parent.name for path in Course.find().exercise("rms_norm").refused}
        {'banned'}
        """
        return tuple(sorted(self.reference.parent.glob("banned/*.py")))

    @property
    def mistakes(self) -> Path:
        """The file of the known mistakes.

        >>> Course.find().exercise("layer_norm").mistakes.name
        'mistakes.toml'
        """
        return self.reference.with_name("mistakes.toml")

    @property
    def shared_mistakes(self) -> Path:
        """The file from which known mistakes of one name take each key that an exercise does not give. It may be missing.

        >>> Course.find().exercise("layer_norm").shared_mistakes.parent.name
        'solutions'
        """
        return self.mistakes.parent.with_name("mistakes.toml")

    @property
    def footprints(self) -> Path:
        """The file that says which facts each known mistake changes, so that they need not all be played. It may be missing.

        >>> Course.find().exercise("layer_norm").footprints.name
        'footprints.npz'
        """
        return self.reference.with_name("footprints.npz")

    @property
    def wrong(self) -> Path:
        """The file of the wrong answers that are no known mistakes. They must fail, and no diagnosis names them. It may be missing.

        >>> Course.find().exercise("layer_norm").wrong.name
        'wrong.toml'
        """
        return self.reference.with_name("wrong.toml")

    @property
    def shared_wrong(self) -> Path:
        """The file from which wrong answers of one name take each key that an exercise does not give. It may be missing.

        >>> Course.find().exercise("layer_norm").shared_wrong.parent.name
        'solutions'
        """
        return self.wrong.parent.with_name("wrong.toml")

    @property
    def spreads(self) -> Path:
        """The file that says how far the reference's numbers move, written by `normgrade verify --write`.

        >>> Course.find().exercise("layer_norm").spreads.name
        'spreads.npz'
        """
        return self.reference.with_name("spreads.npz")

    @property
    def equivalent(self) -> Path:
        """The file that lists the mutants of the reference that are right code. It may be missing.

        >>> Course.find().exercise("layer_norm").equivalent.name
        'equivalent.toml'
        """
        return self.reference.with_name("equivalent.toml")

    @property
    def suite(self) -> Path:
        """The hidden suite, a file of pytest tests.

        >>> Course.find().exercise("layer_norm").suite.name
        'test_layer_norm.py'
        """
        return self.course / "tests" / "hidden" / f"test_{self.slug}.py"

    @property
    def helpers(self) -> tuple[Path, ...]:
        """The file of the helpers that the suites of the course share; empty if there is no such file.

        >>> [path.name for path in Course.find().exercise("layer_norm").helpers]
        ['shared.py']
        """
        path = self.suite.with_name("shared.py")
        return (path,) if path.exists() else ()


@dataclass(frozen=True, slots=True)
class Minimum:
    """The smallest number of each part that a complete exercise has.

    - `hints`: of its own, in `exercise.toml`.
    - `questions`: interview questions with an answer, in each prompt.
    - `alternatives`: other right ways of writing it.
    - `mistakes`: known ones, above level 1; `mistakes_of_level_1`: known ones of a warm-up.

    >>> Minimum(hints=1).hints
    1
    """

    hints: int = 3
    questions: int = 3
    alternatives: int = 4
    mistakes: int = 12
    mistakes_of_level_1: int = 5


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings in `course.toml`: rules for every exercise of a course.

    - `title`: the course's title, for people.
    - `reveal`: how much reports say, `"full"`, `"claims"` or `"score"`; an exercise may say otherwise.
    - `banned`: globs of full dotted names that are banned in every exercise.
    - `languages`: codes of the languages that every text must be written in; "en" is one of them.
    - `credit`: the way to earn points, `"mistakes"` or `"claims"`; an exercise may say otherwise.
    - `minimum`: the smallest numbers of hints, mistakes and so on of a complete exercise.

    >>> settings = Settings(reveal="claims")
    >>> settings.languages, settings.credit, settings.minimum.alternatives
    (('en',), 'mistakes', 4)
    """

    title: str = "normgrade"
    reveal: Reveal = "full"
    banned: tuple[str, ...] = ()
    languages: tuple[str, ...] = (ENGLISH,)
    credit: Credit = "mistakes"
    minimum: Minimum = Minimum()


@dataclass(frozen=True)
class Course:
    """A folder with `exercises/`, `solutions/` and `tests/hidden/`; `root` is its path. Iterating gives its exercises in their order.

    `without` names folders in `exercises` that are ignored.

    >>> course = Course.find()
    >>> [exercise.slug for exercise in course][:3]
    ['min_max', 'standardize', 'whitening']
    >>> course.slugs[:2], course.settings.languages
    (('ada_bn', 'ada_in'), ('en', 'zh'))
    """

    root: Path
    without: frozenset[str] = frozenset()

    @classmethod
    def find(cls, root: Path | None = None) -> Course:
        """Return the course at `root`, else at NORMGRADE_COURSE, else the one that normgrade carries.

        The path of its root is absolute, without links and without `..`. Raise UsageError if the folder has no folder `exercises`.

        >>> Course.find(carried()) == Course(carried())
        True
        >>> Course.find(Path("/nowhere"))  # doctest: +ELLIPSIS
        Traceback (most recent call last):
            ...
        normgrade.language.errors.UsageError: No course at "/nowhere": it has no folder "exercises". ...
        """
        root = Path(os.path.realpath(root or named_by_environment() or carried()))
        if not os.path.isdir(root / "exercises"):
            raise UsageError(
                _('No course at "{folder}": it has no folder "exercises". Name one with --course DIR or NORMGRADE_COURSE.', folder=root)
            )
        return cls(root)

    @property
    def description(self) -> Path:
        """The file `course.toml`. It may be missing."""
        return self.root / "course.toml"

    @cached_property
    def settings(self) -> Settings:
        """The settings in `course.toml`; the defaults if there is no such file. Raise CourseError if it is wrong."""
        table = Table.of_optional(self.description)
        settings = Settings(
            title=table.take("title", text, "normgrade"),
            reveal=table.take("reveal", one_of(*REVEALS), "full"),
            credit=table.take("credit", one_of(*CREDITS), "mistakes"),
            banned=bans_of(table),
            languages=table.take("languages", languages, (ENGLISH,)),
            minimum=read_minimum(table.table("minimum", {})),
        )
        table.finish()
        return settings

    @cached_property
    def slugs(self) -> tuple[str, ...]:
        """The slugs of all exercises, sorted by name."""
        return tuple(name for name in self.folders if Exercise.at(self.root, name).description.exists())

    @cached_property
    def folders(self) -> tuple[str, ...]:
        """The names of all folders in `exercises`, sorted: exercises, and folders that may become one."""
        found = (path.name for path in (self.root / "exercises").iterdir() if path.is_dir() and path.name[0] not in "._")
        return tuple(sorted({*found} - self.without))

    def __iter__(self) -> Iterator[Exercise]:
        """Iterate over the exercises that can be used, in the order for learners; `unfinished` tells of the others.

        Each follows the exercises that it comes after. Raise CourseError if `course.toml` is wrong.
        """
        usable = (found for found in map(self.attempt, self.slugs) if isinstance(found, Exercise))
        return iter(in_path_order(sorted(usable, key=lambda exercise: (exercise.order, exercise.slug))))

    @property
    def unfinished(self) -> Mapping[str, str]:
        """The folders in `exercises` without a usable exercise, by name, each with the reason.

        >>> Course(carried()).unfinished
        {}
        """
        found = {name: self.attempt(name) for name in self.folders}
        return {name: str(why) for name, why in found.items() if isinstance(why, CourseError)}

    def attempt(self, name: str) -> Exercise | CourseError:
        """Return the exercise in a folder, or the error that says why it cannot be used."""
        _settings = self.settings  # raises here: its errors are those of the course, not of the exercise
        try:
            if name not in self.slugs:
                raise CourseError(_("{folder}: it has no file exercise.toml.", folder=self.root / "exercises" / name))
            exercise = self.exercise(name)
            if UNWRITTEN in read_text(exercise.reference):
                raise CourseError(_("{path}: the reference is still to be written.", path=exercise.reference))
            return exercise
        except CourseError as error:
            return error

    def exercise(self, slug: str) -> Exercise:
        """Return the exercise of that name.

        Raise UsageError if there is none, and CourseError if its `exercise.toml` is wrong or one of its files is missing.

        >>> Course.find().exercise("layer_norm").slug
        'layer_norm'
        >>> Course.find().exercise("layernrom")
        Traceback (most recent call last):
            ...
        normgrade.language.errors.UsageError: No exercise named "layernrom". Did you mean "layer_norm"? `normgrade list` shows them all.
        """
        if slug not in self.slugs:
            meant = did_you_mean(slug, self.slugs)
            raise UsageError(_('No exercise named "{slug}".{meant} `normgrade list` shows them all.', slug=slug, meant=meant))
        exercise = read_exercise(self.root, slug, self.settings)
        for path in exercise.needed:
            if not path.is_file():
                raise CourseError(
                    _(
                        '{folder}: the exercise "{slug}" needs the file {path}, which does not exist.',
                        folder=exercise.folder,
                        slug=slug,
                        path=path,
                    )
                )
        self.refuse_wrong_path(exercise)
        return exercise

    def refuse_wrong_path(self, exercise: Exercise) -> None:
        """Raise a CourseError if an exercise comes after one that does not exist, or after itself.

        It may come after one that is unfinished.
        """
        description, folders = Table(exercise.description, {}), Course(self.root).folders
        for slug in exercise.after:
            if slug not in folders:
                meant = did_you_mean(slug, folders)
                said = _('no exercise is named "{slug}".{meant} Name a folder in `exercises`, or leave it out', slug=slug, meant=meant)
                description.wrong("after", said)
        if way := circle(exercise.slug, self.after):
            said = _('"{slug}" would come after itself: {way}. Take one of these names out', slug=exercise.slug, way=" → ".join(way))
            description.wrong("after", said)

    def after(self, slug: str) -> tuple[str, ...]:
        """Return the slugs of the exercises that one comes after; none if its `exercise.toml` is wrong or missing."""
        if slug not in self.slugs:
            return ()
        try:
            return Table.of_file(Exercise.at(self.root, slug).description).take("after", texts, ())
        except CourseError:
            return ()


def named_by_environment() -> Path | None:
    """Return the folder that the variable NORMGRADE_COURSE names; None if it is unset or empty."""
    named = os.environ.get("NORMGRADE_COURSE")
    return Path(named) if named else None


def carried() -> Path:
    """Return the folder of the course that comes with normgrade: inside an installed wheel, or the clone of an editable install."""
    package = Path(os.path.realpath(PACKAGE))
    wheel = package / "_course"
    return wheel if wheel.is_dir() else package.parents[1]


def read_exercise(root: Path, slug: str, settings: Settings) -> Exercise:
    """Return the exercise that `exercise.toml` describes. Raise CourseError if a key or a value is wrong."""
    table = Table.of_file(Exercise.at(root, slug).description)
    say = partial(translated, folder=table.path.parent)
    exercise = Exercise(
        slug=slug,
        course=root,
        title=say(table.take("title", text)),
        group=say(table.take("group", text)),
        level=table.take("level", between(1, 4)),
        order=table.take("order", between(0, 9999)),
        points=table.take("points", between(1, 1000), 20),
        defines=table.take("defines", signatures),
        after=table.take("after", texts, ()),
        banned=settings.banned + bans_of(table),
        allowed=table.take("allowed", texts, ()),
        hints=tuple(map(say, table.take("hints", texts, ()))),
        places=translations(table.path.parent),
        limits=read_limits(table.table("limits", {})),
        reveal=table.take("reveal", one_of(*REVEALS), settings.reveal),
        spread=table.take("spread", texts, ()),
        left_out=table.take("left_out", mapping, {}),
        left_out_envelope=table.take("envelope", mapping, {}),
        left_out_habits=table.take("habits", mapping, {}),
        courtesy=table.take("courtesy", texts, ()),
        credit=table.take("credit", one_of(*CREDITS), settings.credit),
    )
    for name in exercise.allowed:
        if Ban(exercise.banned).against(name) is None:
            banned = ", ".join(exercise.banned) or _("none")
            table.wrong("allowed", _('"{name}" is not banned; banned are {banned}', name=name, banned=banned))
    table.finish()
    return exercise


def bans_of(table: Table) -> tuple[str, ...]:
    """Return the patterns that a file bans.

    Raise CourseError if one of them bans an operation of the grader itself, which plays every probe in the same process.
    """
    banned = table.take("banned", texts, ())
    for pattern, operation in product(banned, OF_THE_GRADER):
        for name in (f"torch.{operation}", f"torch.ops.aten.{operation}"):
            if Ban((pattern,)).against(name):
                said = _(
                    '"{pattern}" bans `{name}` too, which the grader itself calls: name what is meant more closely, '
                    'or ban "torch" where PyTorch is not to be imported at all',
                    pattern=pattern,
                    name=name,
                )
                table.wrong("banned", said)
    return banned


def read_minimum(table: Table) -> Minimum:
    """Return the table `minimum` of `course.toml`. Raise CourseError if a key or a value is wrong."""
    usual = asdict(Minimum())
    minimum = Minimum(**{key: table.take(key, between(0, 1000), default) for key, default in usual.items()})
    table.finish()
    return minimum


def read_limits(table: Table) -> Limits:
    """Return the table `limits` of `exercise.toml`. Raise CourseError if a key or a value is wrong."""
    usual = Limits()
    limits = Limits(
        answer_s=table.take("answer_s", seconds, usual.answer_s),
        total_s=table.take("total_s", seconds, usual.total_s),
        memory_mib=table.take("memory_mib", between(16, 2**20), usual.memory_mib),
    )
    table.finish()
    return limits
