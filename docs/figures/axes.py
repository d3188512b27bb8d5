"""Draws which numbers of an input share their statistics, as cubes of N, C and H·W: `python docs/figures/axes.py [SLUG]…`.

Each figure is `exercises/SLUG/axes.svg`, beside the prompt that shows it. Shaded cells are averaged together. The colours follow the page,
light or dark.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

from normgrade.course.course import Course

N, C, HW = 4, 6, 4  # cells along each axis
CELL, SLANT = 16.0, (8.0, -6.0)  # pixels: the edge of a cell in front, and the way to the next sample behind it
GAP, MARGIN, TITLE = 34.0, 26.0, 20.0
STYLE = """\
.cell { fill: #fff; stroke: #868e96; stroke-width: 0.8 }
.on { fill: #4dabf7; stroke: #1864ab }
.faint { opacity: 0.45 }
text { fill: #343a40; font: 12px sans-serif }
.name { font-weight: bold }
@media (prefers-color-scheme: dark) {
  .cell { fill: #25262b; stroke: #868e96 }
  .on { fill: #1971c2; stroke: #a5d8ff }
  text { fill: #dee2e6 }
}"""
Together = Callable[[int, int, int], bool]  # of the sample, the channel and the position of a cell


@dataclass(frozen=True)
class Cube:
    """A cube: its name, and the cells that share their statistics."""

    name: str
    together: Together


BATCH = Cube("BN", lambda n, c, p: c == C - 1)
LAYER = Cube("LN", lambda n, c, p: n == 0)
INSTANCE = Cube("IN", lambda n, c, p: n == 0 and c == C - 1)
GROUP = Cube("GN", lambda n, c, p: n == 0 and c >= C - 2)
FOUR = (BATCH, LAYER, INSTANCE, GROUP)
CUBES: dict[str, Sequence[Cube]] = {
    "batch_norm": FOUR,
    "layer_norm": FOUR,
    "instance_norm": FOUR,
    "group_norm": FOUR,
    "switchable_norm": FOUR[:3],
    "batch_norm_backward": (BATCH,),
    "group_norm_backward": (GROUP,),
    "sync_batch_norm": (BATCH,),
    "batch_renorm": (BATCH,),
    "ada_bn": (BATCH,),
    "l1_batch_norm": (BATCH,),
    "generalized_batch_norm": (BATCH,),
    "spade": (BATCH,),
    "ada_in": (INSTANCE,),
    "filter_response_norm": (INSTANCE,),
    "local_response_norm": (Cube("LRN", lambda n, c, p: n == 0 and p == 0 and c >= C - 3),),
    "rms_norm": (Cube("RMS", lambda n, c, p: n == 0 and p == 0),),
    "partial_rms_norm": (Cube("pRMS", lambda n, c, p: n == 0 and p == 0 and c < 2),),
}
OWN = {"batch_norm": BATCH, "layer_norm": LAYER, "instance_norm": INSTANCE, "group_norm": GROUP}


def drawn(cubes: Sequence[Cube], own: Cube | None = None) -> str:
    """Return a row of cubes as SVG; if one of them is `own`, the others are faint."""
    width = C * CELL + N * SLANT[0] + GAP
    height = TITLE + HW * CELL - N * SLANT[1] + 2 * MARGIN
    whole = f'viewBox="0 0 {len(cubes) * width + MARGIN:.0f} {height:.0f}" width="{len(cubes) * width + MARGIN:.0f}"'
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" {whole}>', f"<style>{STYLE}</style>"]
    for number, cube in enumerate(cubes):
        faint = ' class="faint"' if own is not None and cube is not own else ""
        corner = f"{MARGIN + number * width:.0f} {MARGIN + TITLE - N * SLANT[1]:.0f}"
        parts += [f'<g{faint} transform="translate({corner})">', *shapes(cube), "</g>"]
    return "\n".join([*parts, "</svg>"]) + "\n"


def shapes(cube: Cube) -> Iterator[str]:
    """Yield the three visible sides of a cube, cell by cell, with its name and its axes. The first sample is in front."""
    right, top = C * CELL, N * SLANT[1]
    for n in reversed(range(N)):
        for c in range(C):
            yield side(cube.together(n, c, 0), (c * CELL, 0.0), (CELL, 0.0), SLANT, n)
        for p in range(HW):
            yield side(cube.together(n, C - 1, p), (right, p * CELL), (0.0, CELL), SLANT, n)
    for c in range(C):
        for p in range(HW):
            yield side(cube.together(0, c, p), (c * CELL, p * CELL), (CELL, 0.0), (0.0, CELL), 0)
    yield text(right / 2 + N * SLANT[0] / 2, top - 8, cube.name, "name")
    yield text(right / 2, HW * CELL + 15, "C")
    yield text(-12, HW * CELL / 2 + 4, "H·W", turned=True)
    yield text(right + N * SLANT[0] / 2 + 12, HW * CELL + top / 2 + 10, "N")


def side(on: bool, corner: tuple[float, float], one: tuple[float, float], other: tuple[float, float], depth: int) -> str:
    """Return a visible side of a cell: a parallelogram."""
    (x, y), back = (corner[0] + depth * SLANT[0], corner[1] + depth * SLANT[1]), (-one[0], -one[1])
    way = "".join(f"l{dx:g} {dy:g}" for dx, dy in (one, other, back))
    return f'<path class="cell{" on" if on else ""}" d="M{x:g} {y:g}{way}z"/>'


def text(x: float, y: float, words: str, name: str = "", turned: bool = False) -> str:
    kind = f' class="{name}"' if name else ""
    turn = f' transform="rotate(-90 {x:g} {y:g})"' if turned else ""
    return f'<text x="{x:g}" y="{y:g}" text-anchor="middle"{kind}{turn}>{escape(words)}</text>'


def main(slugs: Sequence[str]) -> None:
    """Draw the figures of these exercises, or all."""
    for slug in slugs or CUBES:
        path = Path(Course.find().exercise(slug).folder) / "axes.svg"
        path.write_text(drawn(CUBES[slug], OWN.get(slug)), encoding="utf-8")
        print(path)


if __name__ == "__main__":
    main(sys.argv[1:])
