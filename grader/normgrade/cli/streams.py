"""Standard streams that never raise: output that cannot be written is dropped, and the error is kept for the end of the command.

So neither a closed pipe nor a full disk ends a command half-way, or changes the verdict on a submission. A sign that the encoding lacks is
replaced by another one.
"""

from __future__ import annotations

import io
import sys
from typing import Any, TextIO

from normgrade.language.visible import HANDLER


class Sink(io.RawIOBase):
    """The lowest layer of a stream, which passes bytes to the system. After an error everything is dropped."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream  # kept, because a stream closes its lowest layer when it is collected
        self.end = end_of(stream)
        self.error: OSError | None = None

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self.stream.fileno()

    def isatty(self) -> bool:
        return self.stream.isatty()

    def write(self, content: bytes) -> int | None:  # type: ignore[override]
        if self.error is None:
            try:
                return self.end.write(content)  # type: ignore[no-any-return]
            except OSError as error:
                self.error = error
        return len(content)


def never_raise() -> None:
    """Make a `Sink` the lowest layer of stdout and stderr, for the rest of this process."""
    sys.stdout, sys.stderr = into_sink(sys.stdout), into_sink(sys.stderr)


def into_sink(stream: TextIO) -> TextIO:
    """Return the stream with a `Sink` as its lowest layer, which takes every text; it is buffered as before."""
    sink: Any = Sink(stream)
    end = sink if sink.end is stream.buffer else io.BufferedWriter(sink)  # with PYTHONUNBUFFERED there is no buffer
    how = {name: getattr(stream, name) for name in ("encoding", "line_buffering", "write_through")}
    return io.TextIOWrapper(end, errors=HANDLER, **how)


def end_of(stream: TextIO) -> Any:
    """Return the lowest layer of a stream."""
    return getattr(stream.buffer, "raw", stream.buffer)


def why_dropped() -> OSError | None:
    """Return the error after which output to stdout was dropped; None if there was none."""
    sys.stdout.flush()
    end = end_of(sys.stdout)
    return end.error if isinstance(end, Sink) else None
