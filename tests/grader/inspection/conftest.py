"""Fixtures that inspect sources as submissions for an exercise whose stub is fixtures/inspection/stub.py."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.course.signature import Signature
from normgrade.inspection.inspection import Inspection, inspect_file
from normgrade.report.report import Finding

STUB = (Path(__file__).parents[1] / "fixtures" / "inspection" / "stub.py").read_text()
LAYER_NORM = "LayerNorm(normalized_shape, eps=1e-5, elementwise_affine=True, bias=True)"
BANNED = Course(Path(__file__).parents[3]).settings.banned


@pytest.fixture
def an_exercise(tmp_path: Path) -> Callable[..., Exercise]:
    """Return a function that makes an exercise with this stub and contract, and the bans of the course."""

    def made(stub: str, *contract: str) -> Exercise:
        folder = tmp_path / "exercises" / "layer_norm"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "layer_norm.py").write_text(stub)
        defines = tuple(map(Signature.parse, contract))
        return Exercise("layer_norm", tmp_path, "Layer normalisation", "Layers", 1, 10, 20, defines, BANNED)

    return made


@pytest.fixture
def exercise(an_exercise: Callable[..., Exercise]) -> Exercise:
    return an_exercise(STUB, LAYER_NORM)


@pytest.fixture
def inspect(tmp_path: Path, an_exercise: Callable[..., Exercise]) -> Callable[..., Inspection]:
    """Return a function that inspects a source, as a file, against contracts; that of layer normalisation if none is given."""

    def inspected(source: str | bytes, *contract: str, allow_stub: bool = False) -> Inspection:
        path = tmp_path / "layer_norm.py"
        path.write_bytes(source if isinstance(source, bytes) else source.encode())
        return inspect_file(path, an_exercise(STUB, *(contract or [LAYER_NORM])), allow_stub=allow_stub)

    return inspected


@pytest.fixture
def finding_of(inspect: Callable[..., Inspection]) -> Callable[..., Finding]:
    """Return a function that returns the only finding of a source."""

    def found(source: str | bytes, *contract: str) -> Finding:
        [finding] = inspect(source, *contract).findings
        return finding

    return found
