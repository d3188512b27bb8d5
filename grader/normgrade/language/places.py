"""The places of an observation, such as "step 1 · gradient of weight": data for the grader, words for the reader of a report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Self

from normgrade.language import N_, _
from normgrade.language.visible import visible

BUILD = N_("build")  # the step before the first: the layer is built and filled
STEP = N_("step {number}")
GENERIC = frozenset([  # the templates of the generic probes, and those that their gradients belong to
    N_("output"), N_("input left alone"), N_("input"), N_("gradient of input"), N_("{name}"), N_("gradient of {name}"),
    N_("input {number}"), N_("input {number} left alone"), N_("gradient of input {number}"),
    N_("argument {number}"), N_("argument {number} left alone"), N_("gradient of argument {number}"),
    N_("result"), N_("result.{name}"), N_("result[{index}]"),
    N_("key of {name}"), N_("{name} is a parameter"), N_("state_dict · {name}"), N_("attribute {name}"),
    N_("further keys of the state dict"), N_("further parameters"), N_("statistics"),
    N_("random state left alone"), N_("default dtype left alone"), N_("grad mode left alone"), N_("number of threads left alone"),
    N_("choice of algorithms left alone"), N_("subnormal numbers left alone"), N_("warnings and printing left alone"),
    N_("handling of floating-point errors left alone"), N_("gradient of the output left alone"),
    N_("right gradients after the output is changed in place"),
    N_("y of call {call}"), N_("input {number} in call {call}"), N_("gradient of input {number} in call {call}"),
    N_("what holds the gradients"), N_("number of gradients"),
])  # fmt: skip
NO_WORDS: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Absent:
    """A placeholder for a tensor that a layer does not have: its name, and the names of the tensors that the layer has."""

    name: str
    there: tuple[str, ...] = field(default=(), compare=False)  # only for messages: a layer may have any helpers


class Place(str):
    """The place of a value that a probe observed: an English text that carries its parts.

    `template` describes the value, and `names` fill in its fields. With a `step`, a whole number from 1, the text begins with it:

    >>> Place("length of {name}", name="u")
    'length of u'
    >>> Place("length of {name}", step=2, name="u")
    'step 2 · length of u'

    A probe returns its values under such keys: `from normgrade.probes import Place, gradient_of`. Without fields, a plain text such as
    "calls of the sublayer" does as well. In another language the template is looked up in the exercise's translations, such as `zh.toml`,
    and the names stay as they are; so `Place("{name}", name="σ")` is the same in every language. `step` and `learnt` are no names of
    fields. For a gradient, `learnt` is the template of the value that it belongs to; `gradient_of` makes such places.
    """

    what: str
    template: str
    names: Mapping[str, str]
    step: int | None
    learnt: str | None
    at_steps: dict[int | None, Place]  # the same place at other steps, made once: every play asks for them again

    def __new__(cls, template: str, /, *, step: int | None = None, learnt: str | None = None, **names: object) -> Self:
        own = {name: str(value) for name, value in names.items()}
        return cls.made(filled(template, own), template, own, step, learnt)

    @classmethod
    def made(cls, what: str, template: str, names: Mapping[str, str], step: int | None, learnt: str | None) -> Self:
        """Return the place with that text after its step."""
        place = super().__new__(cls, what if step is None else f"step {step} · {what}")
        place.what, place.template, place.names, place.step, place.learnt, place.at_steps = what, template, names, step, learnt, {}
        return place

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, Any]]:
        return (self.template,), {"step": self.step, "learnt": self.learnt, **self.names}

    def __getstate__(self) -> None:
        """Return None, because the arguments of `__new__` hold everything."""

    @classmethod
    def of(cls, key: object) -> Place:
        """Return the key of a probe's result as a place: a plain text is a template without fields."""
        return key if isinstance(key, Place) else cls(str(key))

    def at(self, step: int | None) -> Place:
        """Return this place at another step, or at none."""
        if (known := self.at_steps.get(step)) is None:
            known = self.at_steps[step] = self.made(self.what, self.template, self.names, step, self.learnt)
        return known


def gradient_of(learnt: str, /, *, step: int | None = None, **names: object) -> Place:
    """Return the place of the gradient of the value that the template `learnt` describes.

    >>> gradient_of("the sublayer's {name}", name="0.weight")
    "gradient of the sublayer's 0.weight"
    """
    return Place(f"gradient of {learnt}", step=step, learnt=learnt, **names)


def filled(template: str, names: Mapping[str, str]) -> str:
    return template.format(**names) if names else template


def place_in_words(place: Place, words: Mapping[str, str] = NO_WORDS) -> str:
    """Return the place in the current language. `words` are the exercise's own, by template; a template without words stays as it is."""
    what = template_in_words(place.template, place.names, words)
    return what if place.step is None else f"{step_in_words(place.step)} · {what}"


def learnt_in_words(place: Place, words: Mapping[str, str] = NO_WORDS) -> str:
    """Return the value that a gradient belongs to, in the current language."""
    return template_in_words(place.learnt or place.template, place.names, words)


def template_in_words(template: str, names: Mapping[str, str], words: Mapping[str, str]) -> str:
    said = words.get(template) or (_(template) if template in GENERIC else template)
    return filled(said, {name: visible(value) for name, value in names.items()})


def step_in_words(step: int | str) -> str:
    """Return the number of a step, or a word for one, in the current language."""
    return _(STEP, number=step) if isinstance(step, int) else _(step) if step == BUILD else step
