"""The arguments that a definition takes, and how they fall short of a contract."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from normgrade.signature import Parameter, Signature, parameters_of

LONGEST_SHOWN = 40  # characters of a default in a message


@dataclass(frozen=True, slots=True)
class Arguments:
    """What a definition without `*args` takes. The first `positional_only` of `positional` have no keyword."""

    positional: tuple[Parameter, ...]
    positional_only: int
    keyword_only: tuple[Parameter, ...]
    others: str | None  # the name behind `**`

    @classmethod
    def of(cls, arguments: ast.arguments, *, is_method: bool) -> Arguments:
        """Read a definition's arguments, `self` left out; a ValueError where a default has more digits than Python writes."""
        skip = int(is_method)
        keywords = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        return cls(
            positional=parameters_of(arguments)[skip:],
            positional_only=max(0, len(arguments.posonlyargs) - skip),
            keyword_only=tuple(Parameter(argument.arg, ast.unparse(default) if default else None) for argument, default in keywords),
            others=arguments.kwarg.arg if arguments.kwarg else None,
        )

    @property
    def by_name(self) -> dict[str, Parameter]:
        return {parameter.name: parameter for parameter in (*self.positional, *self.keyword_only)}

    def __str__(self) -> str:
        parts = [spelled(parameter) for parameter in self.positional]
        if self.positional_only:
            parts.insert(self.positional_only, "/")
        if self.keyword_only:
            parts += ["*", *map(spelled, self.keyword_only)]
        if self.others:
            parts.append(f"**{self.others}")
        return ", ".join(parts)


def shortcomings(found: Arguments, contract: Signature) -> Iterator[str]:
    """What keeps the arguments from taking every call that the contract allows."""
    asked = {parameter.name: parameter for parameter in contract.parameters}
    renamed = renamings(found, contract)
    for name in asked:
        if name in found.by_name:
            yield from wrong_default(found.by_name[name], asked[name])
    for theirs, ours in renamed.items():
        yield f"`{theirs}` should be called `{ours}`"
    absent = [name for name in asked if name not in found.by_name and name not in renamed.values()]
    if absent and not found.others:  # which may take them
        yield f"{enumerated(absent)} {'is' if len(absent) == 1 else 'are'} missing"
    yield from wrong_kind(found, asked)
    yield from wrong_place(found, asked, renamed)


def renamings(found: Arguments, contract: Signature) -> dict[str, str]:
    """Parameters that stand where the contract has another name which nobody has: theirs → the contract's."""
    names = [parameter.name for parameter in contract.parameters]
    pairs = zip((parameter.name for parameter in found.positional), names, strict=False)
    return {theirs: ours for theirs, ours in pairs if theirs not in names and ours not in found.by_name}


def wrong_default(found: Parameter, asked: Parameter) -> Iterator[str]:
    if asked.default is None:
        return  # a default more does no harm
    if found.default is None:
        yield f"`{found.name}` has no default, and should have {short(asked.default)}"
    elif not maybe_equal(found.default, asked.default):
        yield f"`{found.name}` defaults to {short(found.default)}, not {short(asked.default)}"


def wrong_kind(found: Arguments, asked: Iterable[str]) -> Iterator[str]:
    """What the contract lets be given by place or by keyword, and the definition does not."""
    for parameter in found.positional[: found.positional_only]:
        if parameter.name in asked:
            yield f"`{parameter.name}` cannot be given by keyword"
    for parameter in found.keyword_only:
        if parameter.name in asked:
            yield f"`{parameter.name}` can only be given by keyword"


def wrong_place(found: Arguments, asked: dict[str, Parameter], renamed: dict[str, str]) -> Iterator[str]:
    names = [renamed.get(parameter.name, parameter.name) for parameter in found.positional]
    ours, expected = [name for name in names if name in asked], [name for name in asked if name in names]
    if ours != expected:
        yield f"the order should be {enumerated(expected)}"
    for parameter in (*found.positional, *found.keyword_only):
        if parameter.name in asked or parameter.name in renamed:
            continue
        if parameter.default is None:
            yield f"`{parameter.name}` is not in the contract and has no default"
        elif parameter.name in names and ours and names.index(parameter.name) < names.index(ours[-1]):
            yield f"`{parameter.name}` is not in the contract and should come after {enumerated(ours[-1:])}"


def maybe_equal(one: str, other: str) -> bool:
    """Whether two defaults may be the same value; only literals can be told apart."""
    try:
        left, right = ast.literal_eval(one), ast.literal_eval(other)
    except (ValueError, TypeError, SyntaxError, MemoryError):
        return True
    return bool(left == right) and isinstance(left, bool) == isinstance(right, bool)


def shown(signature: Signature) -> str:
    return f"{signature.name}({', '.join(map(spelled, signature.parameters))})"


def spelled(parameter: Parameter) -> str:
    return parameter.name if parameter.default is None else f"{parameter.name}={short(parameter.default)}"


def short(default: str) -> str:
    """A default as people write it: 1e-5, where Python writes 1e-05."""
    text = re.sub(r"(?<=\d)e-0(?=\d)", "e-", default)
    return text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + "…"


def enumerated(names: list[str]) -> str:
    quoted = [f"`{name}`" for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"
