"""Tests of the command `try`, which plays a learner's own input."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., tuple[int, str, str]]
RMS = "def rms(x, eps=1e-5):\n    return x / (x.float() ** 2).sum(-1, keepdim=True).add(eps) ** 0.5\n"


def test_both_outputs_stand_side_by_side(run: Run, tmp_path: Path) -> None:
    (tmp_path / "rms.py").write_text(RMS, encoding="utf-8")
    code, out, err = run("try", "rms", "rms()", "[[3., 4.]]")
    assert (code, err) == (1, "")
    assert out.startswith("rms · rms.py · rms() · float32 (1, 2) output · float32 · (1, 2): 2 of 2 numbers differ, ")
    assert "at reference yours off by allowed ▶ [0, 0] 0.848528 0.6" in out and out.endswith("✗ They differ: output.")
    code, out, err = run("try", "rms", "rms()", "[[3.]]")
    assert (code, err) == (0, "") and out.endswith("✓ They agree within the rounding of float32.")


def test_another_file_can_be_tried(run: Run, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(RMS.replace("sum", "mean"), encoding="utf-8")
    code, out, err = run("try", "rms", "rms(eps=0)", "[[3., 4.]]", "--file", "mine.py", "--backward")
    assert (code, err) == (0, "") and out.startswith("rms · mine.py · rms(eps=0)") and "gradient of input · float32 · (1, 2): they" in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("rms", "rms(", "[1]"), "CALL cannot be read: '(' was never closed."),
        (("rms", "rsm()", "[1]"), 'rms has no "rsm" to call. Did you mean "rms"? Choose from rms.'),
        (("rsm", "rms()", "[1]"), 'No exercise named "rsm". Did you mean "rms"? `normgrade list` shows them all.'),
        (("rms", "rms()", "[1, [2]]"), "INPUT must be a nested list of numbers."),
        (("rms", "rms()", "[1]", "--dtype", "flaot16"),
         'No dtype named "flaot16". Did you mean "float16"? --dtype must be float32, float64, float16 or bfloat16.'),
        (("rms", "rms()", "[1]", "--seed", "-1"), '--seed must be a whole number from 0 to 4294967295, not "-1".'),
        (("rms", "rms()", "--backward"), 'Missing argument: INPUT. Pass an input after CALL, such as "[[1.0, 2.0, 3.0]]".'),
        (("rms", "rms()", "[1]", "--file", "gone.py"), "gone.py cannot be played: "),
    ],
)  # fmt: skip
def test_wrong_arguments_are_explained(arguments: tuple[str, ...], said: str, run: Run, tmp_path: Path) -> None:
    (tmp_path / "rms.py").write_text(RMS, encoding="utf-8")
    code, out, err = run("try", *arguments)
    assert (code, out) == (2, "") and err.startswith(f"Error: {said}")


def test_a_layer_needs_an_input(run: Run, put_centring: Path) -> None:
    assert (
        run("try", "centring", "Centring(3)")[2] == 'Error: Missing argument: INPUT. Pass an input after CALL, such as "[[1.0, 2.0, 3.0]]".'
    )
    assert run("try", "centring", "Centring(3)", "[[1, 2, 3]]", "--eval")[1].startswith(
        "centring · centring.py · Centring(3) · evaluation mode · float32 (1, 3)"
    )


@pytest.fixture
def put_centring(tmp_path: Path) -> Path:
    source = "import torch\n\nclass Centring(torch.nn.Module):\n"
    source += "    def __init__(self, num_features, momentum=0.1):\n        super().__init__()\n"
    path = tmp_path / "centring.py"
    path.write_text(f"{source}\n    def forward(self, x):\n        return x\n", encoding="utf-8")
    return path


def test_nothing_is_tried_in_an_interview(run: Run, tmp_path: Path) -> None:
    run("init", ".")
    run("interview", "--minutes", "30")
    code, out, err = run("try", "rms", "rms()", "[1]")
    assert (code, out) == (2, "") and "interview" in err
