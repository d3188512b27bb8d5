"""Tests of the page of a class: what it shows, in a browser too, no harm by names and code, and the standing of a class."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import html_reports
import pytest
import sample_reports as reports
from browser import TAB, Browser, open_browser
from hostile_texts import HOSTILE_TEXTS, commands_in, steering_in
from html_page import Page
from kept_results import result

from normgrade.classes import class_page
from normgrade.classes.class_page import Bar, Mistake, Standing, anonymous, class_pages
from normgrade.classes.feedback import write_pages
from normgrade.classes.gradebook import Gradebook
from normgrade.classes.hand_ins import HandIn, Mark, Override
from normgrade.language.visible import visible_name
from normgrade.report.render.json import render_json
from normgrade.report.report import Outcome, Report

SPOTTED = replace(reports.FAILED, diagnoses=(replace(reports.BIASED, spots=(replace(reports.SPOT, text="    var = h.var()  # Anna"),)),))
PWNED = "<script>document.title='pwned'</script><img src=x onerror=\"document.title='pwned'\">"
SLUGS = ("batch_norm", "layer_norm")


def kept(gradebook: Gradebook, student: str, report: Report, earned: int, slug: str = "batch_norm") -> None:
    """Keep a result with this report and these points."""
    text = json.dumps(json.loads(render_json([replace(report, exercise=slug)]))["reports"][0])
    hand_in = HandIn(student, slug, f"class/{student}/{slug}.py", b"x = 1\n")
    gradebook.keep([replace(type(result()).of(hand_in, "digest", text, result().graded), earned=earned)])


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder with the pages of a class of five, one of whom has a hostile name and a hostile report."""
    folder = tmp_path_factory.mktemp("class")
    with Gradebook.open(folder / "gradebook.db", make=True) as gradebook:
        gradebook.enrol(dict.fromkeys(("Anna Li", "Bob", "Émile", "Nobody", PWNED), ""))
        kept(gradebook, "Anna Li", SPOTTED, 4)
        kept(gradebook, "Anna Li", reports.PASSED, 10, "layer_norm")
        kept(gradebook, "Bob", SPOTTED, 6)
        kept(gradebook, "Bob", SPOTTED, 9)
        kept(gradebook, "Émile", reports.PASSED, 10)
        kept(gradebook, PWNED, html_reports.filled(lambda name: PWNED), 0)
        gradebook.override(Override("Bob", "layer_norm", 7.5, None, "Ms Li", "oral exam", datetime(2026, 11, 28, tzinfo=UTC)))
        write_pages(folder / "page", class_pages(gradebook, SLUGS))
    return folder / "page"


@pytest.fixture(scope="module")
def page(pages: Path) -> Page:
    return read((pages / "index.html").read_text(encoding="utf-8"))


def read(text: str) -> Page:
    """Return a page whose only element without an end, the field of the search, has one."""
    return Page(text.replace('autocomplete="off">', 'autocomplete="off"></input>'))


def rows(page: Page, of: str) -> list[list[str]]:
    """Return the texts in the rows of a table, cell by cell."""
    table = next(node for node in page.every("table") if of in [each.text for each in page.nodes if node in each.within])
    inside = [row for row in page.every("tr") if table in row.within]
    return [[cell.text.strip() for cell in page.every("th", "td") if row in cell.within] for row in inside]


def test_exercises_have_points_and_quartiles(page: Page) -> None:
    assert rows(page, "quartiles") == [
        ["exercise", "points", "students", "passed", "median", "quartiles", "possible"],
        ["batch_norm", "", "4", "1", "6.5", "3–9.25", "14"],
        ["layer_norm", "", "2", "1", "8.75", "8.125–9.375", "4"],
    ]
    [first, _second] = page.every("svg", of="bars")
    assert first.attributes["aria-label"] == (
        "0 to below 1.4 points: 1 student; 2.8 to below 4.2 points: 1 student; 8.4 to below 9.8 points: 1 student; "
        "9.8 to below 11.2 points: 1 student"
    )


def test_mistakes_have_a_line_and_no_name(page: Page) -> None:
    shown = [node.text for node in page.every("li") if any("commonest" in each.classes for each in node.within)]
    assert "biased-running-variance 2 studentsrunning_var is updated with the biased variance.var = h.var()" in shown
    told = "".join(node.text for node in page.every("details"))
    assert "Anna" not in told and "Bob" not in told


def test_claims_have_the_share_of_students(page: Page) -> None:
    assert ["100 %", "2/2", reports.STATISTICS, "state"] in rows(page, "share")


def test_students_have_a_row_each(page: Page) -> None:
    assert rows(page, "student") == [
        ["student", "batch_norm", "layer_norm", "total"],
        [PWNED, "✗ 0", "none", "0"],
        ["Anna Li", "✗ 4", "✓ 10", "14"],
        ["Bob", "✗ 9 was 6", "* – 7.5", "16.5"],
        ["Nobody", "none", "none", "0"],
        ["Émile", "✓ 10", "none", "10"],
    ]


def test_every_link_leads_to_a_page(page: Page, pages: Path) -> None:
    links = [unquote(link.attributes["href"]) for link in page.links() if "#" not in link.attributes["href"]]
    assert sorted(links) == sorted(f"students/{path.name}" for path in (pages / "students").iterdir()) and len(links) == 5
    assert {page.called(link.attributes["href"][1:]).name for link in page.links() if "#" in link.attributes["href"]} == {"h2", "details"}


def test_page_of_a_student_leads_back(pages: Path) -> None:
    found = Page((pages / "students" / "Bob.html").read_text(encoding="utf-8"))
    assert found.one("h1").text == "Bob" and found.links()[0].attributes["href"] == "../index.html"
    assert "layer_norm: 7.5 points count, not none. Ms Li set them on 2026-11-28: oral exam" in [node.text for node in found.every("p")]


def test_absent_student_has_a_page(pages: Path) -> None:
    assert "<p>Nothing was handed in.</p>" in (pages / "students" / "Nobody.html").read_text(encoding="utf-8")


def test_headings_have_an_order(page: Page) -> None:
    levels = [int(node.name[1]) for node in page.every("h1", "h2", "h3", "h4")]
    assert levels[0] == 1 and all(after <= before + 1 for before, after in pairwise(levels))


def test_every_head_of_a_table_has_a_scope(page: Page) -> None:
    assert {node.attributes.get("scope") for node in page.every("th")} == {"col", "row"}


@pytest.mark.parametrize("text", HOSTILE_TEXTS)
def test_hostile_texts_stay_texts(text: str, tmp_path: Path) -> None:
    report = html_reports.filled(lambda name: text)
    with Gradebook.open(tmp_path / "gradebook.db", make=True) as gradebook:
        gradebook.enrol({visible_name(text): ""})
        gradebook.override(Override(visible_name(text), "rms", 1, None, text.encode(errors="replace").decode(), "why", datetime.now(UTC)))
        standings = Standing("rms")
        [_student, index] = class_pages(gradebook, ["rms"])
        mark = gradebook.marks()[visible_name(text), "rms"]
    standings.add(mark, report, "")
    for made in (index.text, class_page.index([standings], [])):
        assert commands_in(made) == [] and steering_in(made) == set()
        assert {node.name for node in read(made).nodes} <= {*html_reports.ELEMENTS, "nav", "label", "input", "output", "a"}


def test_an_empty_class_has_a_page(tmp_path: Path) -> None:
    with Gradebook.open(tmp_path / "gradebook.db", make=True) as gradebook:
        [index] = class_pages(gradebook, [])
    assert "Nothing is graded yet. Run <code>normgrade grade PATH</code> first." in index.text


# In a browser


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Open a browser once for all tests."""
    yield from open_browser(tmp_path_factory.mktemp("browser"))


def shown(browser: Browser) -> Any:
    """Return the names in the table that can be seen, in their order."""
    return browser.run(
        "return [...document.querySelectorAll('.students tbody tr')].filter((row) => !row.hidden).map((row) => row.cells[0].textContent)"
    )


def test_the_page_loads_and_runs_nothing_else(browser: Browser, pages: Path) -> None:
    index = pages / "index.html"
    browser.show(index)
    assert browser.driver.title == "The class: 5 students, 2 exercises"
    assert browser.requests() == [index.as_uri()]
    assert browser.messages() == []


def test_heads_sort_the_students(browser: Browser, pages: Path) -> None:
    browser.show(pages / "index.html")
    heads = "return [...document.querySelectorAll('.students thead th')].map((each) => each.getAttribute('aria-sort'))"
    assert browser.run(heads) == ["ascending", None, None, None]
    buttons = browser.driver.find_elements("css selector", ".students thead button")
    assert [button.text.strip(" ▲") for button in buttons] == ["student", "batch_norm", "layer_norm", "total"]
    orders = []
    for number in (2, 2, 1, 0, 0):
        buttons[number].click()
        orders.append([name[:4] for name in shown(browser)])
    assert orders[:2] == [["Anna", "Bob", "<scr", "Nobo", "Émil"], ["Bob", "Anna", "<scr", "Nobo", "Émil"]]
    assert orders[2:] == [
        ["Émil", "Bob", "Anna", "<scr", "Nobo"],
        ["<scr", "Anna", "Bob", "Émil", "Nobo"],
        ["Nobo", "Émil", "Bob", "Anna", "<scr"],
    ]
    assert browser.run(heads) == ["descending", None, None, None]


def test_students_can_be_found_without_accents(browser: Browser, pages: Path) -> None:
    browser.show(pages / "index.html")
    field = browser.driver.find_element("css selector", "label[for='search'] + input")
    field.send_keys("emil")
    assert shown(browser) == ["Émile"]
    assert browser.run("return document.querySelector('.search output').textContent") == "1 of 5 students"
    field.clear()
    field.send_keys("li ann")
    assert shown(browser) == ["Anna Li"]


def test_keys_reach_the_field_and_every_button(browser: Browser, pages: Path) -> None:
    browser.show(pages / "index.html")
    browser.run("document.querySelector('#search').focus()")
    reached = []
    for _press in range(6):
        browser.press(TAB)
        reached.append(browser.run("return document.activeElement.localName"))
    assert reached == ["div", "button", "button", "button", "button", "a"]


def test_without_scripts_the_table_is_whole(browser: Browser, pages: Path) -> None:
    browser.show(pages / "index.html", scripts=False)
    assert len(shown(browser)) == 5
    assert not browser.driver.find_element("css selector", "#search").is_displayed()


@pytest.mark.parametrize("width", [400, 1400])
def test_the_page_fits_the_screen(width: int, browser: Browser, pages: Path) -> None:
    browser.show(pages / "index.html", width=width)
    browser.run("for (const each of document.querySelectorAll('details')) each.open = true;")
    assert browser.run("return document.documentElement.scrollWidth") == width


def test_a_link_to_an_exercise_opens_it(browser: Browser, pages: Path) -> None:
    browser.show(pages / "index.html")
    browser.driver.find_element("css selector", "a[href='#e2']").click()
    assert browser.run("return [...document.querySelectorAll('.exercise')].map((each) => each.open)") == [False, True]


# The standing at an exercise: lines that nobody signs


WITH_SPOT = replace(reports.BIASED, spots=(reports.SPOT,))


def standing(*told: tuple[str, int, Report | None]) -> Standing:
    """Return the standing of students with their points and reports."""
    made = Standing("batch_norm")
    for student, points, report in told:
        made.add(Mark(student, "batch_norm", result(student, earned=points)), report, "")
    return made


def spotted(text: str) -> Report:
    return replace(reports.FAILED, diagnoses=(replace(WITH_SPOT, spots=(replace(reports.SPOT, text=text),)),))


def test_points_are_summed_up() -> None:
    made = standing(("A", 14, reports.FAILED), ("B", 4, reports.FAILED), ("C", 8, reports.PASSED), ("D", 0, None))
    assert (len(made.points), made.graded, made.passed, made.possible) == (4, 3, 1, 14)
    assert (made.median, made.quartiles) == (6, (3, 9.5))


@pytest.mark.parametrize(("points", "median", "quartiles"), [((), 0, (0, 0)), ((7,), 7, (7, 7))])
def test_few_students_have_quartiles_too(points: tuple[int, ...], median: float, quartiles: tuple[float, float]) -> None:
    made = standing(*((str(each), each, reports.FAILED) for each in points))
    assert (made.median, made.quartiles) == (median, quartiles)


def test_all_points_have_a_bar_of_their_own() -> None:
    made = standing(*((str(number), points, replace(reports.PASSED, possible=3)) for number, points in enumerate((0, 2, 2, 3, 9))))
    assert made.bars == [Bar(0, 1, 1), Bar(1, 2, 0), Bar(2, 3, 2), Bar(3, 3, 2)]


def test_many_points_share_bars() -> None:
    bars = standing(("A", 19, replace(reports.PASSED, possible=20)), ("B", 20, reports.PASSED)).bars
    assert len(bars) == 11 and bars[9:] == [Bar(18, 20, 1), Bar(20, 20, 1)]


def test_claims_are_counted_per_student() -> None:
    holds = replace(reports.FAILED, checks=tuple(replace(check, outcome=Outcome.PASSED) for check in reports.FAILED.checks[:3]))
    made = standing(("A", 4, reports.FAILED), ("B", 14, holds), ("C", 0, reports.report()))
    [claim] = made.failing_claims
    assert (claim.text, claim.failing, claim.asked, claim.share) == (reports.STATISTICS, 1, 2, 0.5)
    assert [claim.text for claim in made.claims.values()] == ["The output is normalised.", reports.STATISTICS]


def test_mistakes_have_the_commonest_line() -> None:
    made = standing(
        *((name, 4, spotted(line)) for name, line in zip("ABC", ("v = x.var()  # mine", "v = h.var(0)", "  v = x.var()"), strict=True))
    )
    says = "running_var is updated with the biased variance."
    assert [*made.commonest] == [Mistake("biased-running-variance", says, 3, "v = x.var()")]


def test_findings_are_counted_per_student() -> None:
    made = standing(("A", 0, reports.report(findings=(reports.BANNED, reports.BANNED))), ("B", 0, reports.report()))
    assert made.rules == {"banned": 1}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("    var = h.var(dims)  # Anna's", "var = h.var(dims)"),
        ("# Anna Li 4711", ""),
        ("anna_norm(x)", ""),
        ("x = by(ANNA)", ""),
        ("x = 4711", ""),
        ("name = 'somebody'", ""),
        ('f(x, "a # b")', ""),
        ("x" * 161, ""),
        ("li = x\t+ 1", ""),
        ("lin = x\t+ 1", "lin = x + 1"),
    ],
)
def test_a_line_does_not_tell_whose_it_is(text: str, line: str) -> None:
    assert anonymous(text, ["Anna Li", "4711"]) == line


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("王伟", ["wide_王伟 = x", "王伟norm(x)"]),
        ("李 娜", ["wide_李 = x", "李娜(x)", "x娜 = 1"]),
        ("Li Wu", ["li = x", "norm_wu(x)", "LiWuNorm(x)"]),
        ("Bo X. Orr", ["bo_norm(x)"]),
    ],
)
def test_short_names_are_names(name: str, lines: list[str]) -> None:
    assert [anonymous(line, [name, ""]) for line in lines] == [""] * len(lines)
    assert anonymous("wide = x.mean(-1)", [name, ""]) == "wide = x.mean(-1)"
