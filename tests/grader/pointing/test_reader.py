"""The values of a function, followed without the names in between."""

from __future__ import annotations

import ast

import pytest
from module_read import HEAD, INIT, effects

from normgrade.pointing.flow import flow_of
from normgrade.pointing.reader import TooLarge
from normgrade.pointing.values import Kind, Value, same, seen_through


def indented(body: str) -> str:
    return "".join(f"        {line}\n" for line in body.splitlines())


def output(body: str, more: str = "") -> Value:
    flow = flow_of(f"{HEAD}{INIT}    def forward(self, x):\n{indented(body)}{more}")
    return seen_through(effects(flow)[Kind.RETURN, "forward"].parts[0][1])


def test_variables_attributes_and_helpers_disappear() -> None:
    plain = output("return x / (x.var(-1) + self.small)")
    assert same(plain, output("v = x.var(-1)\nw = v + self.small\ny = x / w\nreturn y"))
    assert same(plain, output("return self.over(x, v=x.var(-1))", "    def over(self, y, v):\n        return y / (v + self.small)\n"))
    assert same(plain, output("return over(x, self.small)", "def over(y, e):\n    return y / (torch.var(y, -1) + e)\n"))
    assert same(
        plain,
        output(
            "return N.apply(x, self.small)",
            "class N(torch.autograd.Function):\n    def forward(ctx, y, e):\n        return y / (y.var(-1) + e)\n",
        ),
    )


def test_a_constructor_argument_keeps_its_name() -> None:
    total = output("return x + self.small")
    assert [part.key for _role, part in total.parts] == ["input 0", "argument eps"]


@pytest.mark.parametrize("name", ["norm", "forward", "backward"])
def test_arguments_of_a_function_are_known_by_position(name: str) -> None:
    [effect] = flow_of(f"def {name}(x, y, /):\n    return y - x\n").effects
    assert [part.key for _role, part in seen_through(effect.parts[0][1]).parts] == ["input 1", "input 0"]


def test_a_function_that_changes_its_argument_works_in_place() -> None:
    [effect] = flow_of("def norm(x, mean):\n    x -= mean\n    return x\n").effects
    assert seen_through(effect.parts[0][1]).key == "sub_"


@pytest.mark.parametrize(("result", "note"), [("y.to(x.dtype)", "dtype of the input"), ("y", "dtype as computed")])
def test_the_dtype_of_a_result_is_noted(result: str, note: str) -> None:
    [effect] = flow_of(f"def norm(x):\n    y = x.float()\n    return {result}\n").effects
    dtype = effect.part("dtype")
    assert (effect.kind, effect.name) == (Kind.RETURN, "norm") and dtype is not None and dtype.name == note


def test_branches_become_one_value_of_two() -> None:
    expected = output("return x.mean(0) if self.training else self.weight")
    assert same(expected, output("if self.training:\n    y = x.mean(0)\nelse:\n    y = self.weight\nreturn y"))
    assert same(expected, output("if self.training:\n    return x.mean(0)\nreturn self.weight"))
    assert same(expected, output("if not self.training:\n    return self.weight\nreturn x.mean(0)"))
    assert same(expected, output("if x.dim() == 7:\n    raise ValueError\nreturn x.mean(0) if self.training else self.weight"))


def test_calls_loops_and_foreign_attributes_are_effects() -> None:
    body = "for one in (x, self.weight):\n    if one.dim() > 2:\n        nn.init.zeros_(one)\nx.grad = self.weight * 2\nreturn x"
    found = effects(flow_of(f"{HEAD}{INIT}    def forward(self, x):\n{indented(body)}"))
    assert [part.key for _role, part in found[Kind.LOOP, ""].parts] == ["several"]
    assert [(role, part.key) for role, part in found[Kind.DO, ""].parts] == [("0", "zeros_"), ("if", ">")]
    assert found[Kind.OVERWRITE, ""].parts[0][1].key == "*"
    assert all(found[kind, ""].is_effect for kind in (Kind.LOOP, Kind.DO, Kind.OVERWRITE))


def test_an_operation_may_have_the_word_of_an_effect() -> None:
    assert not output("return x.keep(self.weight)").is_effect


def test_a_call_that_sets_a_buffer_is_one_effect() -> None:
    more = '        self.register_buffer("total", torch.zeros(n), persistent=False)\n'
    flow = flow_of(f"{HEAD}{INIT}{more}    def forward(self, x):\n        self.total.data.copy_(x)\n        return x\n")
    found = effects(flow)
    assert [(role, part.key) for role, part in found[Kind.BEGIN, "total"].parts][2:] == [("persistent", "constant False")]
    assert found[Kind.SET, "total"].parts[0][1].key == "detach" and (Kind.DO, "") not in found


def test_the_constructor_of_an_attribute_belongs_to_its_call() -> None:
    more = "        self.inner = nn.LayerNorm(n, bias=False)\n"
    flow = flow_of(f"{HEAD}{INIT}{more}    def forward(self, x):\n        return self.inner(x)\n")
    made = seen_through(effects(flow)[Kind.RETURN, "forward"].parts[0][1]).part("called")
    assert made is not None and [(role, part.key) for role, part in made.parts] == [("0", "argument n"), ("bias", "constant False")]


@pytest.mark.parametrize(
    ("update", "graph"),
    [
        ("self.total = self.total + x.mean(0)", "kept"),
        ("self.total = self.total + x.mean(0).detach()", "cut"),
        ("self.total = self.total + x.data.mean(0)", "cut"),
        ("with torch.no_grad():\n    self.total.mul_(0.9).add_(x.mean(0), alpha=0.1)", "cut"),
        ("self.total.lerp_(x.mean(0), 0.1)", "kept"),
        ("self.total.data = self.total + x.mean(0)", "cut"),
        ("with torch.inference_mode():\n    self.total = self.total + x.mean(0)", "cut"),
        ("with torch.set_grad_enabled(False):\n    self.total = self.total + x.mean(0)", "cut"),
        ("torch.set_grad_enabled(False)\nself.total = self.total + x.mean(0)", "cut"),
        ("torch.set_grad_enabled(False)\ntorch.set_grad_enabled(mode=True)\nself.total = self.total + x.mean(0)", "kept"),
        ("if x.dim() == 3:\n    torch.set_grad_enabled(False)\n    return x\nself.total = self.total + x.mean(0)", "kept"),
        ("torch.no_grad()\nself.total = self.total + x.mean(0)", "kept"),
        ("with torch.set_grad_enabled(True), torch.inference_mode(mode=False):\n    self.total = self.total + x.mean(0)", "kept"),
        ("with torch.no_grad():\n    with torch.enable_grad():\n        self.total = self.total + x.mean(0)", "kept"),
        ("with torch.set_grad_enabled(x.no_grad):\n    self.total = self.total + x.mean(0)", "kept"),
    ],
)
def test_a_buffer_keeps_the_graph_unless_cut(update: str, graph: str) -> None:
    init = INIT + '        self.register_buffer("total", torch.zeros(n))\n'
    found = effects(flow_of(f"{HEAD}{init}    def forward(self, x):\n{indented(update)}        return x\n"))
    noted = found[Kind.SET, "total"].part("graph")
    assert noted is not None and noted.name == f"graph {graph}"


@pytest.mark.parametrize(
    ("decorator", "statement", "cut"),
    [
        ("", "return x", []),
        ("@torch.no_grad()", "return x", ["torch.no_grad()"]),
        ("@torch.inference_mode", "return x", ["torch.inference_mode"]),
        ("@torch.set_grad_enabled(False)", "return x", ["torch.set_grad_enabled(False)"]),
        ("@torch.no_grad()", "return x if x.dim() else -x", ["torch.no_grad()"]),
        ("@torch.no_grad()", "if x.dim():\n    return x\nreturn -x", ["torch.no_grad()"]),
        ("", "with torch.inference_mode():\n    return x", ["torch.inference_mode()"]),
        ("", "return self.quiet(x)", []),
        ("@torch.inference_mode(False)", "return x", []),
    ],
)
def test_a_result_without_a_graph_is_noted(decorator: str, statement: str, cut: list[str]) -> None:
    quiet = "    @torch.no_grad()\n    def quiet(self, x):\n        return x\n"
    found = effects(flow_of(f"{HEAD}{INIT}{quiet}    {decorator}\n    def forward(self, x):\n{indented(statement)}"))
    parts = found[Kind.RETURN, "forward"].parts
    assert [ast.unparse(part.at) for role, part in parts if role == "graph" and part.at is not None] == cut


def test_recursion_and_odd_statements_end() -> None:
    flow_of(HEAD + "    def forward(self, x):\n        return self.forward(x) + self.forward(-x)\n")
    flow_of("try:\n    a = [b for b in range(3)]\nexcept ValueError:\n    pass\nwhile a:\n    a, *b = a\ndel b\nlambda: (yield)\n")


def test_an_enormous_computation_is_refused() -> None:
    with pytest.raises(TooLarge):
        flow_of("def f(x):\n    return " + " + ".join(["x"] * 30) + "\n" + "".join(f"def g{n}(x):\n    return f(x)\n" for n in range(900)))
