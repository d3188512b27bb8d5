"""The effects of a module: which functions are read, in which order, and with which values."""

from __future__ import annotations

from module_read import HEAD, INIT, effects

from normgrade.pointing.flow import flow_of
from normgrade.pointing.values import Kind, seen_through


def test_the_constructor_is_read_before_other_methods() -> None:
    flow = flow_of(f"{HEAD}    def forward(self, x):\n        return x + self.small\n{INIT}")
    total = seen_through(effects(flow)[Kind.RETURN, "forward"].parts[0][1])
    assert [part.key for _role, part in total.parts] == ["input 0", "argument eps"]


def test_a_helper_is_read_only_in_its_callers() -> None:
    flow = flow_of("def norm(x, eps):\n    return double(x + eps)\ndef double(x):\n    return 2 * x\n")
    [effect] = flow.effects
    assert [part.key for _role, part in seen_through(effect.parts[0][1]).parts] == ["constant 2", "+"]


def test_a_method_of_a_base_is_found() -> None:
    base = (
        "import torch\nclass Base(torch.nn.Module):\n    def scale(self):\n        return 3\n    def forward(self, x):\n        return x\n"
    )
    flow = flow_of(f"{base}class Norm(Base):\n    def forward(self, x):\n        return super().forward(x) + self.scale()\n")
    found = [effect for effect in flow.effects if effect.kind is Kind.RETURN]
    assert [seen_through(part).key for _role, part in seen_through(found[-1].parts[0][1]).parts] == ["input 0", "constant 3"]


def test_defaults_initial_values_and_refusals_are_effects() -> None:
    flow = flow_of(
        HEAD + INIT + "    def forward(self, x):\n        if x.dim() < 2:\n            raise ValueError('few')\n        return x\n"
    )
    found = effects(flow)
    assert found[Kind.DEFAULT, "eps"].parts[0][1].key == "constant 1e-05"
    assert [part.key for _role, part in found[Kind.BEGIN, "weight"].parts] == ["Parameter", "note kept as parameter"]
    assert found[Kind.RAISE, "ValueError"].parts[0][1].key == "<"
    assert flow.state == {"weight"}


def test_the_default_of_a_class_is_an_effect() -> None:
    found = effects(flow_of("class Norm:\n    eps: float = 1e-3\n"))
    assert found[Kind.DEFAULT, "eps"].parts[0][1].key == "constant 0.001"
