"""Values in words: arrays by their dtype and shape, values that could not travel by their type, scalars as they are."""

from __future__ import annotations

from normgrade.language import N_, _
from normgrade.language.places import Absent
from normgrade.worker.wire.observation import Array, Foreign, Reason, Value

A_TYPE = {  # True if its name begins with a vowel
    False: N_("a {type}"),
    True: N_("an {type}"),
}
A_SUBCLASS = {
    False: N_("a {type}, not a plain torch.Tensor"),
    True: N_("an {type}, not a plain torch.Tensor"),
}

Words = bool | int | float | str | None


def in_words(value: Value, dtype: str | None = None) -> Words:
    """Return a value in words; scalars and texts stay as they are. For an array, `dtype` replaces its own, if given."""
    match value:
        case Array(values, own):
            return _("a {dtype} tensor of shape {shape}", dtype=dtype or own, shape=values.shape)
        case Foreign():
            return foreign_in_words(value)
        case Absent(name, ()):
            return _("no {name}; the layer has no parameters and no buffers", name=name)
        case Absent(name, there):
            return _("no {name}; the layer has {others}", name=name, others=", ".join(there))
        case _:
            return value


def foreign_in_words(value: Foreign) -> str:
    has_vowel = value.type[:1].lower() in "aeiou"
    match value:
        case Foreign(Reason.TYPE, kind):
            return _(A_TYPE[has_vowel], type=kind)
        case Foreign(Reason.SUBCLASS, kind):
            return _(A_SUBCLASS[has_vowel], type=kind)
        case Foreign(Reason.FORM, _kind, dtype, shape, layout, device):
            return _("a {dtype} tensor of shape {shape}, {layout} on {device}", dtype=dtype, shape=shape, layout=layout, device=device)
        case Foreign(Reason.SIZE, _kind, None):
            return _("a huge int")
        case Foreign(Reason.SIZE, _kind, dtype, shape, None):
            return _("a {dtype} array of shape {shape}, too large to inspect", dtype=dtype, shape=shape)
        case Foreign(_reason, _kind, dtype, shape):
            return _("a {dtype} tensor of shape {shape}, too large to inspect", dtype=dtype, shape=shape)
