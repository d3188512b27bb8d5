"""Signatures as a contract writes them: `LayerNorm(normalized_shape, eps=1e-5)`."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from normgrade.language import _


@dataclass(frozen=True, slots=True)
class Parameter:
    """A name and its default as source text; no default means that it must be given."""

    name: str
    default: str | None = None

    def __str__(self) -> str:
        return self.name if self.default is None else f"{self.name}={self.default}"


@dataclass(frozen=True, slots=True)
class Signature:
    """What a contract name is called with. A capital first letter means a class, and its constructor without `self`."""

    name: str
    parameters: tuple[Parameter, ...]

    @classmethod
    def parse(cls, text: str) -> Signature:
        """Read `name(a, b=1)`; anything else is a ValueError."""
        try:
            [function] = ast.parse(f"def {text}: ...").body
        except (SyntaxError, ValueError) as error:
            raise ValueError(_("{text!r} is none", text=text)) from error
        assert isinstance(function, ast.FunctionDef)
        signature = cls(function.name, parameters_of(function.args))
        [understood] = ast.parse(f"def {signature}: ...").body
        if ast.dump(understood) != ast.dump(function):
            raise ValueError(_("{text!r} holds more than names and defaults", text=text))
        return signature

    @property
    def is_class(self) -> bool:
        return self.name[0].isupper()

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(str, self.parameters))})"


def parameters_of(arguments: ast.arguments) -> tuple[Parameter, ...]:
    """The positional parameters of a definition, with their defaults as written."""
    names = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
    defaults = [None] * (len(names) - len(arguments.defaults)) + [ast.unparse(default) for default in arguments.defaults]
    return tuple(map(Parameter, names, defaults))
