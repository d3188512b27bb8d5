"""The answers of a class to one exercise, as they are compared: each with the fingerprints that only its author can have brought in."""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from normgrade.classes.hand_ins import HandIn, LeftOut
from normgrade.classes.similar.fingerprints import Fingerprints, fingerprints
from normgrade.course.exercise import Exercise
from normgrade.course.files import read_text
from normgrade.inspection.cells import readable
from normgrade.inspection.source import LIMIT_BYTES, decoded, parse, too_large
from normgrade.language import ENGLISH, LANGUAGES
from normgrade.report.report import Finding

CODE = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer to an exercise.

    student: the name of the student, printable.
    source: the text of the file.
    digest: a hash of the source without any whitespace.
    own: its fingerprints, without those that the exercise gives.
    """

    student: str
    source: str
    digest: bytes
    own: Fingerprints


def answer_of(hand_in: HandIn, given: Collection[int]) -> Answer | LeftOut:
    """Return a hand-in as an answer, without the fingerprints in `given`; or the reason why it cannot be compared. Nothing is run."""
    path = Path(hand_in.origin)
    if len(hand_in.content) > LIMIT_BYTES:
        return LeftOut(hand_in.origin, too_large(path))
    source = decoded(path, hand_in.content)
    tree = source if isinstance(source, Finding) else parse(readable(source)[0])
    if isinstance(source, Finding) or isinstance(tree, Finding):
        return LeftOut(hand_in.origin, why(source if isinstance(source, Finding) else tree))
    own = {hashed: lines for hashed, lines in fingerprints(tree).items() if hashed not in given}
    return Answer(hand_in.student, source, digest_of(source), own)


def why(finding: object) -> str:
    """Return the first line of a finding: the lines below it point at the source."""
    assert isinstance(finding, Finding)
    return finding.text.partition("\n")[0]


def digest_of(source: str) -> bytes:
    return hashlib.blake2b("".join(source.split()).encode(errors="backslashreplace"), digest_size=16).digest()


def given_by(exercise: Exercise) -> frozenset[int]:
    """Return the fingerprints that an exercise gives everybody: those of its stub, of the code in its task, and of its right answers.

    Right answers count because those who find one formula write much of the same code.
    """
    return frozenset(hashed for source in sources_of(exercise) for hashed in fingerprints_of(source))


def sources_of(exercise: Exercise) -> Iterator[str]:
    """Yield the sources that come with an exercise."""
    for path in (exercise.stub, exercise.reference, *exercise.alternatives):
        yield read_text(path)
    for path in {exercise.prompt_in(language) for language in (ENGLISH, *LANGUAGES)}:
        if path.is_file():
            yield from CODE.findall(read_text(path))


def fingerprints_of(source: str) -> Collection[int]:
    """Return the fingerprints of a source; none if it is not Python, as the sketch of a signature."""
    tree = parse(source)
    return fingerprints(tree) if isinstance(tree, ast.Module) else ()
