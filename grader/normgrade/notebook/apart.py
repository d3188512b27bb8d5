"""Processes in which a notebook has something done.

A notebook runs a learner's code: it must not hold a reference, and its random numbers, threads and PyTorch settings must stay as they are.
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
from normgrade.worker.launch import command

CAPTURED: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}


def run_apart(module: str, *arguments: object, captured: bool = True) -> subprocess.CompletedProcess[bytes]:
    """Run one of our modules to its end, in the language that is spoken. Unless its output is captured, it has this terminal."""
    with started(module, *arguments, **(CAPTURED if captured else {})) as process:
        stdout, stderr = process.communicate()
    return subprocess.CompletedProcess(process.args, process.returncode, stdout, stderr)


def answers_apart(module: str, *arguments: object, on_answer: Callable[[Any], None]) -> subprocess.CompletedProcess[bytes]:
    """Run one of our modules to its end, and call `on_answer` with each object that it pickles to stdout, as soon as it is there."""
    with TemporaryFile() as said, started(module, *arguments, **CAPTURED | {"stderr": said}) as process:
        assert process.stdout is not None
        with suppress(EOFError, UnpicklingError):  # the end, or that of a process which broke
            while True:
                on_answer(pickle.load(process.stdout))
        process.wait()
        said.seek(0)
        return subprocess.CompletedProcess(process.args, process.returncode, b"", said.read())


@contextmanager
def started(module: str, *arguments: object, **streams: Any) -> Iterator[subprocess.Popen[bytes]]:
    """A process of one of our modules, in the language that is spoken. An interrupt ends it."""
    with subprocess.Popen(command(module, *arguments), env=os.environ | {VARIABLE: spoken()}, **streams) as process:
        try:
            yield process
        except KeyboardInterrupt:
            process.kill()
            process.wait()
            raise Interrupted(_("Run the cell again for a result.")) from None
