"""Processes in which a notebook has something done.

A notebook runs a learner's code: it must not hold a reference, and its random numbers, threads and PyTorch settings must stay as they are.
"""

from __future__ import annotations

import os
import subprocess
from typing import Any

from normgrade.language import VARIABLE, _, spoken
from normgrade.language.errors import Interrupted
from normgrade.worker.launch import command

CAPTURED: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}


def run_apart(module: str, *arguments: object, captured: bool = True) -> subprocess.CompletedProcess[bytes]:
    """Run one of our modules to its end, in the language that is spoken. Unless its output is captured, it has this terminal."""
    environment, program = os.environ | {VARIABLE: spoken()}, command(module, *arguments)
    with subprocess.Popen(program, env=environment, **(CAPTURED if captured else {})) as process:
        try:
            stdout, stderr = process.communicate()
        except KeyboardInterrupt:
            process.kill()
            process.wait()
            raise Interrupted(_("Run the cell again for a result.")) from None
    return subprocess.CompletedProcess(program, process.returncode, stdout, stderr)
