"""The things that are passed to `check`: their names, and the exercise that defines these names."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from functools import partial
from types import FunctionType, MethodType

from normgrade.course.course import Course
from normgrade.language import _
from normgrade.language.errors import UsageError, did_you_mean
from normgrade.notebook.live_objects import described, found_in_library, is_own, unwrapped


def name_of(thing: object) -> str:
    """Return the name of a class or a function in its definition. Raises a UsageError if it cannot be graded."""
    function = unwrapped(thing)
    if isinstance(function, FunctionType) and function.__name__ == "<lambda>":
        return name_of_lambda(function)
    if isinstance(function, type | FunctionType):
        name = getattr(thing, "__name__", function.__name__)
        if found_in_library(function.__qualname__, function):
            raise not_yours(name)
        return str(name)
    if inspect.isroutine(thing) and not isinstance(thing, MethodType):
        raise not_yours(getattr(thing, "__name__", described(thing)))
    raise UsageError(
        _(
            "Cannot grade {thing}: it is neither a class nor a function. "
            "Pass the class or function that you defined, as in check(…, {name}).",
            thing=described(thing),
            name=defined(thing) or "LayerNorm",
        )
    )


def name_of_lambda(function: FunctionType) -> str:
    """Return the name that a lambda was given at the top level. Raises a UsageError if it has none."""
    name = next((name for name, value in function.__globals__.items() if value is function), None)
    if name is None:
        raise UsageError(_("A lambda without a name cannot be graded. Write it as a function: `def softmax(…): …`."))
    return name


def not_yours(name: str) -> UsageError:
    """Return the error for a class or a function of Python or a library."""
    return UsageError(_('"{name}" comes with Python or a library. Pass a class or a function that you wrote.', name=name))


def defined(thing: object) -> str:
    """Return the name of the learner's class or function that an object was made from; "" if there is none."""
    if isinstance(thing, partial):
        return defined(thing.func) or str(getattr(thing.func, "__name__", ""))
    origin = type(thing.__self__) if isinstance(thing, MethodType) else type(thing)
    return origin.__name__ if is_own(origin) else ""


def exercise_for(names: Sequence[str], course: Course) -> str:
    """Return the slug of the exercise that defines the most of these names. Raises a UsageError if none or several do."""
    asked = {each.slug: {signature.name for signature in each.defines} for each in course}
    matches = {slug: len(defines.intersection(names)) for slug, defines in asked.items()}
    most = max(matches.values(), default=0)
    slugs = [slug for slug, count in matches.items() if count == most > 0]
    if len(slugs) == 1:
        return slugs[0]
    passed = ", ".join(names)
    if slugs:
        several = ", ".join(slugs)
        raise UsageError(
            _(
                'Several exercises ask for {names}: {slugs}. Choose one, as in check("{slug}", {names}).',
                names=passed,
                slugs=several,
                slug=slugs[0],
            )
        )
    meant = did_you_mean(names[0], {name for defines in asked.values() for name in defines})
    raise UsageError(
        _('No exercise asks for {names}.{meant} Pass the exercise too, as in check("layer_norm", {names}).', names=passed, meant=meant)
    )
