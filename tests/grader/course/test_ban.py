"""The rule of the bans: the pattern that bans a name, and the names that are allowed nevertheless."""

from __future__ import annotations

import pytest

from normgrade.course.ban import Ban, needed_operation

BAN = Ban(("torch.*norm*", "torch.nn.?elu", "numpy", "torch.l*"), ("torch.norm", "torch.nn.functional.*normalize"))


@pytest.mark.parametrize(
    ("name", "pattern"),
    [
        ("torch.layer_norm", "torch.*norm*"),
        ("torch.nn.functional.layer_norm", "torch.*norm*"),  # a star matches dots, too
        ("torch.nn.GELU", None),
        ("torch.nn.gelu", "torch.nn.?elu"),
        ("torch.nn.relu", "torch.nn.?elu"),
        ("numpy", "numpy"),
        ("numpy.linalg", None),
        ("torch.log", "torch.l*"),
        ("torch.mean", None),
        ("Torch.layer_norm", None),
        ("my.torch.layer_norm", None),
        ("torch.norm", None),
        ("torch.nn.functional.normalize", None),
    ],
)
def test_the_banning_pattern_is_returned(name: str, pattern: str | None) -> None:
    assert BAN.against(name) == pattern


def test_the_first_pattern_wins_in_any_order_of_names() -> None:
    assert BAN.against("torch.log", "torch.log_norm") == BAN.against("torch.log_norm", "torch.log") == "torch.*norm*"


def test_one_allowed_name_is_enough() -> None:
    assert BAN.against("torch.layer_norm", "torch.norm") is None


@pytest.mark.parametrize("name", ["torch.layer_norm", "", "*"])
def test_no_patterns_ban_nothing(name: str) -> None:
    assert Ban().against(name) is None


def test_names_that_are_not_banned_need_no_allowance() -> None:
    assert Ban((), ("torch.*",)).against("torch.norm") is None


@pytest.mark.parametrize(
    ("pattern", "name"),
    [("torch.*", "torch.clone"), ("torch.su?", "torch.sum"), ("torch.ops.aten.view", "torch.ops.aten.view"), ("torch", None)],
)
def test_the_operation_that_the_grader_needs_is_named(pattern: str, name: str | None) -> None:
    assert needed_operation(pattern) == name
