"""A course: it finds its exercises, and tells which cannot be used."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from normgrade.course.exercise import Exercise
from normgrade.course.files import read_text
from normgrade.course.layout import Files, exercises_in, existing, is_left_out, rules_in, settings_in
from normgrade.course.package import carried
from normgrade.course.path import circle, in_path_order
from normgrade.course.reading import predecessors, read_exercise, read_settings
from normgrade.course.settings import Settings
from normgrade.course.table import Table
from normgrade.language import ENGLISH, _, spoken
from normgrade.language.errors import CourseError, UsageError, did_you_mean

UNWRITTEN = "raise NotImplementedError"  # in the reference of a first draft


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
        if not os.path.isdir(exercises_in(root)):
            raise UsageError(
                _(
                    'No course at "{folder}": it has no folder "exercises". Use --course DIR or NORMGRADE_COURSE to choose a course.',
                    folder=root,
                )
            )
        return cls(root)

    @cached_property
    def settings(self) -> Settings:
        """The settings in `course.toml`; the defaults if there is no such file. Raise CourseError if it is wrong."""
        return read_settings(settings_in(self.root))

    @property
    def rules(self) -> Path | None:
        """The page of the rules that all exercises share, in the current language or in English; None if the course has none."""
        return existing(rules_in(self.root, spoken())) or existing(rules_in(self.root, ENGLISH))

    @cached_property
    def slugs(self) -> tuple[str, ...]:
        """The slugs of all exercises, sorted by name."""
        return tuple(name for name in self.folders if self.files(name).description.exists())

    @cached_property
    def folders(self) -> tuple[str, ...]:
        """The names of all folders in `exercises`, sorted: exercises, and folders that may become one."""
        found = (path.name for path in exercises_in(self.root).iterdir() if path.is_dir() and not is_left_out(path.name))
        return tuple(sorted({*found} - self.without))

    def files(self, slug: str) -> Files:
        """Return the files of an exercise, which need not exist yet."""
        return Files(slug, self.root)

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
                raise CourseError(_("{folder}: it has no file exercise.toml.", folder=self.files(name).folder))
            exercise = self.exercise(name)
            if UNWRITTEN in read_text(exercise.reference):
                raise CourseError(_("{path}: the reference is not written yet.", path=exercise.reference))
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
        exercise = read_exercise(self.files(slug), self.settings)
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
            said = _('"{slug}" would come after itself: {way}. Remove one of these names', slug=exercise.slug, way=" → ".join(way))
            description.wrong("after", said)

    def after(self, slug: str) -> tuple[str, ...]:
        """Return the slugs of the exercises that one comes after; none if its `exercise.toml` is wrong or missing."""
        if slug not in self.slugs:
            return ()
        try:
            return predecessors(self.files(slug))
        except CourseError:
            return ()


def named_by_environment() -> Path | None:
    """Return the folder that the variable NORMGRADE_COURSE names; None if it is unset or empty."""
    named = os.environ.get("NORMGRADE_COURSE")
    return Path(named) if named else None
