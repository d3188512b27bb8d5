"""Clues in the text of a submission about its tensors: keywords, reductions, shapes, and changes in place."""

from __future__ import annotations

import ast
import re
from collections.abc import Container
from difflib import get_close_matches

from normgrade.remarks.pitfalls.pitfalls import Crash, Spotted

Match = re.Match[str]
REDUCTIONS = frozenset("mean var std sum amax amin max min median norm prod nanmean nansum vector_norm logsumexp average ptp".split())
KEPT = ("keepdim", "keepdims")
ALONG = ("dim", "axis")
KEYWORDS = ("dim", "keepdim", "correction", "unbiased", "dtype", "axis", "keepdims", "device", "out")
MEANT = {"keepdims": "keepdim", "ddof": "correction"}
INSTEAD = {  # methods of PyTorch's tensors, and NumPy's equivalents
    "unsqueeze": "np.expand_dims(x, axis)", "detach": "x", "clone": "x.copy()", "permute": "x.transpose(…)", "view": "x.reshape(…)",
    "numel": "x.size", "float": "x.astype(np.float32)", "double": "x.astype(np.float64)", "to": "x.astype(…)", "type": "x.astype(…)",
    "pow": "x ** n", "square": "np.square(x)", "sqrt": "np.sqrt(x)", "rsqrt": "1 / np.sqrt(x)", "exp": "np.exp(x)", "log": "np.log(x)",
    "abs": "np.abs(x)", "amax": "x.max(axis=…)", "amin": "x.min(axis=…)", "softmax": "np.exp(x)", "expand": "np.broadcast_to(x, shape)",
    "expand_as": "np.broadcast_to(x, y.shape)", "contiguous": "np.ascontiguousarray(x)", "cpu": "x", "numpy": "x", "t": "x.T",
    "dim": "x.ndim", "matmul": "x @ y", "mul": "x * y", "add": "x + y", "sub": "x - y", "div": "x / y", "tanh": "np.tanh(x)",
}  # fmt: skip


def misspelt_keyword(crash: Crash, match: Match) -> Spotted | None:
    """Find a keyword that is nearly one of PyTorch's."""
    for wrong in re.findall(r"(\w+)(?==)", match["given"]) or [match["given"]]:
        plain = wrong.lower().replace("_", "")
        right = MEANT.get(plain) or next(iter(get_close_matches(plain, KEYWORDS, n=1, cutoff=0.75)), None)
        if wrong not in KEYWORDS and right is not None:
            return Spotted({"wrong": wrong, "right": right})
    return None


def numpys_way(crash: Crash, match: Match) -> Spotted | None:
    """Find NumPy's equivalent of a method of PyTorch."""
    instead = INSTEAD.get(match["name"])
    return Spotted({"instead": instead}) if instead else None


def dropped_dimension(crash: Crash, _match: Match) -> Spotted | None:
    """Find the first reduction along a dimension that drops this dimension, and whose result the statement uses."""
    for node in crash.around.own if crash.around else crash.here:
        if isinstance(node, ast.Call) and drops(node, crash) and uses(crash, node):
            keyword = "keepdims" if any(each.arg == "axis" for each in node.keywords) else "keepdim"
            return Spotted({"call": spelled(node), "line": node.lineno, "keyword": keyword})
    return None


def uses(crash: Crash, call: ast.Call) -> bool:
    """Return True if the statement contains a call, or a name that was made from its result."""
    made: set[str] = set()
    for node in crash.around.own if crash.around else ():
        if isinstance(node, ast.Assign) and holds(node.value, call, made):
            made |= {each.id for target in node.targets for each in ast.walk(target) if isinstance(each, ast.Name)}
    return any(holds(node, call, made) for node in crash.here)


def holds(expression: ast.AST, call: ast.Call, names: Container[str]) -> bool:
    return any(node is call or (isinstance(node, ast.Name) and node.id in names) for node in ast.walk(expression))


def drops(call: ast.Call, crash: Crash) -> bool:
    """Return True if a call is a reduction along a dimension, and does not keep it."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in REDUCTIONS:
        return False
    of_module = crash.program.dotted(call.func).split(".")[0] in ("torch", "numpy")
    named = {each.arg for each in call.keywords}
    along = len(call.args) > of_module or not named.isdisjoint(ALONG)
    return along and None not in named and named.isdisjoint(KEPT) and len(call.args) <= of_module + 1


def spelled(node: ast.AST) -> str:
    text = ast.unparse(node)
    return text if len(text) <= 40 else f"{text[:39]}…"


def shape_of(crash: Crash, match: Match) -> Spotted | None:
    """Find a shape that is unpacked into a fixed number of names."""
    match crash.program.statement(crash.line) if crash.line else None:
        case ast.Assign(value=ast.Attribute(attr="shape", value=of) | ast.Call(func=ast.Attribute(attr="size", value=of), args=[])):
            return Spotted({"of": spelled(of)})
    return None


def in_place(crash: Crash, _match: Match) -> Spotted | None:
    """Find the only in-place operation of the program."""
    found = [node for node in crash.program.nodes if is_in_place(node)]
    return Spotted(at=found[0]) if len(found) == 1 else None


def is_in_place(node: ast.AST) -> bool:
    match node:
        case ast.AugAssign(target=ast.Name() | ast.Subscript() | ast.Attribute()):
            return True
        case ast.Call(func=ast.Attribute(attr=name)):
            return name.endswith("_") and not name.endswith("__")
        case ast.Assign(targets=[ast.Subscript()]):
            return True
    return False
