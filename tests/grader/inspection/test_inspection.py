"""Inspection of a whole source, without running it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from normgrade.course.exercise import Exercise
from normgrade.course.signature import Signature
from normgrade.inspection.inspection import Inspection, inspect_source
from normgrade.report.report import Finding, Rule

SOURCES = Path(__file__).parents[1] / "fixtures" / "inspection"
STUB = (SOURCES / "stub.py").read_text()
RIGHT = (SOURCES / "right.py").read_text()
LAYER_NORM = "LayerNorm(normalized_shape, eps=1e-5, elementwise_affine=True, bias=True)"
FUNCTION = "layer_norm(x, weight=None, eps=1e-5)"

AnExercise = Callable[..., Exercise]
Inspect = Callable[..., Inspection]
FindingOf = Callable[..., Finding]


def test_a_right_file_has_no_findings(inspect: Inspect) -> None:
    assert inspect(RIGHT) == Inspection(RIGHT, (), started=True)
    assert inspect(RIGHT).runnable


def test_a_file_is_identified_by_its_hash(inspect: Inspect) -> None:
    content = b"\xef\xbb\xbf" + RIGHT.encode().replace(b"\n", b"\r\n")
    assert inspect(content).digest == sha256(content).hexdigest()


@pytest.mark.parametrize("source", ["", " \n\n", "# later\n"])
def test_a_file_without_code_is_a_finding(inspect: Inspect, source: str) -> None:
    inspection = inspect(source)
    text = "The file has no code: write it, or start again with `normgrade show --stub layer_norm > layer_norm.py`."
    assert inspection == Inspection(source, (Finding(0, 0, Rule.FILE, text),), started=True)
    assert not inspection.runnable


def test_findings_come_in_the_order_of_the_file(inspect: Inspect) -> None:
    source = "import torch\ny = torch.layer_norm(1)\ndef layer_norm(z): pass\nz = torch.group_norm(1)\n"
    found = [(finding.line, finding.rule) for finding in inspect(source, FUNCTION, "missing()").findings]
    assert found == [(0, "contract"), (2, "banned"), (3, "signature"), (4, "banned")]


def test_code_with_a_banned_call_is_runnable(inspect: Inspect) -> None:
    assert inspect("import torch\nx = torch.layer_norm\n" + RIGHT).runnable


def test_the_course_may_ban_nothing(tmp_path: Path) -> None:
    free = Exercise("layer_norm", tmp_path, "Layers", "Layers", 1, 10, 20, (Signature.parse("f(x)"),))
    assert inspect_source("import torch\ndef f(x): return torch.layer_norm(x)", free).findings == ()


def test_the_stub_is_not_started(inspect: Inspect) -> None:
    assert inspect(STUB) == Inspection(STUB, (), started=False)


@pytest.mark.parametrize(
    "source",
    [
        "# mine\n" + STUB.replace("    raise", "    # soon\n\n        raise"),
        STUB.replace('"""Normalises."""', '"""Does it."""').replace('"""The task."""', ""),
        "import math\n" + STUB + "\ndef mean(x):\n    return x.mean()\n",
        STUB + "\nif __name__ == '__main__':\n    LayerNorm(3)\n",
        STUB.replace("\n", "\r\n"),
    ],
)
def test_the_stub_with_trimmings_is_not_started(inspect: Inspect, source: str) -> None:
    assert not inspect(source).started


@pytest.mark.parametrize(
    "source",
    [
        RIGHT,
        STUB.replace('raise NotImplementedError("keep the arguments")', "self.eps = eps"),
        STUB.replace("nn.Module", "Base"),
        STUB.replace("1e-5", "1e-6"),
        STUB.replace("class LayerNorm", "class Layernorm"),
    ],
)
def test_a_change_of_the_stubs_code_is_a_start(inspect: Inspect, source: str) -> None:
    assert inspect(source).started


def test_open_parts_of_the_stub_outside_the_contract_count(an_exercise: AnExercise) -> None:
    stub = "def layer_norm(x): return centred(x)\ndef centred(x):\n    raise NotImplementedError\n"
    exercise = an_exercise(stub, "layer_norm(x)")
    assert not inspect_source(stub, exercise).started
    assert inspect_source(stub.replace("raise NotImplementedError", "return x - x.mean()"), exercise).started


def test_the_stub_may_be_allowed(inspect: Inspect) -> None:
    assert inspect(STUB, allow_stub=True).started


@pytest.mark.parametrize("stub", ["x = = 1", "class Other: pass"])
def test_a_stub_without_the_contract_means_started(an_exercise: AnExercise, stub: str) -> None:
    assert inspect_source(STUB, an_exercise(stub, LAYER_NORM)).started


def test_without_a_stub_everything_is_started(an_exercise: AnExercise) -> None:
    exercise = an_exercise(STUB, LAYER_NORM)
    exercise.stub.unlink()
    assert inspect_source(STUB, exercise).started


def test_inspection_imports_nothing_heavy() -> None:
    code = "import normgrade.inspection.inspection, sys; print(*sorted({'torch', 'numpy', 'pytest', 'rich', 'click'} & set(sys.modules)))"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("\n", "")


def test_a_banned_base_class_gets_an_alternative(finding_of: Callable[..., Finding]) -> None:
    source = "import torch\n\n\nclass LayerNorm(torch.nn.modules.batchnorm._NormBase):\n    pass\n"
    text = finding_of(source, "LayerNorm(dim)").text
    assert text.startswith("This line uses `torch.nn.modules.batchnorm._NormBase`, which must be written by hand. Derive from ")
