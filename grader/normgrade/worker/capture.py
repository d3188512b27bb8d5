"""What a learner's code prints: read at once, kept up to a limit, without the characters that control a terminal."""

from __future__ import annotations

import os
import threading

from normgrade.language import _
from normgrade.language.visible import printable

OUTPUT_LIMIT_BYTES = 16 * 1024
CHUNK_BYTES = 1024**2
MARK = "\0normgrade {} answered\0"  # the worker writes it after the output of an answer; what comes later belongs to no answer
MARK_BYTES = 64  # longer than any mark


def mark(serial: int) -> bytes:
    """The bytes that end the output of the answer with this serial."""
    return MARK.format(serial).encode()


class Capture:
    """The output of one process, answer by answer. A thread of its own reads it, so that printing never blocks for long."""

    def __init__(self, fd: int) -> None:
        self.lock = threading.Lock()
        self.kept = bytearray()
        self.dropped_bytes = 0
        self.pending = b""  # the last bytes, which may be the beginning of the mark
        self.mark = mark(0)  # ends what a process prints while it starts
        self.complete = threading.Event()
        self.patience_s = 1.0  # how long to wait for a mark
        self.thread = threading.Thread(target=self.read, args=(fd,), daemon=True)
        self.thread.start()

    def begin(self, serial: int) -> None:
        """Start the output of the answer with this serial; it ends with its mark."""
        with self.lock:
            self.kept.clear()
            self.dropped_bytes, self.pending, self.mark = 0, b"", mark(serial)
            self.complete.clear()

    def take(self) -> str:
        """What was printed for this answer; waits for its mark or for the end of all output."""
        if self.thread.is_alive() and not self.complete.wait(self.patience_s):
            self.patience_s = 0.02  # the code may have redirected its output, so that no mark will come for later answers either
        with self.lock:
            self.keep(self.pending)
            self.pending = b""
            self.complete.set()
            if not self.dropped_bytes:
                return printable(self.kept.decode("utf-8", "replace")) if self.kept else ""
            more = _("… {n:,} more bytes", n=self.dropped_bytes)
            return printable(self.kept.decode("utf-8", "replace")) + f"\n{more}\n"

    def read(self, fd: int) -> None:
        """The thread that reads the pipe until its end, then closes it."""
        try:
            while chunk := os.read(fd, CHUNK_BYTES):
                with self.lock:
                    self.add(chunk)
        except OSError:
            pass
        finally:
            os.close(fd)
            self.complete.set()

    def add(self, chunk: bytes) -> None:
        """Keep what was read, up to the mark."""
        if self.complete.is_set():  # printed after the answer
            return
        text = self.pending + chunk
        end = text.find(self.mark)
        if end >= 0:
            self.keep(text[:end])
            self.pending = b""
            self.complete.set()
        else:
            self.keep(text[:-MARK_BYTES])
            self.pending = text[-MARK_BYTES:]

    def keep(self, text: bytes) -> None:
        """Keep as much of this output as there is room for, and count the rest."""
        room = OUTPUT_LIMIT_BYTES - len(self.kept)
        self.kept += text[:room]
        self.dropped_bytes += max(len(text) - room, 0)
