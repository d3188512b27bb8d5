"""Signatures as a contract writes them: `LayerNorm(normalized_shape, eps=1e-5)`."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from normgrade.language import _


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a signature.

    - `name`: its name.
    - `default`: its default value as source text, as in `"1e-5"`; None if an argument is required.

    >>> str(Parameter("eps", "1e-5")), str(Parameter("dim"))
    ('eps=1e-5', 'dim')
    """

    name: str
    default: str | None = None

    def __str__(self) -> str:
        return self.name if self.default is None else f"{self.name}={self.default}"


@dataclass(frozen=True, slots=True)
class Signature:
    """One name of an exercise's contract, with the parameters that it is called with.

    - `name`: the name of a class, which starts with a capital letter, or of a function.
    - `parameters`: the parameters of a function, or of a class's constructor without `self`; all positional, in order.
    - `by_position`: the number of positional-only parameters, those before `/`, which may have any name.

    `str` gives the form that `exercise.toml` uses.

    >>> signature = Signature.parse("LayerNorm(normalized_shape, eps=1e-5)")
    >>> signature.name, [parameter.name for parameter in signature.parameters]
    ('LayerNorm', ['normalized_shape', 'eps'])
    >>> str(signature)
    'LayerNorm(normalized_shape, eps=1e-05)'
    """

    name: str
    parameters: tuple[Parameter, ...]
    by_position: int = 0

    @classmethod
    def parse(cls, text: str) -> Signature:
        """Parse a text such as `name(a, b=1)`. Raise ValueError for anything else, such as `*args` or an annotation.

        >>> Signature.parse("rms_norm(x, weight=None)").parameters[1].default
        'None'
        >>> Signature.parse("backward(dy, cache, /)").by_position
        2
        >>> Signature.parse("rms_norm(*x)")
        Traceback (most recent call last):
            ...
        ValueError: 'rms_norm(*x)' has more than names and defaults
        """
        try:
            [function] = ast.parse(f"def {text}: ...").body
        except (SyntaxError, ValueError) as error:
            raise ValueError(_("{text!r} cannot be read", text=text)) from error
        assert isinstance(function, ast.FunctionDef)
        signature = cls(function.name, parameters_of(function.args), len(function.args.posonlyargs))
        [understood] = ast.parse(f"def {signature}: ...").body
        if ast.dump(understood) != ast.dump(function):
            raise ValueError(_("{text!r} has more than names and defaults", text=text))
        return signature

    @property
    def is_class(self) -> bool:
        """True if the name is that of a class, which starts with a capital letter.

        >>> Signature.parse("LayerNorm(dim)").is_class, Signature.parse("rms_norm(x)").is_class
        (True, False)
        """
        return self.name[0].isupper()

    def __str__(self) -> str:
        return f"{self.name}({', '.join(with_slash([*map(str, self.parameters)], self.by_position))})"


def with_slash(parameters: Sequence[str], by_position: int) -> list[str]:
    """Return the parameters, with a slash after those that are positional-only.

    >>> with_slash(["dy", "cache"], 2), with_slash(["x"], 0)
    (['dy', 'cache', '/'], ['x'])
    """
    return [*parameters[:by_position], *(["/"] if by_position else []), *parameters[by_position:]]


def parameters_of(arguments: ast.arguments) -> tuple[Parameter, ...]:
    """Return the positional parameters of a definition, with their defaults as written."""
    names = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
    defaults = [None] * (len(names) - len(arguments.defaults)) + [ast.unparse(default) for default in arguments.defaults]
    return tuple(map(Parameter, names, defaults))
