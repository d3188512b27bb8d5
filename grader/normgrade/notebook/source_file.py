"""The file that holds a source while it is graded or tried."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory

from normgrade.course.exercise import Exercise
from normgrade.course.files import own_folder, write_whole
from normgrade.language import _
from normgrade.language.errors import UsageError
from normgrade.learner.workspace import Workspace


@contextmanager
def as_file(exercise: Exercise, source: str) -> Iterator[Path]:
    """Write the source to a file and yield its path. In a workspace the file stays, in `.normgrade/notebook`; elsewhere it is temporary."""
    workspace = Workspace.find()
    with TemporaryDirectory(prefix="normgrade-") if workspace is None else nullcontext(workspace.data / "notebook") as folder:
        path = Path(folder) / exercise.file_name
        try:
            if workspace is not None:
                own_folder(workspace.data)
                own_folder(path.parent)
            write_whole(path, source.encode(errors="surrogatepass"))
        except OSError as error:
            why = error.strerror
            raise UsageError(
                _('The source code cannot be written to "{path}" ({why}). Make sure that this path is writable.', path=path, why=why)
            ) from error
        yield path
