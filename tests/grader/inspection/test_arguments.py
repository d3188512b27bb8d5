"""The differences between the arguments of a definition and those of the contract."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from normgrade.inspection.inspection import Inspection
from normgrade.report.report import Finding, Rule

FUNCTION = "layer_norm(x, weight=None, eps=1e-5)"

Inspect = Callable[..., Inspection]
FindingOf = Callable[..., Finding]


def test_both_signatures_and_every_difference_are_told(inspect: Inspect) -> None:
    inspection = inspect("class LayerNorm:\n    def __init__(self, normalized_shape, eps=1e-6):\n        pass\n")
    text = (
        "`LayerNorm(normalized_shape, eps=1e-6)` should be `LayerNorm(normalized_shape, eps=1e-5, elementwise_affine=True, bias=True)`: "
        "`eps` defaults to 1e-6, not 1e-5; `elementwise_affine` and `bias` are missing."
    )
    assert inspection.findings == (Finding(2, 5, Rule.SIGNATURE, text),)
    assert inspection.runnable


def test_a_function_is_compared_with_all_its_parameters(finding_of: FindingOf) -> None:
    text = "`layer_norm(x, eps=1e-5)` should be `layer_norm(x, weight=None, eps=1e-5)`: `weight` is missing."
    assert finding_of("def layer_norm(x, eps=1e-5): return x", FUNCTION) == Finding(1, 1, Rule.SIGNATURE, text)


@pytest.mark.parametrize(
    ("parameters", "problem"),
    [
        ("x, weight, eps=1e-5", "`weight` has no default, but should default to None"),
        ("x, weight=None, eps=1e-6", "`eps` defaults to 1e-6, not 1e-5"),
        ("x, weight=False, eps=1e-5", "`weight` defaults to False, not None"),
        ("x, weight=None, eps='" + "a" * 100 + "'", "`eps` defaults to '" + "a" * 39 + "…, not 1e-5"),
        ("x, weight=None, epsilon=1e-5", "`epsilon` should be called `eps`"),
        ("x, eps=1e-5, weight=None", "the order should be `x`, `weight` and `eps`"),
        ("x, weight=None, *, eps=1e-5", "`eps` can only be passed by keyword"),
        ("x, /, weight=None, eps=1e-5", "`x` cannot be passed by keyword"),
        ("x, weight=None, eps=1e-5, *, mine", "`mine` is not in the contract and has no default"),
        ("x, mine, weight=None, eps=1e-5", "`mine` is not in the contract and has no default"),
        ("x, mine=1, weight=None, eps=1e-5", "`mine` is not in the contract and should come after `eps`"),
        ("x", "`weight` and `eps` are missing"),
        ("x, weight=None, eps=1e-6, **more", "`eps` defaults to 1e-6, not 1e-5"),
    ],
)
def test_a_wrong_parameter_is_named(finding_of: FindingOf, parameters: str, problem: str) -> None:
    finding = finding_of(f"def layer_norm({parameters}): return x", FUNCTION)
    assert finding.rule == "signature"
    assert finding.text.endswith(f" should be `layer_norm(x, weight=None, eps=1e-5)`: {problem}.")


def test_keyword_only_parameters_are_shown_as_such(finding_of: FindingOf) -> None:
    text = finding_of("def layer_norm(x, /, weight=None, *, eps=1e-5, **more): return x", FUNCTION).text
    assert text.startswith("`layer_norm(x, /, weight=None, *, eps=1e-5, **more)` should be ")


def test_true_is_not_one(finding_of: FindingOf) -> None:
    assert "`n` defaults to 1, not True" in finding_of("def f(n=1): return n", "f(n=True)").text


@pytest.mark.parametrize(
    "parameters",
    [
        "x, weight=None, eps=0.00001",
        "x: int, weight: 'int | None' = None, eps: float = 1e-5",
        "x, weight=None, eps=1e-5, mine=3",
        "x, weight=None, eps=1e-5, *, mine=3",
        "x, weight=None, eps=1e-5, **more",
        "x=None, weight=None, eps=1e-5",
        "x, weight=None, eps=EPS",
        "x, weight=None, eps=10 ** -5",
        "x, weight=None, eps={[]}",
        "*args",
        "x, **more",
        "x, weight=None, eps=0x" + "f" * 5000,
    ],
)
def test_a_signature_that_may_take_every_call_passes(inspect: Inspect, parameters: str) -> None:
    assert inspect(f"EPS = 1e-5\ndef layer_norm({parameters}): return x", FUNCTION).findings == ()


@pytest.mark.parametrize("parameters", ["dy, cache", "dout, kept", "dout, kept, /", "cache, dy", "dout, kept, mine=1"])
def test_positional_only_parameters_may_have_any_name(inspect: Inspect, parameters: str) -> None:
    assert inspect(f"def backward({parameters}): return x", "backward(dy, cache, /)").findings == ()


def test_positional_only_parameters_must_exist(finding_of: FindingOf) -> None:
    text = "`backward(dout)` should be `backward(dy, cache, /)`: `cache` is missing."
    assert finding_of("def backward(dout): return x", "backward(dy, cache, /)").text == text
