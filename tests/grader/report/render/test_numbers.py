"""Numbers side by side: their selection, their notation, and heat maps."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from html_page import Page, difference, index_of_worst
from sample_reports import VARIANCE, differing

from normgrade.compare.differences import difference as compare
from normgrade.language.places import Place
from normgrade.oracle.expected import Expected
from normgrade.report.render.html import environment
from normgrade.report.render.numbers import Cell, HeatMap, as_pair, heat_map, sides
from normgrade.report.render.wording import difference_in_words
from normgrade.report.report import ArrayDifference, Numbers
from normgrade.worker.wire.observation import Array


def test_the_three_worst_numbers_are_shown_worst_first() -> None:
    actual = np.zeros((5, 6))
    for number, index in enumerate([(0, 1), (4, 5), (2, 0), (3, 3), (1, 1), (2, 2), (0, 0)], 1):
        actual[index] = number
    rows = sides(differing(np.ones((5, 6)) * 0, actual, 0.5))
    assert [row.index for row in rows] == [(0, 0), (2, 2), (1, 1)]
    assert [row.worst for row in rows] == [True, False, False]


def test_the_worst_number_exceeds_its_tolerance_the_most() -> None:
    [row] = [row for row in sides(differing([1.0, 1.0], [1.5, 1.1], [0.4, 0.001])) if row.worst]
    assert row.index == (1,)


def test_a_single_number_has_no_index() -> None:
    one = differing(1.0, 2.0, 0.1)
    assert [row.index for row in sides(one)] == [()]
    assert difference_in_words(one) == "the number differs, off by 1 (relative 100 %), allowed 0.1"


def test_an_expected_nan_is_no_error() -> None:
    one = replace(VARIANCE, at=(1,), numbers=Numbers(np.array([np.nan, 1.0, np.inf]), np.array([np.nan, np.nan, np.inf]), np.full(3, 0.1)))
    assert [(row.error, row.differs) for row in sides(one)] == [(0, False), (float("inf"), True), (0, False)]


def test_counts_and_truths_are_written_as_they_are() -> None:
    one = replace(VARIANCE, at=(0,), numbers=Numbers(np.array([3, 4]), np.array([5, 4]), np.zeros(2)))
    assert [(row.expected, row.actual, row.differs) for row in sides(one)] == [(3, 5, True), (4, 4, False)]
    assert as_pair(True, False) == ("True", "False")


def test_compare_and_the_table_agree() -> None:
    right, got = np.array([[1.0, 2.0], [3.0, 0.0]]), np.array([[1.0, np.nan], [3.1, 0.0]], dtype=np.float32)
    found = compare(Place("output"), Array(got, "float32"), Expected(Array(right, "float64"), "float32", np.full((2, 2), 1e-8)))
    assert isinstance(found, ArrayDifference)
    assert [row.index for row in sides(found) if row.differs] == [(0, 1), (1, 0)]
    assert [row.index for row in sides(found) if row.worst] == [found.at]


@pytest.mark.parametrize(
    "expected, actual, shown",
    [
        (1.0677, 1.001, ("1.0677", "1.001")),
        (1.00000001, 1.00000002, ("1.00000001", "1.00000002")),
        (1.0, float("nan"), ("1", "nan")),
        (3, 3.0, ("3", "3.0")),
        (None, 0, ("None", "0")),
    ],
)
def test_two_different_values_never_look_alike(expected: object, actual: object, shown: tuple[str, str]) -> None:
    assert as_pair(expected, actual) == shown


# Pictures: the cells as data, and as drawn


LARGEST = (40, 48)


def mapped(expected: Any, actual: Any, allowed: Any = 0.1, **rest: Any) -> HeatMap:
    return heat_map(difference(expected, actual, allowed, **rest), LARGEST)


def levels(picture: HeatMap) -> list[int]:
    return [cell.level for cell in picture.cells]


def worst(picture: HeatMap) -> Cell:
    [found] = [cell for cell in picture.cells if cell.worst]
    return found


def index_in(text: str) -> tuple[int, ...]:
    return tuple(json.loads(text.partition(":")[0]))


def drawn(expected: Any, actual: Any, allowed: Any = 0.1) -> Page:
    """Return the heat map as a page."""
    figure: Any = getattr(environment().get_template("heatmap.html.jinja").module, "figure")  # noqa: B009
    return Page(figure(mapped(expected, actual, allowed), "output"))


def legend(page: Page) -> list[str]:
    return [item.text for item in page.every("li") if "legend" in item.within[-1].classes]


def squares(page: Page, inside: str) -> set[str]:
    """Return the classes of the squares inside an element of this class or name."""
    return {rect.attributes["class"] for rect in page.every("rect") if any(inside in (node.name, *node.classes) for node in rect.within)}


def test_a_single_number_is_one_cell_without_a_label() -> None:
    picture = mapped(1.0, 2.0)
    assert (len(picture.cells), picture.columns, picture.labels, picture.gaps) == (1, 1, ("",), (0,))
    assert worst(picture).text.endswith("expected 1, got 2, off by 1, allowed 0.1 (exceeded by a factor of 10)")


def test_a_short_vector_is_one_row_without_a_label() -> None:
    picture = mapped([0.0, 0.0, 0.0], [0.05, 3.0, 0.5])
    assert [(cell.row, cell.column, cell.level, cell.worst) for cell in picture.cells] == [
        (0, 0, 0, False),
        (0, 1, 2, True),
        (0, 2, 1, False),
    ]
    assert picture.labels == ("",)


@pytest.mark.parametrize(("size", "labels"), [(32, ("",)), (33, ("[0]", "[32]")), (70, ("[0]", "[32]", "[64]"))])
def test_a_vector_is_folded_after_thirty_two_numbers(size: int, labels: tuple[str, ...]) -> None:
    picture = mapped(np.zeros(size), np.ones(size))
    assert (picture.labels, picture.columns, picture.block) == (labels, 32, (1, 1))
    assert [index_in(cell.text) for cell in picture.cells] == [(number,) for number in range(size)]
    assert [(cell.row, cell.column) for cell in picture.cells] == [divmod(number, 32) for number in range(size)]


def test_a_matrix_keeps_its_shape() -> None:
    picture = mapped(np.zeros((2, 3)), np.ones((2, 3)))
    assert (picture.labels, picture.gaps, picture.columns) == (("[0, ·]", "[1, ·]"), (0, 0), 3)
    assert all(index_in(cell.text) == (cell.row, cell.column) for cell in picture.cells) and len(picture.cells) == 6


def test_four_dimensions_are_stacked_matrices_with_gaps() -> None:
    picture = mapped(np.zeros((2, 2, 3, 4)), np.ones((2, 2, 3, 4)))
    assert picture.labels[:4] == ("[0, 0, 0, ·]", "[0, 0, 1, ·]", "[0, 0, 2, ·]", "[0, 1, 0, ·]") and len(picture.labels) == 12
    assert picture.gaps == (0, 0, 0, 1, 0, 0, 2, 0, 0, 1, 0, 0)
    assert [index_in(cell.text) for cell in picture.cells] == list(np.ndindex(2, 2, 3, 4))


def test_truths_and_counts_are_written_exactly() -> None:
    truths = mapped([True, False], [True, True], 0)
    assert [cell.text for cell in truths.cells] == [
        "[0]: expected True, got True, off by 0, allowed 0",
        "[1]: expected False, got True, off by 1, allowed 0",
    ]
    assert mapped(np.array(3), np.array(5), 0).cells[0].text.endswith("expected 3, got 5, off by 2, allowed 0")


def test_unexpected_nan_and_infinity_have_their_own_level() -> None:
    nan, inf = math.nan, math.inf
    right, got = [nan, 1.0, nan, inf, inf, 0.0, 1.0], [nan, nan, 1.0, inf, -inf, -inf, 1.0]
    picture = mapped(right, got, at=(1,))
    assert levels(picture) == [0, 7, 7, 0, 7, 7, 0]
    assert worst(picture).text == "[1]: expected 1, got nan, off by inf, allowed 0.1"
    assert picture.cells[4].text == "[4]: expected inf, got -inf, off by inf, allowed 0.1"


def test_a_wrong_number_without_tolerance_has_the_highest_level() -> None:
    assert levels(mapped([1, 2], [1, 3], 0)) == [0, 7]


def test_half_precision_is_compared_in_double_precision() -> None:
    picture = mapped(np.array([60000, 0.1], np.float16), np.array([-60000, 0.1], np.float16), 1.0)
    assert picture.cells[0].text == "[0]: expected 60000, got -60000, off by 120000, allowed 1 (exceeded by a factor of 120000)"
    assert levels(picture) == [6, 0]


def test_a_cell_tells_index_sides_error_and_tolerance() -> None:
    picture = mapped([[1.0, 1.0677]], [[1.0, 1.001]], [[2e-6, 1e-6]])
    assert [cell.text for cell in picture.cells] == [
        "[0, 0]: expected 1, got 1, off by 0, allowed 2e-06",
        "[0, 1]: expected 1.0677, got 1.001, off by 0.067, allowed 1e-06 (exceeded by a factor of 66700)",
    ]


def test_two_different_numbers_do_not_look_alike() -> None:
    assert "expected 1.00000001, got 1.00000002," in mapped(1.00000001, 1.00000002, 1e-10).cells[0].text


@pytest.mark.parametrize("equal", [(0, 1), (3, 3)])
def test_of_equal_errors_the_named_one_is_marked(equal: tuple[int, int]) -> None:
    actual = np.zeros((4, 4))
    actual[0, 1] = actual[3, 3] = 1.0
    assert index_in(worst(mapped(np.zeros((4, 4)), actual, at=equal)).text) == equal


@pytest.mark.parametrize(
    ("shape", "block"),
    [
        ((40, 48), (1, 1)),
        ((41, 48), (2, 1)),
        ((40, 49), (1, 2)),
        ((100, 120), (3, 3)),
        ((3, 50, 100), (4, 3)),
        ((1281,), (2, 1)),
        ((1, 500), (1, 11)),
    ],
)
def test_more_numbers_than_cells_are_shown_in_blocks(shape: tuple[int, ...], block: tuple[int, int]) -> None:
    picture = mapped(np.zeros(shape), np.ones(shape))
    assert picture.block == block
    assert (len(picture.labels), picture.columns) <= LARGEST and picture.columns <= LARGEST[1]
    counts = [int(found[1]) if (found := re.search("the worst of ([0-9]+) numbers here$", cell.text)) else 1 for cell in picture.cells]
    assert sum(counts) == math.prod(shape)
    assert len({(cell.row, cell.column) for cell in picture.cells}) == len(picture.cells)


def test_the_worst_number_of_a_block_represents_it() -> None:
    random = np.random.default_rng(0)
    actual = 10.0 ** random.uniform(-2, 8, (90, 130))
    picture = mapped(np.zeros((90, 130)), actual, 1.0)
    down, right = picture.block
    for cell in picture.cells:
        top, left = cell.row * down, cell.column * right
        part = actual[top : top + down, left : left + right]
        row, column = index_of_worst(part)
        assert index_in(cell.text) == (top + row, left + column)
        assert cell.level == min(6, max(0, math.ceil(math.log10(part.max()))))
    assert index_in(worst(picture).text) == index_of_worst(actual)


def test_the_worst_number_is_marked_once_in_blocks() -> None:
    actual = np.ones((80, 96))
    picture = mapped(np.zeros((80, 96)), actual, at=(41, 51))
    assert (worst(picture).row, worst(picture).column) == (20, 25)
    assert worst(picture).text.startswith("[41, 51]: ") and worst(picture).text.endswith("; the worst of 4 numbers here")


def test_memory_layout_does_not_matter() -> None:
    right, got = np.arange(12.0).reshape(3, 4), np.arange(12.0).reshape(3, 4) + np.eye(3, 4)
    assert mapped(right.T, got.T) == mapped(right.T.copy(), got.T.copy())


WITHIN, NEVER = "within the allowed error", "infinite error, or not a number"


@pytest.mark.parametrize(
    ("ratio", "said"),
    [
        (0.0, WITHIN),
        (1.0, WITHIN),
        (math.nextafter(1.0, 2.0), "up to 10 times the allowed error"),
        (10.0, "up to 10 times the allowed error"),
        (10.1, "up to 100 times the allowed error"),
        (100.0, "up to 100 times the allowed error"),
        (1000.0, "up to 1,000 times the allowed error"),
        (1000.1, "up to 10,000 times the allowed error"),
        (1e5, "up to 100,000 times the allowed error"),
        (100_001.0, "more than 100,000 times the allowed error"),
        (1e300, "more than 100,000 times the allowed error"),
        (math.inf, NEVER),
        (math.nan, NEVER),
    ],
)
def test_each_level_reaches_to_its_border(ratio: float, said: str) -> None:
    assert legend(drawn(0.0, ratio, 1.0)) == [said]


def test_the_legend_has_exactly_the_levels_in_use() -> None:
    page = drawn(np.zeros(6), [0.0, 0.5, 2.0, 5000.0, 3.0, math.nan], 1.0)
    assert legend(page) == [WITHIN, "up to 10 times the allowed error", "up to 10,000 times the allowed error", NEVER]
    assert squares(page, "legend") == squares(page, "g") == {"level-0", "level-1", "level-4", "level-7"}


@pytest.mark.parametrize("shape", [(), (5,), (70,), (3, 4), (2, 3, 4), (2, 2, 3, 4), (100, 120)])
def test_every_cell_is_inside_and_none_overlap(shape: tuple[int, ...]) -> None:
    page = drawn(np.zeros(shape), np.ones(shape))
    drawing = next(node for node in page.every("svg") if node.attributes.get("role") == "group")
    width, height = float(drawing.attributes["width"]), float(drawing.attributes["height"])
    rects = [rect.attributes for rect in page.every("rect") if rect.within[-1].name == "g"]
    corners = {(float(rect["x"]), float(rect["y"])) for rect in rects}
    assert len(corners) == len(rects) > 0
    assert all(0 <= x <= width - 15 and 0 <= y <= height - 15 for x, y in corners)
    assert all(not (abs(x - u) < 15 and abs(y - v) < 15) for (x, y), (u, v) in pairwise(sorted(corners)))
    assert drawing.attributes["viewbox"] == f"0 0 {width:g} {height:g}"


def test_gaps_between_rows_grow_with_the_dimension() -> None:
    page = drawn(np.zeros((2, 2, 3, 4)), np.ones((2, 2, 3, 4)))
    tops = sorted({int(rect.attributes["y"]) for rect in page.every("rect") if rect.within[-1].name == "g"})
    assert [below - above for above, below in pairwise(tops)] == [16, 16, 20, 16, 16, 24, 16, 16, 20, 16, 16]
    labels = [int(text.attributes["y"]) for text in page.every("text")]
    assert [label - top for label, top in zip(labels, tops, strict=True)] == [12] * 12


def test_only_the_worst_cell_has_ring_and_tab_stop() -> None:
    page = drawn(np.zeros((3, 4)), np.arange(12.0).reshape(3, 4))
    assert [node.text[:7] for node in page.every("g") if "tabindex" in node.attributes] == ["[2, 3]:"]
    assert {circle.within[-1].text[:7] for circle in page.every("circle")} == {"[2, 3]:"}


def test_the_caption_tells_the_meaning_of_a_cell() -> None:
    assert "Each cell is one number." in drawn(np.zeros(3), np.ones(3)).one("figcaption").text
    assert "a block of 3 × 3 numbers" in drawn(np.zeros((100, 120)), np.ones((100, 120))).one("figcaption").text
