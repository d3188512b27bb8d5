"""The output of a learner's code: read at once, kept up to a limit, without the characters that control a terminal."""

from __future__ import annotations

import os
import threading
from collections import deque

from normgrade.language import _
from normgrade.language.visible import printable

OUTPUT_LIMIT_BYTES = 16 * 1024
CHUNK_BYTES = 1024**2
MARK = "\0normgrade {} answered\0"  # the worker writes it after the output of each answer
MARK_BYTES = 64  # longer than any mark


def mark(serial: int) -> bytes:
    """Return the bytes that end the output of the answer with this serial."""
    return MARK.format(serial).encode()


class Capture:
    """The output of one process, answer by answer. A thread of its own reads it, so that printing never blocks for long."""

    def __init__(self, fd: int) -> None:
        self.changed = threading.Condition()
        self.kept = bytearray()
        self.dropped_bytes = 0
        self.pending = b""  # the last bytes, which may be the beginning of a mark
        self.awaited = deque([mark(0)])  # the marks that are still to come; the first ends the output of the start of the process
        self.starting = True  # output at this time belongs to no answer
        self.said: deque[str] = deque()  # the output of answers that have come and were not taken
        self.patience_s = 1.0  # how long to wait for a mark
        self.thread = threading.Thread(target=self.read, args=(fd,), daemon=True)
        self.thread.start()

    def begin(self, serial: int) -> None:
        """Expect the output of the answer with this serial, after that of the answers begun before. It ends with its mark."""
        with self.changed:
            if self.starting:
                self.awaited.clear()
                self.said.clear()
                self.kept, self.dropped_bytes, self.pending, self.starting = bytearray(), 0, b"", False
            self.awaited.append(mark(serial))

    def take(self) -> str:
        """Return the output of the first answer that was not taken. Wait for its mark, or for the end of all output."""
        with self.changed:
            if not self.changed.wait_for(lambda: self.said or not self.thread.is_alive(), self.patience_s):
                self.patience_s = 0.02  # the code may have redirected its output, so that no mark will come for later answers either
            if not self.said:
                self.keep(self.pending)
                self.end_answer()
            return self.said.popleft()

    def read(self, fd: int) -> None:
        """Read the pipe until its end, then close it. Runs in its own thread."""
        try:
            while chunk := os.read(fd, CHUNK_BYTES):
                with self.changed:
                    self.add(chunk)
        except OSError:
            pass
        finally:
            os.close(fd)
            with self.changed:
                if self.awaited:
                    self.keep(self.pending)
                    self.end_answer()
                self.changed.notify()

    def add(self, chunk: bytes) -> None:
        """Keep the output up to the next mark, and again up to the one after it."""
        text = self.pending + chunk
        while self.awaited and (end := text.find(self.awaited[0])) >= 0:
            self.keep(text[:end])
            text = text[end + len(self.awaited[0]) :]
            self.end_answer()
        if self.awaited:
            self.keep(text[:-MARK_BYTES])
        self.pending = text[-MARK_BYTES:] if self.awaited else b""  # output after the last answer belongs to none

    def keep(self, text: bytes) -> None:
        """Keep as much of this output as there is room for, and count the rest."""
        room = OUTPUT_LIMIT_BYTES - len(self.kept)
        self.kept += text[:room]
        self.dropped_bytes += max(len(text) - room, 0)

    def end_answer(self) -> None:
        """Complete the output of one answer."""
        more = "\n" + _("… {n:,} more bytes: printing this much takes time", n=self.dropped_bytes) + "\n" if self.dropped_bytes else ""
        self.said.append(printable(self.kept.decode("utf-8", "replace")) + more if self.kept else "")
        self.kept, self.dropped_bytes, self.pending = bytearray(), 0, b""
        if self.awaited:
            self.awaited.popleft()
        self.changed.notify()
