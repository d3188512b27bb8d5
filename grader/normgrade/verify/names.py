"""The names and the signatures that a new exercise may have."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Sequence

from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.course.signature import Signature
from normgrade.language import _
from normgrade.language.errors import UsageError

SLUG = re.compile(r"[a-z][a-z0-9_]*")
IMPORTED = {*sys.stdlib_module_names, "numpy", "torch", "pytest", "normgrade"}  # a learner's file of that name would shadow it
USUAL = "forward(x, eps=1e-5)", "backward(dy, cache)"  # of an exercise in NumPy


def checked_slug(slug: str) -> str:
    """Return the slug if it may be the name of a learner's file; else raise a UsageError."""
    if not SLUG.fullmatch(slug):
        raise UsageError(
            _('"{slug}" is not a valid name for an exercise. Use lower-case letters, digits and "_", as in weight_norm.', slug=slug)
        )
    try:
        ast.parse(f"import {slug}")
    except SyntaxError:
        raise UsageError(_('"{slug}" is a Python keyword, and cannot be imported. Choose another name.', slug=slug)) from None
    if slug in IMPORTED:
        raise UsageError(_('"{slug}" is the name of a library, and {slug}.py would shadow it. Choose another name.', slug=slug))
    return slug


def checked_contract(texts: Sequence[str], numpy: bool) -> tuple[Signature, ...]:
    """Return the signatures that an exercise defines. Raise a UsageError if one is wrong, or if they do not fit together."""
    if not texts:
        raise UsageError(
            _(
                "Missing argument: SIGNATURE. "
                'Pass the signature of each class or function: `normgrade new SLUG "WeightNorm(weight, dim=0)"`.'
            )
        )
    signatures = tuple(map(checked_signature, texts))
    names = [signature.name for signature in signatures]
    for signature in signatures:
        if names.count(signature.name) > 1:
            raise UsageError(_('"{name}" is given twice. Use a different name for each class and function.', name=signature.name))
        if numpy and signature.is_class:
            said = _(
                '"{name}" is a class, but a NumPy exercise has only functions. Begin the name with a lower-case letter.',
                name=signature.name,
            )
            raise UsageError(said)
    return signatures


def checked_signature(text: str) -> Signature:
    """Return a signature whose defaults are plain values; raise a UsageError for anything else."""
    try:
        signature = Signature.parse(text)
    except ValueError as error:
        raise UsageError(
            _('"{text}" is not a valid signature ({why}). Write it like "LayerNorm(normalized_shape, eps=1e-5)".', text=text, why=error)
        ) from error
    for parameter in signature.parameters:
        if parameter.default is not None and not is_plain(parameter.default):
            raise UsageError(
                _(
                    '"{text}": the default of "{name}" cannot be {default}. Use a number, a string, a tuple, True, False or None.',
                    text=text,
                    name=parameter.name,
                    default=parameter.default,
                )
            )
    return signature


def is_plain(source: str) -> bool:
    """Return True if an expression is a literal."""
    try:
        ast.literal_eval(source)
    except (ValueError, TypeError):
        return False
    return True


def refuse_taken(course: Course, slug: str, signatures: Sequence[Signature]) -> None:
    """Raise a UsageError if the slug is that of an exercise which defines something else."""
    found = course.attempt(slug) if slug in course.slugs else None
    if isinstance(found, Exercise) and found.defines != tuple(signatures):
        defines = ", ".join(map(str, found.defines))
        raise UsageError(
            _(
                'The exercise "{slug}" already exists, and defines {defines}. '
                "Choose another name, or pass the same signature to add its missing files.",
                slug=slug,
                defines=defines,
            )
        )
