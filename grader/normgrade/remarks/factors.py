"""The likely origin of a factor: a count of values, or a number that the layer was built with."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from normgrade.language import _
from normgrade.remarks.context import Setting

LARGEST_COUNT = 192  # of counts that are tried though the inputs do not show them; above, almost any factor is near n / (n − 1)
NEAR = 2e-6  # the relative precision of a factor in float32
Form = tuple[str, Callable[[float], float], str]  # in words, in numbers, and as it is shown

BESSEL: tuple[Form, ...] = (
    ("n / (n − 1)", lambda n: n / (n - 1), "{n}/{less}"),
    ("(n − 1) / n", lambda n: (n - 1) / n, "{less}/{n}"),
    ("√(n / (n − 1))", lambda n: (n / (n - 1)) ** 0.5, "√({n}/{less})"),
    ("√((n − 1) / n)", lambda n: ((n - 1) / n) ** 0.5, "√({less}/{n})"),
)
OF_A_COUNT: tuple[Form, ...] = (
    *BESSEL,
    ("n", lambda n: n, "{n}"),
    ("1 / n", lambda n: 1 / n, "1/{n}"),
    ("√n", lambda n: n**0.5, "√{n}"),
    ("1 / √n", lambda n: n**-0.5, "1/√{n}"),
)
OF_A_NUMBER: tuple[tuple[str, Callable[[float], float]], ...] = (
    ("{name}", lambda p: p),
    ("1 / {name}", lambda p: 1 / p),
    ("1 − {name}", lambda p: 1 - p),
    ("√{name}", lambda p: p**0.5),
    ("1 / √{name}", lambda p: p**-0.5),
    ("{name}²", lambda p: p * p),
)


def named(factor: float, setting: Setting = Setting()) -> str:  # noqa: B008
    """Return a factor with its likely origin: "16/15, which is n / (n − 1) for n = 16", "0.3, which is momentum"."""
    sign, size = ("−", -factor) if factor < 0 else ("", factor)
    if near(size, 2):
        return f"{factor:.0f}"
    return f"{sign}1/2" if near(size, 0.5) else next(origins(sign, size, setting), f"{factor:.6g}")


def origins(sign: str, size: float, setting: Setting) -> Iterator[str]:
    """Yield a factor with each of its likely origins, the likeliest first."""
    for name, number in setting.numbers.items():
        for form, value in OF_A_NUMBER:
            if number > 0 and near(size, value(number)):
                yield _("{factor}, which is {form}", factor=f"{sign}{size:.6g}", form=form.format(name=name))
    for n in setting.counts:
        yield from counted(sign, size, OF_A_COUNT, n)
    for n in range(2, LARGEST_COUNT + 1):
        yield from counted(sign, size, BESSEL, n)


def counted(sign: str, size: float, forms: tuple[Form, ...], n: int) -> Iterator[str]:
    for form, value, shown in forms:
        if near(size, value(n)):
            factor = sign + shown.format(n=n, less=n - 1)
            yield _("{factor}, which is {form} for n = {n}", factor=factor, form=form, n=n)


def near(factor: float, value: float) -> bool:
    return abs(factor - value) <= NEAR * abs(value) and abs(value - 1) > 2e-4
