"""The arguments that a definition takes, and their differences from a contract."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import reduce

from normgrade.course.signature import Parameter, Signature, parameters_of, with_slash
from normgrade.language import _, n_

LONGEST_SHOWN = 40  # characters of a default in a message


@dataclass(frozen=True, slots=True)
class Arguments:
    """The arguments of a definition without `*args`. The first `positional_only` of `positional` have no keyword."""

    positional: tuple[Parameter, ...]
    positional_only: int
    keyword_only: tuple[Parameter, ...]
    others: str | None  # the name after `**`

    @classmethod
    def of(cls, arguments: ast.arguments, *, is_method: bool) -> Arguments:
        """Read a definition's arguments, without `self`. A default with more digits than Python prints raises ValueError."""
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
    """Yield a sentence for each reason why a call that the contract allows would fail, or have another meaning."""
    asked = {parameter.name: parameter for parameter in contract.parameters}
    found = with_any_name(found, contract)
    renamed = renamings(found, contract)
    for name in asked:
        if name in found.by_name:
            yield from wrong_default(found.by_name[name], asked[name])
    for theirs, ours in renamed.items():
        yield _("`{theirs}` should be called `{ours}`", theirs=theirs, ours=ours)
    absent = [name for name in asked if name not in found.by_name and name not in renamed.values()]
    if absent and not found.others:  # `**others` may take them
        yield n_("{names} is missing", "{names} are missing", len(absent), names=enumerated(absent))
    yield from wrong_kind(found, asked)
    yield from wrong_place(found, asked, renamed)


def with_any_name(found: Arguments, contract: Signature) -> Arguments:
    """Return the arguments, with the contract's names for those that the contract gives by position only."""
    theirs = found.positional[: contract.by_position]
    ours = (replace(each, name=asked.name) for each, asked in zip(theirs, contract.parameters, strict=False))
    positional_only = 0 if found.positional_only <= contract.by_position else found.positional_only
    return replace(found, positional=(*ours, *found.positional[len(theirs) :]), positional_only=positional_only)


def renamings(found: Arguments, contract: Signature) -> dict[str, str]:
    """Return the parameters in the place of a missing contract parameter: their name → the contract's name."""
    names = [parameter.name for parameter in contract.parameters]
    pairs = zip((parameter.name for parameter in found.positional), names, strict=False)
    return {theirs: ours for theirs, ours in pairs if theirs not in names and ours not in found.by_name}


def wrong_default(found: Parameter, asked: Parameter) -> Iterator[str]:
    if asked.default is None:
        return  # an additional default does no harm
    if found.default is None:
        yield _("`{name}` has no default, but should default to {default}", name=found.name, default=short(asked.default))
    elif not maybe_equal(found.default, asked.default):
        yield _("`{name}` defaults to {default}, not {asked}", name=found.name, default=short(found.default), asked=short(asked.default))


def wrong_kind(found: Arguments, asked: Iterable[str]) -> Iterator[str]:
    """Yield a sentence for each parameter that the contract allows by position and by keyword, and the definition by only one of them."""
    for parameter in found.positional[: found.positional_only]:
        if parameter.name in asked:
            yield _("`{name}` cannot be passed by keyword", name=parameter.name)
    for parameter in found.keyword_only:
        if parameter.name in asked:
            yield _("`{name}` can only be passed by keyword", name=parameter.name)


def wrong_place(found: Arguments, asked: dict[str, Parameter], renamed: dict[str, str]) -> Iterator[str]:
    names = [renamed.get(parameter.name, parameter.name) for parameter in found.positional]
    ours, expected = [name for name in names if name in asked], [name for name in asked if name in names]
    if ours != expected:
        yield _("the order should be {names}", names=enumerated(expected))
    for parameter in (*found.positional, *found.keyword_only):
        if parameter.name in asked or parameter.name in renamed:
            continue
        if parameter.default is None:
            yield _("`{name}` is not in the contract and has no default", name=parameter.name)
        elif parameter.name in names and ours and names.index(parameter.name) < names.index(ours[-1]):
            yield _("`{name}` is not in the contract and should come after `{last}`", name=parameter.name, last=ours[-1])


def maybe_equal(one: str, other: str) -> bool:
    """Return True if two defaults may be equal. Only literals can be compared."""
    try:
        left, right = ast.literal_eval(one), ast.literal_eval(other)
    except (ValueError, TypeError, SyntaxError, MemoryError):
        return True
    return bool(left == right) and isinstance(left, bool) == isinstance(right, bool)


def shown(signature: Signature) -> str:
    return f"{signature.name}({', '.join(with_slash([*map(spelled, signature.parameters)], signature.by_position))})"


def spelled(parameter: Parameter) -> str:
    return parameter.name if parameter.default is None else f"{parameter.name}={short(parameter.default)}"


def short(default: str) -> str:
    """Return a default in its usual notation, 1e-5 and not 1e-05, and not too long."""
    text = re.sub(r"(?<=\d)e-0(?=\d)", "e-", default)
    return text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + "…"


def enumerated(names: list[str]) -> str:
    *others, last = [f"`{name}`" for name in names]
    if not others:
        return last
    some = reduce(lambda some, other: _("{some}, {other}", some=some, other=other), others)
    return _("{some} and {last}", some=some, last=last)
