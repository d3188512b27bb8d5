"""A learner's workspace: a folder with a `normgrade.toml`, where every submission lies under its exercise's name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from normgrade.course import Course, Exercise, Table, Wrong, read, text
from normgrade.errors import UsageError, either
from normgrade.files import write_whole
from normgrade.language import LANGUAGES, _

MARK = "normgrade.toml"
SETTINGS = """\
# {what}
# {kept}

# lang = "zh"                        # {spoken}
# course = "path/to/another/course"
"""


@dataclass(frozen=True)
class Workspace:
    """The folder, and what its `normgrade.toml` says: the course, where it is another than the one carried, and the language."""

    root: Path
    course: Path | None = None
    language: str | None = None

    @classmethod
    def find(cls, start: Path | None = None) -> Workspace | None:
        """The workspace that a folder lies in, by default the current one."""
        start = (start or Path()).absolute()
        root = next((folder for folder in (start, *start.parents) if (folder / MARK).is_file()), None)
        return None if root is None else cls.read(root)

    @classmethod
    def read(cls, root: Path) -> Workspace:
        table = Table.read(root / MARK)
        course, language = table.take("course", text, None), table.take("lang", known_language, None)
        table.finish()
        return cls(root, None if course is None else root / course, language)

    @property
    def kept(self) -> Path:
        """Where normgrade keeps what is its own."""
        return self.root / ".normgrade"

    def submission(self, exercise: Exercise) -> Path:
        return self.root / exercise.file_name

    def prompt(self, exercise: Exercise) -> Path:
        return self.root / "prompts" / f"{exercise.slug}.md"

    def add(self, exercises: Iterable[Exercise]) -> list[Path]:
        """Put stubs and prompts there, where there are none: what was added. Nothing is ever overwritten."""
        added = []
        for exercise in exercises:
            for path, source in ((self.submission(exercise), exercise.stub), (self.prompt(exercise), exercise.prompt)):
                if not path.exists() and not path.is_symlink():
                    path.parent.mkdir(parents=True, exist_ok=True)
                    write_whole(path, read(source).encode())
                    added.append(path)
        return added

    def reset(self, exercise: Exercise, now: datetime) -> Path | None:
        """Put the stub back; where the old file is kept, or None where it was the stub, or was not there."""
        path, stub = self.submission(exercise), read(exercise.stub).encode()
        old = path.read_bytes() if path.exists() else stub
        kept = None
        if old != stub:
            kept = self.backup(exercise, now)
            kept.parent.mkdir(parents=True, exist_ok=True)
            write_whole(kept, old)
        write_whole(path, stub)
        return kept

    def backup(self, exercise: Exercise, now: datetime) -> Path:
        """A name that nothing has yet."""
        dated = self.kept / "backups" / f"{exercise.slug}-{now:%Y-%m-%d-%H%M%S}.py"
        others = (dated.with_stem(f"{dated.stem}-{number}") for number in range(2, 1000))
        return next(path for path in (dated, *others) if not path.exists())


def known_language(value: object) -> str:
    if value in LANGUAGES:
        return str(value)
    raise Wrong(either(f'"{language}"' for language in LANGUAGES))


def new_workspace(folder: Path) -> Workspace:
    """The workspace at a folder, begun there if there is none."""
    if folder.exists() and not folder.is_dir():
        raise UsageError(_('No workspace can be begun at "{path}": it is a file. Name a folder.', path=folder))
    around = Workspace.find(folder)
    if around is not None and around.root != folder.absolute():
        raise UsageError(
            _(
                '"{folder}" lies inside the workspace "{around}". Work there, or name a folder outside of it.',
                folder=folder,
                around=around.root,
            )
        )
    if around is None:
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(folder / MARK, settings().encode())
    return Workspace.read(folder.absolute())


def settings() -> str:
    """What a new workspace says: nothing but what it could say."""
    return SETTINGS.format(
        what=_("A workspace of normgrade: in this folder and below it, every command finds the submissions here."),
        kept=_("What was tried is kept in .normgrade/progress.db."),
        spoken=_("English and Chinese are spoken; without this, your locale's"),
    )


def needed() -> Workspace:
    """The workspace of the current folder; a UsageError where there is none."""
    workspace = Workspace.find()
    if workspace is None:
        raise UsageError(
            _('"{folder}" is in no workspace. Begin one with `normgrade init`, or go to the folder of yours.', folder=Path.cwd())
        )
    return workspace


def find_course(named: Path | None) -> Course:
    """The course that --course names, else NORMGRADE_COURSE, else the workspace, else the one that normgrade carries."""
    workspace = Workspace.find()
    return Course.find(named, None if workspace is None else workspace.course)


def submission_of(exercise: Exercise) -> Path:
    """Where a learner's file for an exercise lies: in the workspace, else in the current folder."""
    workspace = Workspace.find()
    return Path(exercise.file_name) if workspace is None else workspace.submission(exercise)
