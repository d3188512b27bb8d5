"""Uses of banned names, and names that only resemble them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from normgrade.course.exercise import Exercise
from normgrade.inspection.inspection import Inspection, inspect_source
from normgrade.report.report import Finding, Rule
from normgrade.worker.trusted.host import Host
from normgrade.worker.wire.observation import Request

SOURCES = Path(__file__).parents[1] / "fixtures" / "inspection"
RIGHT = (SOURCES / "right.py").read_text()

Inspect = Callable[..., Inspection]
FindingOf = Callable[..., Finding]


def banned(inspection: Inspection) -> list[tuple[int, str]]:
    assert {finding.rule for finding in inspection.findings} <= {"banned"}
    named = [(finding.line, finding.text.split("`")[1]) for finding in inspection.findings]
    texts = [f"This line uses `{name}`, which must be written by hand." for _, name in named]
    assert all(finding.text.startswith(text) for finding, text in zip(inspection.findings, texts, strict=True))
    return named


LN = "torch.nn.functional.layer_norm"


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("import torch\ndef f(x): return torch.nn.functional.layer_norm(x)", LN),
        ("import torch.nn.functional\ndef f(x): return torch.nn.functional.layer_norm(x)", LN),
        ("import torch as t\ndef f(x): return t.layer_norm(x)", "torch.layer_norm"),
        ("import torch.nn as nn\ndef f(x): return nn.functional.layer_norm(x)", LN),
        ("import torch.nn.functional as F\ndef f(x): return F.layer_norm(x)", LN),
        ("from torch.nn import functional as f\ndef g(x): return f.layer_norm(x)", LN),
        ("from torch.nn.functional import layer_norm as ln\ndef f(x): return ln(x)", LN),
        ("from torch import nn\nln = nn.LayerNorm(3)", "torch.nn.LayerNorm"),
        ("from torch import nn\nclass Mine(nn.GroupNorm): pass", "torch.nn.GroupNorm"),
        ("from torch.nn import *\nln = LayerNorm(3)", "torch.nn.LayerNorm"),
        ("from torch import *\nln = nn.LayerNorm(3)", "torch.nn.LayerNorm"),
        ("import torch; f = torch.nn.functional\nln = f.layer_norm", LN),
        ("import torch.nn.functional as F; f: object = F\nln = f.layer_norm", LN),
        ("import torch.nn.functional as F\ndef f(x, ln=F.layer_norm): return ln(x)", LN),
        ("import torch.nn.functional as F\nln = lambda x: F.layer_norm(x)", LN),
        ("import torch.nn.functional as F\nln = [F.layer_norm(x) for x in 'abc']", LN),
        ("import torch.nn.functional as F\nln = {F.layer_norm: 1 for x in 'abc'}", LN),
        ("import torch.nn.functional as F\n@F.layer_norm\ndef f(): pass", LN),
        ("import torch.nn.functional as F\nx = f'{F.layer_norm}'", LN),
        ("import torch.nn.functional as F\nx = getattr(F, 'layer_norm')", LN),
        ("import torch.nn.functional as F\nx = getattr(F, 'layer_norm', None)", LN),
        ("import importlib\nx = importlib.import_module('torch.nn.functional').layer_norm", LN),
        ("from importlib import import_module as take\nx = take('torch.nn').functional.layer_norm", LN),
        ("import torch\nx = torch.ops.aten.native_layer_norm(1)", "torch.ops.aten.native_layer_norm"),
        ("import torch\nx = torch.ops.aten.native_layer_norm.default(1)", "torch.ops.aten.native_layer_norm.default"),
        ("import torch\nx = torch.nn.modules.normalization.LayerNorm", "torch.nn.modules.normalization.LayerNorm"),
        ("from torch.nn.modules.normalization import LayerNorm as L\nx = L(3)", "torch.nn.modules.normalization.LayerNorm"),
        ("import torch\nx = torch.nn.LayerNorm(3).weight", "torch.nn.LayerNorm"),
        ("import torch\nx = torch.nn.functional.layer_norm.__call__(1)", LN),
        ("import torch\nasync def f(x): return await torch.layer_norm(x)", "torch.layer_norm"),
        ("import torch\nmatch torch.layer_norm:\n    case _: pass", "torch.layer_norm"),
    ],
)
def test_a_banned_name_is_found_in_any_notation(inspect: Inspect, source: str, name: str) -> None:
    assert banned(inspect(source + "\nclass LayerNorm: pass\n")) == [(2, name)]


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("def f(x):\n    from torch.nn.functional import layer_norm\n    return layer_norm(x)", 3),
        ("def f(x):\n    import torch.nn.functional as F\n    return lambda: F.layer_norm(x)", 3),
        ("def f(x): return F.layer_norm(x)\nimport torch.nn.functional as F", 1),
        ("class A:\n    import torch\n    x = torch.layer_norm", 3),
        ("try:\n    pass\nexcept ImportError as e:\n    import torch\n    torch.layer_norm(e)", 5),
        ("try:\n    import torch\nfinally:\n    torch.layer_norm(1)", 4),
        ("import torch\nwhile 1:\n    f = torch\n    break\nelse:\n    pass\nf.layer_norm(1)", 7),
        ("import torch\nfor i in 'a':\n    f = torch\nf.layer_norm(1)", 4),
        ("import torch\nwith torch.layer_norm as t: pass", 2),
        ("import torch\nmatch 1:\n    case 1 if torch.layer_norm: pass", 3),
        ("import torch\nif __name__ == '__main__':\n    pass\nelse:\n    torch.layer_norm(1)", 5),
        ("import torch\nif __name__ == 'main':\n    torch.layer_norm(1)", 3),
    ],
)
def test_a_banned_name_is_found_after_any_binding(inspect: Inspect, body: str, line: int) -> None:
    assert [found for found, _ in banned(inspect(body + "\nclass LayerNorm: pass\n"))] == [line]


@pytest.mark.parametrize(
    "source",
    [
        "import torch\ndef f(x): return torch.linalg.norm(x) + torch.norm(x) + torch.linalg.vector_norm(x)",
        "from torch.linalg import *\nfrom torch import linalg\ndef f(x): return vector_norm(x) + linalg.vector_norm(x)",
        "def f(self, x): return x.norm() + self.norm(x) + self.batch_norm(x) + self.layer_norm(x) + x.F.layer_norm",
        "def layer_norm(x): return x\ny = layer_norm(1)",
        "from torch.nn.functional import *\ndef layer_norm(x): return x\ndef g(x): return layer_norm(x)",
        "from torch.nn.functional import *\ndef g(x): return layer_norm(x)\ndef layer_norm(x): return x",
        "from torch.nn import *\nclass GroupNorm(Module): pass\nx = GroupNorm(3)",
        "from torch.nn.functional import layer_norm\ndef g(x): return layer_norm(x)\ndef layer_norm(x): return x",
        "from torch.nn.functional import layer_norm\ndef g(x, layer_norm): return layer_norm(x)",
        "from torch.nn.functional import *\ndef g(x, *layer_norm, **batch_norm): return layer_norm(x) + batch_norm",
        "from torch.nn.functional import *\ndef g(x):\n    for layer_norm in x: layer_norm(x)",
        "from torch.nn.functional import *\ndef g(x):\n    with x as layer_norm: layer_norm(x)",
        "from torch.nn.functional import *\ntry: pass\nexcept OSError as layer_norm: layer_norm(1)",
        "from torch.nn.functional import *\nx = [layer_norm for layer_norm in 'abc']",
        "from torch.nn.functional import *\nx = lambda layer_norm: layer_norm(1)",
        "from torch.nn.functional import *\nmatch 1:\n    case [layer_norm, *group_norm]: layer_norm(group_norm)",
        "from torch.nn.functional import *\nmatch 1:\n    case {'a': 1, **layer_norm}: layer_norm(1)",
        "import torch.nn.functional as F\nF = 1\nF.layer_norm(1)",
        "import torch.nn.functional as F\nF += 1\nF.layer_norm(1)",
        "import torch.nn.functional as F\ndel F\nF.layer_norm(1)",
        "from . import functional as F\nfrom .functional import *\nF.layer_norm(layer_norm)",
        "from torch.nn import GroupNorm, LayerNorm as Library\nfrom torch.nn.functional import layer_norm",
        "from torch import nn\ndef f(x: nn.LayerNorm) -> nn.LayerNorm:\n    y: nn.LayerNorm = x\n    z: nn.LayerNorm\n    return y",
        "from torch import nn\ndef f(*x: nn.LayerNorm, **y: nn.LayerNorm): return isinstance(x, nn.LayerNorm)",
        "from torch import nn\nx = issubclass(int, (nn.LayerNorm, nn.GroupNorm))",
        "from torch import nn\nmatch 1:\n    case nn.LayerNorm(eps=3): pass",
        "from torch import nn\nfrom typing import cast\nx = cast(nn.LayerNorm, 1)",
        "'torch.nn.LayerNorm'  # torch.nn.LayerNorm",
        "import torch\nif __name__ == '__main__':\n    print(torch.layer_norm(1))",
        "import torch\nif '__main__' == __name__ and torch:\n    print(torch.layer_norm(1))",
        "import torch\ntorch.nn.functional.layer_norm = None",
        "from torch.nn.functional import *\ndef f():\n    global layer_norm\n    layer_norm = print\ndef g(x): return layer_norm(x)",
        "import torch.nn.functional as F\ndef f():\n    global F\n    F = print\ndef g(x): return F.layer_norm(x)",
        "from torch.nn.functional import *\nx = [y for layer_norm in 'abc' for y in layer_norm(1)]",
        "from torch.nn.functional import *\nx = [lambda: layer_norm(1) for layer_norm in 'abc']",
        "import torch.nn.functional as F\nif F:\n    F = print\ndef g(x): return F.layer_norm(x)",
        "import torch\nx = getattr(torch, name)(1) + vars(torch)[name] + torch.__dict__[1]",
        "def f():\n    global layer_norm\n    def layer_norm(x): return x\nfrom torch.nn.functional import *",
    ],
)
def test_right_code_is_not_taken_for_a_banned_call(inspect: Inspect, source: str) -> None:
    assert banned(inspect(source + "\nclass LayerNorm: pass\n")) == []


HIDDEN = [
    "a, (b, c) = 1, (F, 2)\ndef f(): return b.layer_norm(x, (6,))",
    "torch, F = F, torch\ndef f(): return torch.layer_norm(x, (6,))",
    "def f(): return (g := F) and g.layer_norm(x, (6,))",
    "def f(g=F): return g.layer_norm(x, (6,))",
    "def f(*, g=F): return g.layer_norm(x, (6,))",
    "def f(): return (F if 1 else None).layer_norm(x, (6,))",
    "def f(): return (None or F).layer_norm(x, (6,))",
    "def f(): return [F][0].layer_norm(x, (6,))",
    "def f(): return vars(F)['layer_norm'](x, (6,))",
    "def f(): return torch.nn.__dict__['LayerNorm'](6)(x)",
    "def f(): return torch.nn.__dict__.get('LayerNorm')(6)(x)",
    "def f(): return __import__('torch').nn.LayerNorm(6)(x)",
    "def f(): return __import__('torch.nn', fromlist=['nn']).LayerNorm(6)(x)",
    "import sys\ndef f(): return sys.modules['torch.nn.functional'].layer_norm(x, (6,))",
    "import sys\ndef f(): return sys.modules.get('torch.nn.functional').layer_norm(x, (6,))",
    "try:\n    from torch.nn import LayerNorm as N\nexcept ImportError:\n    N = None\ndef f(): return N(6)(x)",
    "if x is not None:\n    G = F\nelse:\n    G = None\ndef f(): return G.layer_norm(x, (6,))",
    "def g():\n    global G\n    import torch as G\ng()\ndef f(): return G.layer_norm(x, (6,))",
    "def f():\n    G = 1\n    def g():\n        nonlocal G\n        import torch as G\n    g()\n    return G.layer_norm(x, (6,))",
    "class A:\n    F = F\n    def layer_norm(self): return self.F.layer_norm(x, (6,))\ndef f(): return A().layer_norm()",
]


@pytest.fixture(scope="module")
def host() -> Iterator[Host]:
    with Host() as host:
        yield host


@pytest.mark.parametrize("source", HIDDEN)
def test_a_use_hidden_from_inspection_raises_at_runtime(inspect: Inspect, exercise: Exercise, host: Host, source: str) -> None:
    source = f"import torch\nimport torch.nn.functional as F\nx = torch.arange(24.0).reshape(4, 6)\n{source}\n"
    assert banned(inspect(f"{source}class LayerNorm: pass\n")) == []
    with host.worker(source, "f.py", ban=exercise.ban) as worker:
        error = worker.play(Request("function_call", {"function": "f", "args": [], "kwargs": {}}), 10_000).error
    assert error is not None and error.types[0] == "ByHand"
    assert error.message.startswith("this calls `torch.layer_norm`, which the exercise bans (by the rule `torch.layer_norm`)")


def test_a_base_class_from_the_library_is_a_use(inspect: Inspect) -> None:
    source = "import torch.nn as nn\nclass LayerNorm(nn.LayerNorm):\n    pass\n"
    assert banned(inspect(source)) == [(2, "torch.nn.LayerNorm")]


def test_a_contract_name_from_the_library_is_a_use(finding_of: FindingOf) -> None:
    text = "This line uses `torch.nn.LayerNorm`, which must be written by hand."
    assert finding_of("import torch\nfrom torch.nn import LayerNorm\n") == Finding(2, 22, Rule.BANNED, text)


def test_an_own_class_replaces_an_imported_one(inspect: Inspect) -> None:
    assert banned(inspect("from torch.nn import LayerNorm\n" + RIGHT)) == []


def test_an_alias_is_reported_once(inspect: Inspect) -> None:
    source = "import torch.nn.functional as F\nnorm = F.layer_norm\ndef f(x): return norm(x)\nclass LayerNorm: pass\n"
    assert banned(inspect(source)) == [(2, LN)]


def test_a_name_is_reported_once_per_line(inspect: Inspect) -> None:
    source = "from torch.nn.functional import layer_norm as ln, group_norm as gn\nx = ln(ln(gn(1)))\ny = ln(1)\nclass LayerNorm: pass\n"
    assert banned(inspect(source)) == [(2, LN), (2, "torch.nn.functional.group_norm"), (3, LN)]


def test_columns_count_characters_from_one(finding_of: FindingOf) -> None:
    finding = finding_of("import torch\ns = 'é日'; y = torch.layer_norm(1)\nclass LayerNorm: pass\n")
    assert (finding.line, finding.column) == (2, 15)


STARS = "".join(f"from m{i} import *\n" for i in range(1800)) + "q;" * 14000
BRANCHES = "if x:\n x\n" + "elif x:\n x\n" * 180 + "else:\n " + ";".join(f"a{i}=1" for i in range(6500)) + "\n"
CHAINS = "".join(f"if x: import torch.m{i} as m\n" for i in range(16)) + "".join(f"m.b{i}" + ".a" * 85 + ";" for i in range(340))


def test_the_latest_star_imports_are_searched(finding_of: FindingOf) -> None:
    stars = "".join(f"from a{i} import *\n" for i in range(9)) + "from torch.nn.functional import *\nfrom math import *\n"
    assert finding_of(f"{stars}{RIGHT}\nlayer_norm").rule == "banned"


def test_swapped_names_stand_for_nothing(inspect: Inspect) -> None:
    swapped = "import torch, math\ntorch, math = math, torch\nmath.nn.functional.layer_norm\ntorch.nn.functional.layer_norm\n"
    assert inspect(f"{RIGHT}\n{swapped}").findings == ()


def test_a_long_file_of_ordinary_code_can_be_followed(inspect: Inspect) -> None:
    source = RIGHT
    while len(source) + len(RIGHT) < 64 * 1024:
        source += RIGHT.replace("class LayerNorm", f"class Other{len(source)}")
    assert inspect(source).findings == ()


@pytest.mark.parametrize(
    "source",
    [
        STARS,
        BRANCHES,
        CHAINS,
        "import torch as a\n" + "a = a.x if a else a.y\n" * 2900,
        "import torch as a\n" + "a = a.x\n" * 8000,
        "".join(f"if 1: a{i} = 1\n" for i in range(3500)),
        "from torch import *\n" * 3000,
        "import torch\n" + "torch.layer_norm;" * 3800,
        "(a,)=" * 3000 + "([" + "q," * 22000 + "],)\n",
        "try:\n x\n" + "".join(f"except q: a{i}=1\n" for i in range(3400)),
        "match x:\n" + "".join(f" case {i}, a{i}: q\n" for i in range(3400)),
    ],
)
def test_a_hostile_source_is_inspected_within_seconds(exercise: Exercise, source: str) -> None:
    start = time.perf_counter()
    inspect_source(source, exercise)
    assert time.perf_counter() - start < 20  # far above the usual time, far below that of an explosion
