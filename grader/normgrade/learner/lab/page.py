"""The page of a lab: one file with all curves as pictures, which loads nothing and runs nothing."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from markupsafe import Markup

from normgrade.language import _
from normgrade.language.visible import disarmed
from normgrade.learner.lab.curves import top_of
from normgrade.learner.lab.in_words import Named, company_in_words, headline, judged, rows, sides, stopped
from normgrade.learner.lab.study import Study
from normgrade.report.render import html
from normgrade.suite.blame import alone

FOLDER = Path(__file__).parent / "page"
STYLE = html.STYLE + (FOLDER / "lab.css").read_text(encoding="utf-8")
WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 520, 220, 52, 32, 8, 12  # pixels
POWERS = 6  # at most so many are named beside an axis


@dataclass(frozen=True, slots=True)
class Scale:
    """An axis from `low` to `high`, and where they are in the picture."""

    low: float
    high: float
    begin: float
    end: float

    def at(self, value: float) -> float:
        """Return the place of a value in pixels. One beyond the axis is at its end."""
        share = (value - self.low) / ((self.high - self.low) or 1.0)
        return self.begin + min(max(share, 0.0), 1.0) * (self.end - self.begin)


@dataclass(frozen=True, slots=True)
class Tick:
    """A number beside an axis, and its place in pixels."""

    said: str
    at: float


@dataclass(frozen=True, slots=True)
class Line:
    """A curve: whose it is, and its points as SVG writes them."""

    of: Named
    points: str


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture: its title, the words for its horizontal axis, its lines, and the numbers beside both axes."""

    title: str
    along: str
    lines: Sequence[Line]
    across: Sequence[Tick]
    down: Sequence[Tick]


def figures(study: Study) -> Iterator[Figure]:
    """Yield the pictures of a study: the losses, then the sizes of activations and gradients at the first and the last step."""
    found = sides(study)
    losses = [named.trained.losses for named in found]
    up = Scale(0.0, top_of(losses), HEIGHT - BOTTOM, TOP)
    steps = range(len(losses[0]))
    yield figure(_("Loss"), _("step"), found, losses, steps, up, [Tick(f"{at:.2f}", up.at(at)) for at in (up.low, up.high / 2, up.high)])
    titles = {"activations": _("Root mean square of each sublayer's output"), "gradients": _("Root mean square of its gradient")}
    for what, title in titles.items():
        for when, step in (("first", _("first step")), ("last", _("last step"))):
            sizes = [getattr(named.trained, what)[when] for named in found]
            yield logarithmic(_("{what}: {step}", what=title, step=step), found, sizes)


def logarithmic(title: str, found: Sequence[Named], sizes: Sequence[np.ndarray]) -> Figure:
    """Return a picture of sizes by sublayer. Sizes of 0 and those that are no numbers are left out."""
    with np.errstate(divide="ignore", invalid="ignore"):
        powers = [np.log10(of) for of in sizes]
    finite = [power for of in powers for power in of.tolist() if math.isfinite(power)] or [0.0]
    up = Scale(math.floor(min(finite)), math.ceil(max(finite) + 1e-9), HEIGHT - BOTTOM, TOP)
    every = range(int(up.low), int(up.high) + 1, -(-int(up.high - up.low + 1) // POWERS))
    down = [Tick(f"{10.0**at:.0e}", up.at(at)) for at in every]
    return figure(title, _("sublayer"), found, powers, range(1, max(map(len, sizes)) + 1), up, down)


def figure(
    title: str, along: str, found: Sequence[Named], curves: Sequence[np.ndarray], places: range, up: Scale, down: Sequence[Tick]
) -> Figure:
    """Return a picture of curves whose values belong to `places`. Values that are no finite numbers are left out."""
    right = Scale(places[0], places[-1], LEFT, WIDTH - RIGHT)
    across = [Tick(str(at), right.at(at)) for at in dict.fromkeys((places[0], places[len(places) // 2], places[-1]))]
    lines = [Line(named, points(places, curve, right, up)) for named, curve in zip(found, curves, strict=True)]
    return Figure(title, along, lines[::-1], across, down)


def points(places: range, curve: np.ndarray, right: Scale, up: Scale) -> str:
    finite = ((at, value) for at, value in zip(places, curve.tolist(), strict=False) if math.isfinite(value))
    return " ".join(f"{right.at(at):.1f},{up.at(value):.1f}" for at, value in finite)


def page_of(title: str, studies: Sequence[Study]) -> str:
    """Return the page of some studies."""
    page = (
        html.environment_with(FOLDER)
        .get_template("lab.html.jinja")
        .render(
            language=html.language_of_page(),
            policy=html.policy(STYLE, ""),
            title=title,
            style=Markup(STYLE),
            studies=studies,
            figures=figures,
            headline=headline,
            judged=judged,
            company_in_words=company_in_words,
            rows=rows,
            sides=sides,
            stopped=stopped,
            alone=alone,
            size={"width": WIDTH, "height": HEIGHT, "left": LEFT, "bottom": BOTTOM, "top": TOP, "right": RIGHT},
        )
    )
    return disarmed(f"{page}\n")
