"""The names of quantities: those in the reference, or the names of their operations, without their expressions."""

from __future__ import annotations

import ast

import pytest

from normgrade.diagnosis.steps.catalogue import BY_NAME, expression_in_words, quantity_in_words, term_in_words
from normgrade.diagnosis.steps.sources import source_of
from normgrade.language import speak

SOURCE = source_of("def f(self, x):\n    var = x.var()\n    shares = x.softmax(0)\n    return x / torch.sqrt(var + self.eps)\n")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x.var()", "the variance"),
        ("x.softmax(0)", "shares"),
        ("torch.sqrt(var + self.eps)", "the root"),
        ("var + self.eps", "the sum"),
        ("x / torch.sqrt(var + self.eps)", "the quotient"),
    ],
)
def test_a_quantity_has_a_name(text: str, words: str) -> None:
    place = next(number for number, spot in enumerate(SOURCE.spots) if SOURCE.text_of(spot) == text)
    assert quantity_in_words(SOURCE, place) == words


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("self.bias.view(shape)", "the bias"),
        ("weight", "the weight"),
        ("1", "1"),
        ("f[0]", "a value"),
        ("self.eps", "eps"),
        ("g(x)", "a value"),
        ("F.softplus(x)", "the result of softplus"),
        ("self.sublayer(x)", "the result of sublayer"),
    ],
)
def test_a_term_has_a_name(expression: str, words: str) -> None:
    assert term_in_words(ast.parse(expression, mode="eval").body) == words


def test_an_expression_is_not_revealed() -> None:
    assert expression_in_words(ast.parse("x.square().mean(-1).view(-1, 1)", mode="eval").body) == "the mean"
    assert expression_in_words(None) == "a value"


def test_names_are_translated() -> None:
    speak("zh")
    assert all(not name.isascii() for name in map(quantity_name, BY_NAME))


def quantity_name(name: str) -> str:
    source = source_of(f"def f(x):\n    {name} = x + 1\n    return {name}\n")
    return quantity_in_words(source, next(number for number, spot in enumerate(source.spots) if source.text_of(spot) == "x + 1"))
