"""A script of plain Python that repeats a failed check on a submission. A learner steps through it with a debugger."""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path

from normgrade.compare.played import Result
from normgrade.course.exercise import Exercise
from normgrade.course.tensor_library import Library
from normgrade.language import _
from normgrade.learner.repro import script_in_numpy, script_in_pytorch
from normgrade.learner.repro.script_parts import SHOW, UNPACK, columns, needed, printed
from normgrade.remarks.crash import decisive

SEAL = b"# SHA-256 of the lines above: "  # the beginning of the last line of a script
HEAD = '''"""{made}

    {claim}
"""

{imports}

def load(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
{tools}
{settings}
submission = load("submission", {path!r})
{body}
'''
IMPORTS = """import base64
import importlib.util
import sys
from contextlib import suppress
from math import inf
from math import nan
from operator import attrgetter
from traceback import print_exception
import numpy as np
import torch
"""


def script(exercise: Exercise, path: Path, result: Result) -> str:
    """Return the script for a check that failed: it repeats the request in which the check failed."""
    check, play = result.check, decisive(result.check, result)
    written = script_in_numpy if exercise.written_with is Library.NUMPY else script_in_pytorch
    lines = [*written.body(exercise, play, check.differences)]
    if play.refusal:
        lines.append(printed(_("{error} is expected here.", error=play.refusal[0])))
    words = dict(zip(("got", "expected", "off_by"), columns(_("got"), _("expected"), _("off by")), strict=True))
    at_most, of_many = (
        _("{size} at most", size="{max(abs(got[at] - expected[at]) for at in expected):g}"),
        _("the numbers that are furthest off, by their index"),
    )
    body = "\n".join(lines)
    tools = needed([SHOW.format(**words, at_most=at_most, worst=of_many), *written.tools(), UNPACK], body)
    names = {*re.findall(r"\w+", f"{tools} {written.SETTINGS} {body} importlib")}
    imports = "\n".join(line for line in IMPORTS.split("\n") if not line or line.split()[-1].partition(".")[0] in names)
    return HEAD.format(
        made=_("Written by `normgrade repro`. This script runs {check} on {file}:", file=path.name, check=check.name),
        claim=check.claim,
        imports=imports,
        tools=tools,
        settings=written.SETTINGS,
        path=str(path.absolute()),
        body=body,
    )


def sealed(source: str) -> bytes:
    """Return the script with a last line that holds its hash, so that later changes can be detected."""
    content = source.encode()
    return content + SEAL + sha256(content).hexdigest().encode() + b"\n"


def is_as_made(content: bytes) -> bool:
    """Return True if a file holds a script that `sealed` returned, in any language, and that nobody has changed."""
    above, _seal, digest = content.rpartition(SEAL)
    return digest == sha256(above).hexdigest().encode() + b"\n"
