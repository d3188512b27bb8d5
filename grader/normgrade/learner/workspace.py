"""A learner's workspace: a folder with a `normgrade.toml`, in which every submission has the name of its exercise."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from shlex import quote

from normgrade.course.course import Course, named_by_environment
from normgrade.course.exercise import Exercise
from normgrade.course.files import TooLarge, own_folder, read_plain, read_text, write_whole
from normgrade.course.links import side_by_side
from normgrade.course.table import Table, Wrong, text
from normgrade.course.trust import is_trusted
from normgrade.language import LANGUAGES, _
from normgrade.language.errors import UsageError, either

MARK = "normgrade.toml"
MARK_BYTES = 4096  # a stranger may have written it, and Python's TOML parser takes seconds for long keys
BACKUP_BYTES = 16 * 1024**2  # at most, of a learner's file
SETTINGS = """\
# {what}
# {kept}

# lang = "zh"                        # {spoken}
{course}
"""


@dataclass(frozen=True)
class Workspace:
    """A folder with a `normgrade.toml`, and its settings: the course, if it is not the built-in one, and the language.

    Another person may have made the folder, so `course` is only used through `trusted_course`.
    """

    root: Path
    course: Path | None = None
    language: str | None = None

    @classmethod
    def find(cls, start: Path | None = None) -> Workspace | None:
        """Return the workspace that contains a folder, by default the current folder; None if there is none."""
        start = absolute(start or Path())
        root = next((folder for folder in (start, *start.parents) if os.path.lexists(folder / MARK)), None)
        return None if root is None else cls.at(root)

    @classmethod
    def at(cls, root: Path) -> Workspace:
        """Return the workspace with this root. Raises a UsageError if its `normgrade.toml` is wrong."""
        return with_settings(root, settings_in(root / MARK))

    def trusted_course(self) -> Path | None:
        """Return the course that `normgrade.toml` names, if any. Raises a UsageError if the user does not trust it."""
        if self.course is None:
            return None
        course = Path(os.path.realpath(self.course))
        if is_trusted(self.root, course):
            return course
        raise UsageError(
            _(
                'The workspace "{workspace}" names the course "{course}", which you do not trust yet: its code would run '
                "with your permissions. If you trust it, run `normgrade init {folder} --course {named}`. "
                "Use --course DIR to choose a course for one command only.",
                workspace=self.root,
                course=course,
                folder=quote(str(self.root)),
                named=quote(str(course)),
            )
        )

    @property
    def data(self) -> Path:
        """The folder of normgrade's own files: the database of attempts, and backups."""
        return self.root / ".normgrade"

    def submission(self, exercise: Exercise) -> Path:
        """Return the path of the learner's file for an exercise."""
        return self.root / exercise.file_name

    def prompt(self, exercise: Exercise) -> Path:
        """Return the path of the workspace's copy of a prompt. Its figures lie beside it."""
        return self.root / "prompts" / f"{exercise.slug}.md"

    def holds(self, path: Path) -> bool:
        """Return True if a file lies in the workspace."""
        return Path(os.path.realpath(path.parent)).is_relative_to(os.path.realpath(self.root))

    def link_on_the_way(self, path: Path) -> Path | None:
        """Return the first link among the folders between the workspace and a file. Links above the workspace do not count."""
        inside = [folder for folder in (Path.cwd() / path).parents if folder != self.root and folder.is_relative_to(self.root)]
        return next((folder for folder in reversed(inside) if folder.is_symlink()), None)

    def add(self, exercises: Iterable[Exercise]) -> list[Path]:
        """Add the stubs and prompts that are missing, and return the added files. No file is ever overwritten."""
        added = []
        own_folder(self.root / "prompts")
        for exercise in exercises:
            for path, content in self.files_for(exercise):
                if not os.path.lexists(path):
                    write_whole(path, content.encode())
                    added.append(path)
        return added

    def files_for(self, exercise: Exercise) -> Iterator[tuple[Path, str]]:
        """Yield the files that a learner needs for an exercise, with their contents. Exercises share the page of the rules."""
        yield self.submission(exercise), read_text(exercise.stub)
        prompt, rules = self.prompt(exercise), Course(exercise.course).rules
        yield prompt, side_by_side(read_text(exercise.prompt), exercise.slug)
        for figure in exercise.figures:
            yield prompt.with_name(f"{exercise.slug}-{figure.name}"), read_text(figure)
        if rules is not None:
            yield prompt.with_name("rules.md"), side_by_side(read_text(rules))

    def reset(self, exercise: Exercise, now: datetime) -> Path | None:
        """Restore the stub. Returns the backup of the old file; None if there was no file, or it was the stub."""
        path, stub = self.submission(exercise), read_text(exercise.stub).encode()
        old = read_plain(path, BACKUP_BYTES) if os.path.lexists(path) else stub
        backup = None
        if old != stub:
            backup = self.new_backup(exercise, now)
            own_folder(self.data)
            own_folder(backup.parent)
            write_whole(backup, old)
        write_whole(path, stub)
        return backup

    def new_backup(self, exercise: Exercise, now: datetime) -> Path:
        """Return a path for a backup at which no file exists."""
        dated = self.data / "backups" / f"{exercise.slug}-{now:%Y-%m-%d-%H%M%S}.py"
        others = (dated.with_stem(f"{dated.stem}-{number}") for number in range(2, 1000))
        return next(path for path in (dated, *others) if not os.path.lexists(path))


@lru_cache(maxsize=8)
def with_settings(root: Path, source: str) -> Workspace:
    """Return the workspace with this root, and the settings in the text of its `normgrade.toml`.

    A command calls this often, so each text is parsed once. Raises a UsageError if the text is wrong.
    """
    table = Table.parse(root / MARK, source)
    course, language = table.take("course", path_text, None), table.take("lang", known_language, None)
    table.finish()
    return Workspace(root, None if course is None else root / course, language)


def settings_in(path: Path) -> str:
    """Return the text of a `normgrade.toml`. Raises a UsageError if it cannot be read."""
    try:
        return read_plain(path, MARK_BYTES).decode()
    except TooLarge as error:
        raise UsageError(_('"{path}" is larger than {limit} bytes. Shorten it, or remove it.', path=path, limit=MARK_BYTES)) from error
    except OSError as error:
        raise UsageError(
            _('"{path}" cannot be read ({error}). Replace it with a regular file, or remove it.', path=path, error=error.strerror)
        ) from error
    except UnicodeDecodeError as error:
        raise UsageError(
            _(
                '"{path}" is not UTF-8: byte {number} is 0x{byte:02x}. Save it as UTF-8.',
                path=path,
                number=error.start + 1,
                byte=error.object[error.start],
            )
        ) from error


def path_text(value: object) -> str:
    if "\0" in text(value):
        raise Wrong(_("a path without NUL characters"))
    return text(value)


def known_language(value: object) -> str:
    if value in LANGUAGES:
        return str(value)
    raise Wrong(either(f'"{language}"' for language in LANGUAGES))


def absolute(path: Path) -> Path:
    """Return the absolute path. If the path contains "..", its links are resolved, because ".." depends on them."""
    return Path(os.path.realpath(path)) if ".." in path.parts else path.absolute()


def new_workspace(folder: Path, course: Path | None = None) -> Workspace:
    """Return the workspace at a folder. If there is none, create it; its `normgrade.toml` names the course, if any."""
    if folder.exists() and not folder.is_dir():
        raise UsageError(_('The workspace cannot be created in "{path}": it is a file. Pass a folder.', path=folder))
    around = Workspace.find(folder)
    if around is not None and around.root != absolute(folder):
        raise UsageError(
            _(
                '"{folder}" is inside the workspace "{around}". Use that workspace, or choose a folder outside it.',
                folder=folder,
                around=around.root,
            )
        )
    if around is None:
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(folder / MARK, settings(course).encode())
    return Workspace.at(absolute(folder))


def settings(course: Path | None) -> str:
    """Return a default `normgrade.toml`: every setting is commented out, except the course if one is given."""
    return SETTINGS.format(
        what=_("This is a workspace of normgrade. In this folder and its subfolders, every command finds the submissions here."),
        kept=_("Attempts are recorded in .normgrade/progress.db."),
        spoken=_("language of messages, en or zh; by default from your locale"),
        course='# course = "path/to/another/course"' if course is None else f"course = {as_toml(str(course))}",
    )


def as_toml(text: str) -> str:
    """Return a text as a TOML string: as in JSON, except for the character DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def needed() -> Workspace:
    """Return the workspace of the current folder. Raises a UsageError if there is none."""
    workspace = Workspace.find()
    if workspace is None:
        raise UsageError(
            _('"{folder}" is not in a workspace. Run `normgrade init` to create one, or go to your workspace.', folder=Path.cwd())
        )
    return workspace


def find_course(named: Path | None) -> Course:
    """Return the course named by --course, else by NORMGRADE_COURSE, else by the workspace if it is trusted, else the built-in one."""
    named = named or named_by_environment()
    workspace = Workspace.find() if named is None else None
    return Course.find(named if workspace is None else workspace.trusted_course())


def submission_of(exercise: Exercise) -> Path:
    """Return the path of a learner's file for an exercise: in the workspace, else in the current folder."""
    workspace = Workspace.find()
    return Path(exercise.file_name) if workspace is None else workspace.submission(exercise)
