"""The layout of a course: the only module that knows the paths of its files."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path, PurePath

from normgrade.course.files import read_text
from normgrade.course.package import carried
from normgrade.course.tensor_library import Library
from normgrade.language import ENGLISH, spoken


def settings_in(course: Path) -> Path:
    """Return the file of a course's settings. It may be missing."""
    return course / "course.toml"


def exercises_in(course: Path) -> Path:
    """Return the folder that holds a folder for each exercise. Only a course has it."""
    return course / "exercises"


def rules_in(course: Path, language: str) -> Path:
    """Return the page of the rules that all exercises share, in one language. It may be missing."""
    return exercises_in(course) / ("rules.md" if language == ENGLISH else f"rules.{language}.md")


EVERY = ""  # in the place of a slug: a file that all exercises of the course share


def owner_of(path: PurePath) -> str | None:
    """Return the slug of the exercise that a file belongs to, EVERY if they share it, and None if it is no file of a course.

    `path` is relative to the root of the course. The file and the exercise need not exist.

    >>> owner_of(PurePath("solutions/my_norm/alternatives/einsum.py")), owner_of(PurePath("tests/hidden/test_my_norm.py"))
    ('my_norm', 'my_norm')
    >>> owner_of(PurePath("solutions/mistakes.toml")), owner_of(PurePath("docs/index.md"))
    ('', None)
    """
    if any(part.startswith(".") or part == "__pycache__" for part in path.parts):  # of editors, systems and Python itself
        return None
    match path.parts:
        case ("exercises" | "solutions", folder, _, *_):
            return None if is_left_out(folder) else folder
        case ("tests", "hidden", name) if path.suffix == ".py" and name.startswith("test_"):
            return path.stem.removeprefix("test_")
        case ("course.toml",) | ("exercises" | "solutions", *_) | ("tests", "hidden", *_):
            return EVERY
    return None


def is_left_out(folder: str) -> bool:
    """Return True if a folder of that name in `exercises` is no exercise.

    >>> is_left_out("_old"), is_left_out("my_norm")
    (True, False)
    """
    return folder[0] in "._"


def folders_in(course: Path) -> tuple[Path, ...]:
    """Return the folders that hold all of a course except for its settings."""
    return exercises_in(course), course / "solutions", course / "tests" / "hidden"


@dataclass(frozen=True, slots=True)
class Files:
    """The files of one exercise. They need not exist yet.

    - `slug`: the name of its folder and of the learner's file, as in `"layer_norm"`.
    - `course`: the root folder of its course.

    >>> files = Files("my_norm", Path("course"))
    >>> [path.as_posix() for path in (files.stub, files.reference, files.suite)]
    ['course/exercises/my_norm/my_norm.py', 'course/solutions/my_norm/reference.py', 'course/tests/hidden/test_my_norm.py']
    """

    slug: str
    course: Path

    @property
    def other_course(self) -> str:
        """The folder of its course; "" for the course that normgrade carries.

        >>> Files("layer_norm", carried()).other_course
        ''
        """
        return "" if os.path.realpath(self.course) == str(carried()) else str(self.course)

    @property
    def needed(self) -> tuple[Path, ...]:
        """The files that every exercise needs, in the order in which an author writes them.

        >>> [path.name for path in Files("my_norm", Path("course")).needed]
        ['exercise.toml', 'README.md', 'my_norm.py', 'reference.py', 'mistakes.toml', 'test_my_norm.py']
        """
        return self.description, self.prompt_in(ENGLISH), self.stub, self.reference, self.mistakes, self.suite

    # Seen by learners

    @property
    def folder(self) -> Path:
        """The folder that learners see: prompt, stub, `exercise.toml` and probes."""
        return exercises_in(self.course) / self.slug

    @property
    def description(self) -> Path:
        """The file `exercise.toml`, which describes the exercise."""
        return self.folder / "exercise.toml"

    @property
    def prompt(self) -> Path:
        """The file of the task in the current language; in English if it has no translation."""
        prompt = self.prompt_in(spoken())
        return prompt if prompt.is_file() else self.prompt_in(ENGLISH)

    def prompt_in(self, language: str) -> Path:
        """Return the file of the task in one language, a code such as "en" or "zh"."""
        return self.folder / ("README.md" if language == ENGLISH else f"README.{language}.md")

    @property
    def figures(self) -> tuple[Path, ...]:
        """The files of the prompt's figures, sorted by path."""
        return tuple(sorted(self.folder.glob("*.svg")))

    @property
    def file_name(self) -> str:
        """The name of the learner's file."""
        return f"{self.slug}.py"

    @property
    def stub(self) -> Path:
        """The file that a learner starts from."""
        return self.folder / self.file_name

    @property
    def probes(self) -> Path | None:
        """The file of the exercise's own probes; None if the generic probes are enough."""
        return existing(self.folder / "probes.py")

    @property
    def lab(self) -> Path | None:
        """The file of the networks in which the layer is put to work; None if there are none."""
        return existing(self.folder / "lab.py")

    @property
    def shared_lab(self) -> Path | None:
        """The file of the networks that the labs of the course share; None if it is missing."""
        return existing(self.folder.with_name("shared_lab.py"))

    @property
    def shared_probes(self) -> Path | None:
        """The file that probes of the course share; None if this exercise's own probes do not use it or it is missing."""
        path = self.folder.with_name("shared_probes.py")
        used = self.probes is not None and path.stem in read_text(self.probes)  # probes of an exercise in NumPy do not use it
        return existing(path) if used else None

    # Hidden from learners

    @property
    def suite(self) -> Path:
        """The hidden suite, a file of pytest tests."""
        return self.course / "tests" / "hidden" / f"test_{self.slug}.py"

    @property
    def helpers(self) -> tuple[Path, ...]:
        """The file of the helpers that the suites of the course share; empty if there is no such file."""
        path = existing(self.suite.with_name("shared.py"))
        return () if path is None else (path,)

    @property
    def solutions(self) -> Path:
        """The folder of the right and wrong implementations, and of the files that are computed from them."""
        return self.course / "solutions" / self.slug

    @property
    def reference(self) -> Path:
        """The right implementation that submissions are compared with."""
        return self.solutions / "reference.py"

    @property
    def alternatives_folder(self) -> Path:
        """The folder of the alternatives. It may be missing."""
        return self.solutions / "alternatives"

    @property
    def alternatives(self) -> tuple[Path, ...]:
        """Other right implementations, sorted by path."""
        return tuple(sorted(self.alternatives_folder.glob("*.py")))

    @property
    def refused(self) -> tuple[Path, ...]:
        """Submissions that break the ban and must be refused for it, sorted by path."""
        return tuple(sorted(self.solutions.glob("banned/*.py")))

    @property
    def mistakes(self) -> Path:
        """The file of the known mistakes, of other wrong answers, and of the mutants of the reference that are right code."""
        return self.solutions / "mistakes.toml"

    @property
    def shared_mistakes(self) -> Path:
        """The file from which wrong answers of one name take each key that an exercise does not give. It may be missing."""
        return self.solutions.with_name("mistakes.toml")

    def shared_habits(self, library: Library) -> Path:
        """Return the file of the bad habits that `verify --habits` tries on the references of a library. It may be missing."""
        return self.solutions.with_name(f"habits_{library}.py")

    @property
    def spreads(self) -> Path:
        """The file that tells how far the reference's numbers move, written by `normgrade verify --write`. It may be missing."""
        return self.solutions / "spreads.xz"

    @property
    def footprints(self) -> Path:
        """The file that tells which facts each known mistake changes, so that they need not all be played. It may be missing."""
        return self.solutions / "footprints.npz"


def existing(path: Path) -> Path | None:
    """Return the path if there is anything; otherwise None."""
    return path if path.exists() else None
