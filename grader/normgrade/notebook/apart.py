"""Separate processes that work for a notebook.

A notebook runs a learner's code: it must not hold a reference, and its random numbers, threads and PyTorch settings must not change.
"""

from __future__ import annotations

import os
import pickle
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pickle import UnpicklingError
from tempfile import TemporaryFile
from typing import Any

from normgrade.language import VARIABLE, _, spoken
from normgrade.language.errors import Interrupted
from normgrade.worker.trusted.launch import command

CAPTURED: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}


def run_apart(module: str, *arguments: object, captured: bool = True) -> subprocess.CompletedProcess[bytes]:
    """Run one of normgrade's modules to its end, in the current language. If its output is not captured, it uses this terminal."""
    with started(module, *arguments, **(CAPTURED if captured else {})) as process:
        stdout, stderr = process.communicate()
    return subprocess.CompletedProcess(process.args, process.returncode, stdout, stderr)


def answers_apart(module: str, *arguments: object, on_answer: Callable[[Any], None]) -> subprocess.CompletedProcess[bytes]:
    """Run one of normgrade's modules to its end, and call `on_answer` with each object that it pickles to stdout, as it arrives."""
    with TemporaryFile() as said, started(module, *arguments, **CAPTURED | {"stderr": said}) as process:
        assert process.stdout is not None
        with suppress(EOFError, UnpicklingError):  # the end of the output, or of a process that crashed
            while True:
                on_answer(pickle.load(process.stdout))
        process.wait()
        said.seek(0)
        return subprocess.CompletedProcess(process.args, process.returncode, b"", said.read())


@contextmanager
def started(module: str, *arguments: object, **streams: Any) -> Iterator[subprocess.Popen[bytes]]:
    """Start a process of one of normgrade's modules, in the current language. An interrupt ends it."""
    with subprocess.Popen(command(module, *arguments), env=os.environ | {VARIABLE: spoken()}, **streams) as process:
        try:
            yield process
        except KeyboardInterrupt:
            process.kill()
            process.wait()
            raise Interrupted(_("Run the cell again for a result.")) from None
