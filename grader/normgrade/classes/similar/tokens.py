"""The tokens of a source, without the names that its author chose: operations in the order in which Python carries them out."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from normgrade.inspection.program import Function

NO_OPERATION = (
    ast.arguments,
    ast.expr_context,
    ast.Global,
    ast.Import,
    ast.ImportFrom,
    ast.Nonlocal,
    ast.Pass,
)
OWN_CALL = "own()"


class Token(NamedTuple):
    """One operation, and its first and last line."""

    text: str
    first: int
    last: int


Part = ast.AST | Token


@dataclass(frozen=True)
class Names:
    """The names of a source, by the place from which they come.

    imported: names that an import binds, each with the name that the library has for it.
    own: names that the source itself binds, and those of its methods and attributes.
    owners: the first parameters of methods, usually only "self".
    """

    imported: dict[str, str]
    own: frozenset[str]
    owners: frozenset[str]

    @classmethod
    def of(cls, tree: ast.Module) -> Names:
        imported: dict[str, str] = {}
        own: set[str] = set()
        owners: set[str] = set()
        for node in ast.walk(tree):
            match node:
                case ast.Import() | ast.ImportFrom():
                    imported.update({each.asname or each.name.partition(".")[0]: each.name.rpartition(".")[2] for each in node.names})
                case ast.ClassDef():
                    own.add(node.name)
                    methods = [each for each in node.body if isinstance(each, Function)]
                    owners.update(parameter.arg for each in methods for parameter in (*each.args.posonlyargs, *each.args.args)[:1])
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    own.add(node.name)
                case ast.arg():
                    own.add(node.arg)
                case ast.Name(ctx=ast.Store()):
                    own.add(node.id)
                case ast.Attribute(ctx=ast.Store()):
                    own.add(node.attr)
        return cls(imported, frozenset(own - imported.keys()), frozenset(owners))

    def is_owner(self, node: ast.expr) -> bool:
        """Return True for the object that a method belongs to."""
        return isinstance(node, ast.Name) and node.id in self.owners

    def is_library(self, node: ast.expr) -> bool:
        """Return True for a module, or for an attribute of one at any depth."""
        while isinstance(node, ast.Attribute):
            node = node.value
        return isinstance(node, ast.Name) and node.id in self.imported


def streams(tree: ast.Module) -> Iterator[list[Token]]:
    """Yield the tokens of each function, and those of everything else.

    Not seen are comments, docstrings, formatting, type hints, the order of functions and of keyword arguments, the values of literals, and
    names that the source chose. Reading and writing a variable are no operations, so that a named intermediate result makes little
    difference. Names of libraries stay, and `torch.mean(x)` is the same as `x.mean()`.
    """
    names, waiting = Names.of(tree), [tree.body]
    while waiting:
        tokens: list[Token] = []
        rest: list[Part] = [*reversed(waiting.pop())]
        while rest:  # no recursion: a source can be deeply nested
            part = rest.pop()
            if isinstance(part, Token):
                tokens.append(part)
                continue
            if isinstance(part, Function):
                waiting.append(part.body)
            rest += reversed(parts_of(part, names))
        yield tokens


def parts_of(node: ast.AST, names: Names) -> Sequence[Part]:
    """Return the parts of a node in the order of their evaluation: nodes, and its own token after its operands."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return [*node.decorator_list, *defaults(node.args)]
        case ast.Lambda():
            return [*defaults(node.args), node.body, token(node)]
        case ast.ClassDef():
            return [*node.decorator_list, *node.bases, *node.keywords, *node.body]
        case ast.Expr(value=ast.Constant()):
            return []  # a docstring, or "..."
        case ast.Expr():
            return [node.value]
        case ast.Assign():
            return [node.value, *node.targets]
        case ast.AnnAssign():
            return [node.value, node.target] if node.value else []
        case ast.AugAssign():
            return [node.value, token(node, node.op), node.target]
        case ast.If():
            return [node.test, begins(node), *node.body, *otherwise(node, node.orelse)]
        case ast.IfExp():
            return [node.test, token(node, text="If"), node.body, *otherwise(node, [node.orelse])]
        case ast.For() | ast.AsyncFor():
            return [node.iter, node.target, begins(node), *node.body, *otherwise(node, node.orelse)]
        case ast.While():
            return [node.test, begins(node), *node.body, *otherwise(node, node.orelse)]
        case ast.comprehension():
            return [node.iter, node.target, *node.ifs]
        case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
            return [*node.generators, token(node, text="For"), node.elt]
        case _:
            return parts_of_expression(node, names)


def parts_of_expression(node: ast.AST, names: Names) -> Sequence[Part]:
    match node:
        case ast.Name():
            return [token(node, text=names.imported.get(node.id, node.id))] if is_foreign(node, names) else []
        case ast.Constant():
            return [token(node, text=kind_of(node.value))]
        case ast.JoinedStr():
            return [token(node, text=kind_of(""))]
        case ast.Attribute() if names.is_library(node):
            return [token(node, text=node.attr)]
        case ast.Attribute() if names.is_owner(node.value):
            return [token(node, node.ctx, "of self")]
        case ast.Attribute():
            return [node.value, token(node, text=node.attr)]
        case ast.Call():
            return called(node, names)
        case ast.keyword():
            return [node.value, token(node, text=f"{node.arg}=")]
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant()):
            return [node.operand]  # −1 is a literal, too
        case ast.UnaryOp():
            return [node.operand, token(node, node.op)]
        case ast.BinOp():
            return [node.left, node.right, token(node, node.op)]
        case ast.BoolOp():
            return [*node.values, token(node, node.op)]
        case ast.Compare():
            return [node.left, *node.comparators, *(token(node, each) for each in node.ops)]
        case ast.Tuple() | ast.List():
            return [*node.elts, *([token(node, text="sequence")] if isinstance(node.ctx, ast.Load) else [])]
        case _ if isinstance(node, NO_OPERATION):
            return []
        case _:
            return [*ast.iter_child_nodes(node), token(node)]


def called(node: ast.Call, names: Names) -> Sequence[Part]:
    """Return the parts of a call: what it is called on and with, and the name of the function if a library has it."""
    given = [*node.args, *sorted(node.keywords, key=lambda each: each.arg or "")]
    match node.func:
        case ast.Name() as function:
            name = OWN_CALL if not is_foreign(function, names) else names.imported.get(function.id, function.id)
            return [*given, token(node, text=name)]
        case ast.Attribute() as function if names.is_library(function):
            return [*given, token(node, text=function.attr)]
        case ast.Attribute() as function if names.is_owner(function.value):
            return [*given, token(node, text=OWN_CALL if function.attr in names.own else function.attr)]
        case ast.Attribute() as function:
            return [function.value, *given, token(node, text=function.attr)]
        case function:
            return [function, *given, token(node)]


def is_foreign(node: ast.Name, names: Names) -> bool:
    """Return True for a name that the source does not choose: one of a library, or a builtin."""
    return isinstance(node.ctx, ast.Load) and node.id not in names.own and node.id not in names.owners


def defaults(arguments: ast.arguments) -> Sequence[ast.expr]:
    return [each for each in (*arguments.defaults, *arguments.kw_defaults) if each is not None]


def otherwise(node: ast.stmt | ast.expr, branch: Sequence[ast.AST]) -> Sequence[Part]:
    return [begins(node, "Else"), *branch] if branch else []


def kind_of(value: object) -> str:
    """Return the kind of a literal. All numbers are of one kind; so are all texts."""
    if value is None or isinstance(value, bool):
        return str(value)
    return "number" if isinstance(value, int | float | complex) else type(value).__name__


def token(node: ast.AST, operation: ast.AST | None = None, text: str = "") -> Token:
    """Return the token of a node over all of its lines. It has the name of its operation, or a text, or both."""
    name = " ".join(filter(None, ("" if operation is None else type(operation).__name__, text))) or type(node).__name__
    first = getattr(node, "lineno", 0)
    return Token(name, first, getattr(node, "end_lineno", first))


def begins(node: ast.stmt | ast.expr, text: str = "") -> Token:
    """Return the token of a statement that holds others. It has only the first line."""
    return Token(text or type(node).__name__, node.lineno, node.lineno)
