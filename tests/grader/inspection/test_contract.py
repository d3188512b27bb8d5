"""Missing names, definitions of the wrong kind, and definitions whose arguments are compared."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from normgrade.inspection.inspection import Inspection
from normgrade.report.report import Finding, Rule

SOURCES = Path(__file__).parents[1] / "fixtures" / "inspection"
RIGHT = (SOURCES / "right.py").read_text()
FUNCTION = "layer_norm(x, weight=None, eps=1e-5)"

Inspect = Callable[..., Inspection]
FindingOf = Callable[..., Finding]


def test_a_near_miss_should_be_renamed(inspect: Inspect) -> None:
    inspection = inspect(RIGHT.replace("class LayerNorm", "class Layernorm"))
    text = "The file does not define `LayerNorm`, but it defines `Layernorm`. Rename it."
    assert inspection.findings == (Finding(5, 1, Rule.CONTRACT, text),)
    assert not inspection.runnable


def test_without_a_near_miss_the_names_are_listed(finding_of: FindingOf) -> None:
    text = (
        "The file does not define `LayerNorm`, only `EPS`, `scale` and `RMSNorm`. "
        "Add the class `LayerNorm(normalized_shape, eps=1e-5, elementwise_affine=True, bias=True)`."
    )
    source = "import torch\n__all__ = []\nEPS = 1\ndef scale(x): return x\nclass RMSNorm: pass\n"
    assert finding_of(source) == Finding(0, 0, Rule.CONTRACT, text)


def test_a_file_without_definitions_is_a_finding(finding_of: FindingOf) -> None:
    text = "The file does not define `layer_norm` or anything else. Add the function `layer_norm(x, weight=None, eps=1e-5)`."
    assert finding_of("import torch\n", FUNCTION) == Finding(0, 0, Rule.CONTRACT, text)


def test_a_function_is_no_near_miss_of_a_class(finding_of: FindingOf) -> None:
    assert ", only `layernorm`." in finding_of("def layernorm(x): return x").text


def test_another_contract_name_is_no_near_miss(finding_of: FindingOf) -> None:
    finding = finding_of("class BatchNorm1d: pass", "BatchNorm1d()", "BatchNorm2d()")
    text = "The file does not define `BatchNorm2d` or anything else. Add the class `BatchNorm2d()`."
    assert finding.text == text


@pytest.mark.parametrize(
    "source",
    [
        "class _LN: pass\nLayerNorm = _LN",
        "class _LN: pass\nLayerNorm: type = _LN",
        "class _LN: pass\nOther, LayerNorm = 1, _LN",
        "from mine import LayerNorm",
        "from mine import LN as LayerNorm",
        "import torch\nif torch:\n    class LayerNorm: pass",
        "try:\n    from mine import LayerNorm\nexcept ImportError:\n    class LayerNorm: pass",
        "with open('x'):\n    class LayerNorm: pass",
        "for i in 'a':\n    class LayerNorm: pass",
        "class LayerNorm: pass\nLayerNorm = final(LayerNorm)",
    ],
)
def test_a_name_may_be_bound_in_any_way(inspect: Inspect, source: str) -> None:
    assert inspect(source).findings == ()


@pytest.mark.parametrize(
    "source",
    [
        "def f():\n    class LayerNorm: pass",
        "class Outer:\n    class LayerNorm: pass",
        "LayerNorm: type",
        "if __name__ == '__main__':\n    class LayerNorm: pass",
        "from torch.nn import *",
        "print(LayerNorm)",
    ],
)
def test_a_name_bound_elsewhere_is_missing(inspect: Inspect, source: str) -> None:
    assert {finding.rule for finding in inspect(source).findings} >= {"contract"}


def test_a_function_instead_of_a_class_is_a_finding(finding_of: FindingOf) -> None:
    text = "`LayerNorm` is a function, but should be a class: `LayerNorm(n)`."
    assert finding_of("def LayerNorm(n): pass", "LayerNorm(n)") == Finding(1, 1, Rule.CONTRACT, text)


def test_a_class_instead_of_a_function_is_a_finding(finding_of: FindingOf) -> None:
    text = "`layer_norm` is a class, but should be a function: `layer_norm(x)`."
    assert finding_of("class layer_norm: pass", "layer_norm(x)") == Finding(1, 1, Rule.CONTRACT, text)


def test_a_decorated_definition_may_become_anything(inspect: Inspect) -> None:
    assert inspect("@made\ndef LayerNorm(n): pass", "LayerNorm(n)").findings == ()


def constructor(parameters: str, base: str = "(nn.Module)") -> str:
    return f"from torch import nn\nclass LayerNorm{base}:\n    def __init__(self, {parameters}):\n        pass\n"


@pytest.mark.parametrize(
    "source",
    [
        constructor("shape", ""),
        constructor("shape", "()"),
        constructor("shape", "(object)"),
        constructor("shape", "(nn.Module)"),
        "import torch\n" + constructor("shape", "(torch.nn.Module)"),
        "from torch.nn import Module as Base\n" + constructor("shape", "(Base)"),
        "from torch.nn import *\n" + constructor("shape", "(Module)"),
    ],
)
def test_the_constructor_of_a_plain_class_is_compared(finding_of: FindingOf, source: str) -> None:
    assert finding_of(source).text.startswith("`LayerNorm(shape)` should be ")


@pytest.mark.parametrize(
    "source",
    [
        constructor("shape", "(Mine)"),
        constructor("shape", "(nn.Module, Mixin)"),
        constructor("shape", "(nn.Module, metaclass=Meta)"),
        constructor("shape").replace("class", "@dataclass\nclass"),
        constructor("shape").replace("    def", "    @wrapped\n    def"),
        constructor("shape") + "    def __new__(cls, *args): return 1\n",
        constructor("shape") + "    __init__ = other\n",
        constructor("shape") + "LayerNorm = wrap(LayerNorm)\n",
        "from torch import nn\nclass LayerNorm(nn.Module):\n    if nn:\n        def __init__(self): pass\n",
        "from torch import nn\nclass LayerNorm(nn.Module):\n    def forward(self, x): return x\n",
    ],
)
def test_a_constructor_that_may_change_is_not_compared(inspect: Inspect, source: str) -> None:
    assert inspect(source).findings == ()


@pytest.mark.parametrize(
    "source", ["@jit\ndef layer_norm(y): return y", "layer_norm = lambda y: y", "def layer_norm(y): pass\nlayer_norm = 1"]
)
def test_a_function_that_may_change_is_not_compared(inspect: Inspect, source: str) -> None:
    assert inspect(source, FUNCTION).findings == ()


def test_methods_are_not_compared(inspect: Inspect) -> None:
    assert inspect(RIGHT.replace("self, x: Tensor", "self, x, *args, mask=3")).findings == ()
