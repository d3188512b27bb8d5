"""Pages in a browser: their requests, the visibility of their contents, keys, dark mode, narrow screens and paper."""

from __future__ import annotations

import base64
import math
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser import DOWN, LEFT, RIGHT, SHIFT, TAB, UNFOLD, UP, Browser, open_browser
from html_page import Page, difference
from html_reports import ELEMENTS, HOSTILES, KINDS, MAPPED, MISSING, check, filled, report, worst_report, written
from markupsafe import escape

from normgrade.course.course import Course
from normgrade.grading.grade import Submission, grade
from normgrade.report.report import Diagnosis, Finding, Outcome, Raised, Rule, Spot

PWNED = "<script>document.title='pwned'</script><img src=x onerror=\"document.title='pwned'\">"
SUBMISSION = f"""
import torch
from torch import nn

SHOWN = {PWNED!r}  # </code></pre></style>{PWNED}


class Centring(nn.Module):
    def __init__(self, num_features, momentum=0.1):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("steps", torch.tensor(0))

    def forward(self, x):
        print(SHOWN)
        if not self.training:
            raise TypeError(SHOWN)
        return (x - x.mean(0) * 1.01) * self.weight
"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Open a browser once for all tests."""
    yield from open_browser(tmp_path_factory.mktemp("browser"))


@pytest.fixture(scope="module")
def graded(tiny: Course, expectations: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the page on a wrong submission with hostile texts."""
    folder = tmp_path_factory.mktemp("graded")
    exercise = tiny.exercise("centring")
    (folder / exercise.file_name).write_text(SUBMISSION, encoding="utf-8")
    reports = grade([Submission(exercise, folder / exercise.file_name, PWNED)])
    return written(folder, *reports)


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a page with every kind of report, every level of every map, and words that do not fit."""
    random = np.random.default_rng(0)
    big = 10.0 ** random.uniform(-2, 7, (6, 12))
    big[0, 0], endless = math.nan, "endless" * 40
    mapped = replace(difference(np.zeros((6, 12)), big, 1.0), looks_like="every value × 2")
    long = filled(lambda name: endless)
    fits = check("test_big", Outcome.FAILED, claim="It is big.", differences=(mapped, replace(MISSING, actual=endless)))
    return written(tmp_path_factory.mktemp("everything"), *KINDS["several"], *HOSTILES, long, report(fits))


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a page with two maps, of a matrix and of a vector."""
    vector = difference(np.zeros(40), np.arange(40.0))
    checks = (check(f"test_{number}", Outcome.FAILED, differences=(each,)) for number, each in enumerate((MAPPED, vector)))
    return written(tmp_path_factory.mktemp("small"), report(*checks))


@pytest.fixture(scope="module")
def pointed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a page with a long line of code in a finding, in a crash and in a diagnosis."""
    line = f"    return {'inputs + ' * 5}wrong({'weight + ' * 5}bias)"
    finding = Finding(1, 50, Rule.BANNED, f"`wrong` is banned\n{line}\n{' ' * line.index('wrong')}^^^^^")
    spot = Spot("no-eps", 1, line.index("wrong") + 1, 5, line, "add eps")
    raised = Raised("ValueError: wrong", 1, line.index("wrong") + 1, 5, line)
    checks = (check("test_a", Outcome.FAILED, differences=(MAPPED,)), check("test_b", Outcome.FAILED, claim="Two.", raised=raised))
    diagnosis = Diagnosis(("no-eps",), "There is no `eps`.", ("test_a",), (spot,))
    return written(tmp_path_factory.mktemp("pointed"), report(*checks, findings=(finding,), diagnoses=(diagnosis,), source=line))


@pytest.fixture(scope="module")
def worst(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the page on a report in which everything failed."""
    return written(tmp_path_factory.mktemp("worst"), worst_report())


def test_a_page_loads_and_runs_nothing_of_a_learner(browser: Browser, graded: Path) -> None:
    assert graded.read_text(encoding="utf-8").count(str(escape(PWNED))) > 5
    browser.show(graded)
    browser.run(UNFOLD)
    assert browser.driver.title == "centring: 2 of 10 points"
    assert browser.requests() == [graded.as_uri()]
    names = browser.run("return [...new Set([...document.querySelectorAll('*')].map((each) => each.localName))]")
    assert set(names) <= set(ELEMENTS)
    assert browser.run("return document.scripts.length") == 1
    assert browser.messages() == []


def test_the_line_that_raised_is_marked_and_linked(graded: Path) -> None:
    page = Page(graded.read_text(encoding="utf-8"))
    assert page.one("mark").text == "            raise TypeError(SHOWN)"
    [key] = {link.attributes["href"][1:] for link in page.links() if link.attributes["aria-label"].startswith("line")}
    assert page.one("mark") in [node for node in page.every("mark") if page.called(key) in node.within]


def test_the_browser_notices_loading_and_running(browser: Browser, graded: Path, tmp_path: Path) -> None:
    forgetful, page = graded.read_text(encoding="utf-8").replace("</main>", f"{PWNED}</main>"), tmp_path / "report.html"
    page.write_text(forgetful, encoding="utf-8")
    browser.show(page)
    said = "\n".join(browser.messages(until="inline event handler"))
    assert "Loading the image" in said and "inline script" in said and "inline event handler" in said
    assert browser.driver.title == "centring: 2 of 10 points"  # the policy by itself would be enough
    page.write_text(forgetful.replace("Content-Security-Policy", "nothing"), encoding="utf-8")
    browser.show(page)
    assert (browser.driver.title, len(browser.requests())) == ("pwned", 2)


@pytest.mark.parametrize("which", ["graded", "everything"])
def test_all_text_can_be_read(which: str, browser: Browser, request: pytest.FixtureRequest) -> None:
    path = request.getfixturevalue(which)
    browser.show(path)
    browser.run(UNFOLD)
    page = Page(path.read_text(encoding="utf-8"))
    expected = [node.text for node in page.every("p", "pre", "td", "th", "h1", "h2", "h4", "h5", "dd", "code", "small", "summary")]
    shown = "".join(browser.run("return document.querySelector('main').innerText").split())
    assert [text for text in expected if "".join(text.split()) not in shown] == []


STICKS_OUT = """
const edge = document.documentElement.clientWidth + 0.5;
return [...document.querySelectorAll("body *")]
    .filter((each) => arguments[0] || !each.parentElement.closest(".scroll"))
    .filter((each) => each.getBoundingClientRect().right > edge)
    .map((each) => each.outerHTML.slice(0, 200));
"""


@pytest.mark.parametrize("width", [320, 360, 1400])
@pytest.mark.parametrize("which", ["graded", "everything"])
def test_a_page_fits_the_screen(which: str, width: int, browser: Browser, request: pytest.FixtureRequest) -> None:
    browser.show(request.getfixturevalue(which), width=width)
    browser.run(UNFOLD)
    assert browser.run(STICKS_OUT, False) == []
    assert browser.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0


CARETS = """
const left = (text, at) => {
    const range = document.createRange();
    range.setStart(text, at);
    range.setEnd(text, at + 1);
    return range.getBoundingClientRect().left;
};
return [...document.querySelectorAll("pre")].filter((pre) => pre.textContent.includes("^")).map((pre) => {
    const code = pre.lastChild, [above, below] = code.data.split("\\n");
    const before = pre.textContent.length - code.data.length, caret = below.indexOf("^");
    return Math.abs(left(code, caret - before) - left(code, above.length + 1 + caret));
});
"""


@pytest.mark.parametrize("width", [320, 1400])
def test_a_caret_is_below_its_code_on_any_screen(width: int, browser: Browser, pointed: Path) -> None:
    browser.show(pointed, width=width)
    off = browser.run(CARETS)
    assert len(off) == 3 and max(off) < 0.5
    scrolls = browser.run("return [...document.querySelectorAll('pre')].map((pre) => pre.scrollWidth > pre.clientWidth)")
    assert scrolls == [width == 320] * 3


SCREEN = 900  # pixels


@pytest.mark.parametrize("width", [800, 1400])
def test_forty_failing_claims_take_three_screens(width: int, browser: Browser, worst: Path) -> None:
    assert worst.stat().st_size <= 400_000
    browser.show(worst, width=width)
    assert browser.run("return document.documentElement.scrollHeight") <= 3 * SCREEN


CONTRASTS = """
const parts = (colour) => { const found = colour.match(/[0-9.]+/g).map(Number); return found.length < 4 ? [...found, 1] : found; };
const over = (above, below) => [0, 1, 2].map((at) => above[at] * above[3] + below[at] * (1 - above[3])).concat(1);
const behind = (element) => element === null ? [255, 255, 255, 1]
    : over(parts(getComputedStyle(element).backgroundColor), behind(element.parentElement));
const channel = (value) => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
const luminance = (colour) => [0.2126, 0.7152, 0.0722].reduce((sum, weight, at) => sum + weight * channel(colour[at] / 255), 0);
const found = [];
for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
    if (!own || !element.getClientRects().length || !element.checkVisibility()) continue;
    const style = getComputedStyle(element), ground = behind(element);
    const ink = over(parts(element.localName === "text" ? style.fill : style.color), ground);
    const [one, other] = [luminance(ink) + 0.05, luminance(ground) + 0.05];
    found.push([Math.max(one / other, other / one), element.localName + "." + (element.getAttribute("class") ?? ""), element.textContent]);
}
return found;
"""


@pytest.mark.parametrize("media", ["screen", "print"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_has_enough_contrast(scheme: str, media: str, browser: Browser, everything: Path) -> None:
    browser.show(everything, scheme=scheme, media=media)
    browser.run(UNFOLD)
    found = browser.run(CONTRASTS)
    assert {"text.", "td.outcome failed", "td.outcome passed", "td.outcome error", "mark.", "span.what", "p.likeness", "th."} <= {
        name for _contrast, name, _text in found
    }
    assert [each for each in found if each[0] < 4.5] == []


@pytest.mark.parametrize(("scheme", "media", "dark"), [("light", "screen", False), ("dark", "screen", True), ("dark", "print", False)])
def test_a_page_is_dark_on_demand_except_on_paper(scheme: str, media: str, dark: bool, browser: Browser, everything: Path) -> None:
    browser.show(everything, scheme=scheme, media=media)
    for element in ("document.documentElement", "document.querySelector('main')"):
        assert (lightness(browser.run(f"return getComputedStyle({element}).backgroundColor")) < 50) == dark, element


@pytest.mark.parametrize(("scheme", "media"), [("light", "screen"), ("dark", "screen"), ("dark", "print")])
def test_map_levels_are_monotonic_in_lightness(scheme: str, media: str, browser: Browser, everything: Path) -> None:
    browser.show(everything, scheme=scheme, media=media)
    fills = browser.run(
        "return [...Array(8).keys()].map((level) => getComputedStyle(document.querySelector(`.legend .level-${level}`)).fill)"
    )
    steps = [after - before for before, after in pairwise(map(lightness, fills))]
    assert all(step <= -6 for step in steps) or all(step >= 6 for step in steps), steps


def lightness(colour: str) -> float:
    """Return the lightness L* of CIE, from 0 to 100; transparent colours show the white canvas."""
    red, green, blue, *alpha = (float(part) for part in re.findall("[0-9.]+", colour))
    if alpha == [0.0]:
        return 100.0
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in (red / 255, green / 255, blue / 255)]
    return 116 * math.cbrt(np.dot(linear, (0.2126, 0.7152, 0.0722))) - 16


FOCUSED = """
const element = document.activeElement, figure = element.closest("figure");
return element === document.body ? null
    : [element.localName, [...document.querySelectorAll("figure")].indexOf(figure), element.querySelector("title")?.textContent ?? ""];
"""


def stops(browser: Browser) -> list[list[Any]]:
    """Return everything that Tab reaches, one after the other."""
    found: list[list[Any]] = []
    while len(found) < 60:
        browser.press(TAB)
        if (focused := browser.run(FOCUSED)) is None:
            break
        found.append(focused)
    return found


def readouts(browser: Browser) -> list[str]:
    found: list[str] = browser.run("return [...document.querySelectorAll('.readout')].map((each) => each.textContent)")
    return found


def test_tab_reaches_every_control_and_worst_cell(browser: Browser, small: Path) -> None:
    browser.show(small)
    browser.run(UNFOLD)
    found = stops(browser)
    claim = ["summary", "div", "g"]
    assert [name for name, _map, _text in found] == ["summary", "a", "a", "summary", *claim, *claim, "summary", "div", "summary"]
    assert [(number, text.partition(":")[0]) for name, number, text in found if name == "g"] == [(0, "[0, 2]"), (1, "[39]")]


def test_arrows_move_through_a_map_with_a_readout(browser: Browser, small: Path) -> None:
    browser.show(small)
    browser.run(UNFOLD)
    assert readouts(browser) == ["", ""]
    browser.press(*[TAB] * 7)
    assert readouts(browser) == ["[0, 2]: expected 1.0677, got 1.001, off by 0.067, allowed 1.3e-06 (exceeded by a factor of 51308)", ""]
    walk = [(LEFT, "[0, 1]"), (DOWN, "[1, 1]"), (DOWN, "[1, 1]"), (LEFT, "[1, 0]"), (LEFT, "[1, 0]"), (UP, "[0, 0]"), (RIGHT, "[0, 1]")]
    for key, index in walk:
        browser.press(key)
        assert readouts(browser)[0].partition(":")[0] == browser.run(FOCUSED)[2].partition(":")[0] == index
    assert readouts(browser) == ["[0, 1]: expected 1.5, got 1.5, off by 0, allowed 1.3e-06", ""]
    assert browser.run("return getComputedStyle(document.activeElement.querySelector('rect')).stroke") != "none"


def test_arrows_stop_at_the_end_of_a_vector(browser: Browser, small: Path) -> None:
    browser.show(small)
    browser.run(UNFOLD)
    browser.move_to("svg[aria-label='errors of output'] g[tabindex='0']").click()
    for key, index in ((RIGHT, "[39]"), (DOWN, "[39]"), (UP, "[7]"), (RIGHT, "[8]"), (DOWN, "[8]")):
        browser.press(key)
        assert browser.run(FOCUSED)[2].partition(":")[0] == index


def test_tab_returns_to_the_last_cell(browser: Browser, small: Path) -> None:
    browser.show(small)
    browser.run(UNFOLD)
    browser.move_to("svg[aria-label='errors of step 1 · result'] g:nth-of-type(4)").click()
    browser.press(RIGHT)
    assert browser.run("return document.querySelectorAll('figure')[0].querySelectorAll('g[tabindex=\"0\"]').length") == 1
    browser.press(TAB)
    assert browser.run(FOCUSED)[0] == "summary"
    browser.press(TAB, held=SHIFT)
    assert browser.run(FOCUSED) == ["g", 0, "[1, 1]: expected 2, got 2, off by 0, allowed 1.3e-06"]


def test_pointing_at_a_cell_reads_it_out(browser: Browser, small: Path) -> None:
    browser.show(small)
    browser.run(UNFOLD)
    browser.move_to("svg[aria-label='errors of output'] g:nth-of-type(40)")
    assert readouts(browser) == ["", "[39]: expected 0, got 39, off by 39, allowed 0.1 (exceeded by a factor of 390)"]


def test_every_link_leads_to_its_target(browser: Browser, everything: Path) -> None:
    browser.show(everything)
    browser.driver.find_element("css selector", "td a[href='#r6']").click()
    assert browser.driver.current_url == f"{everything.as_uri()}#r6"
    missed = browser.run("""
        const links = [...document.querySelectorAll("a")], missed = [];
        if (links.length < 30) return ["only a few links"];
        for (const link of links) {
            scrollTo(0, link.hash.length % 2 ? 0 : document.documentElement.scrollHeight);
            link.click();
            const top = document.getElementById(link.hash.slice(1)).getBoundingClientRect().top;
            if (location.hash !== link.hash || top < -1 || top > innerHeight) missed.push([link.hash, top]);
        }
        return missed;
    """)
    assert missed == []


def test_a_link_to_a_line_opens_its_fold(browser: Browser, pointed: Path) -> None:
    browser.show(pointed)
    seen = "return document.getElementById('r1-l1').checkVisibility()"
    assert not browser.run(seen)
    for _twice in range(2):
        browser.driver.find_element("css selector", "a[href='#r1-l1']").click()
        assert browser.run(seen)
        browser.run("document.querySelector('.source').open = false")


def test_an_address_with_a_claim_opens_it(browser: Browser, pointed: Path) -> None:
    browser.driver.get("about:blank")
    browser.driver.get(f"{pointed.as_uri()}#r1-c1")
    assert browser.run("return [...document.querySelectorAll('.claims, #r1-c1, #r1-c2')].map((each) => !!each.open)") == [True, True, False]


# On paper


@pytest.mark.parametrize("which", ["graded", "everything"])
def test_on_paper_nothing_is_cut_off(which: str, browser: Browser, request: pytest.FixtureRequest) -> None:
    browser.show(request.getfixturevalue(which), width=700, media="print")
    browser.run("dispatchEvent(new Event('beforeprint'))")
    assert browser.run(STICKS_OUT, True) == []
    styles = browser.run("return [...document.querySelectorAll('.code code')].map((each) => getComputedStyle(each).whiteSpace)")
    assert set(styles) == {"pre-wrap"}


def test_printing_unfolds_everything_and_folds_it_again(browser: Browser, graded: Path) -> None:
    browser.show(graded)
    browser.run("""
        window.count = () => document.querySelectorAll("details:not([open])").length;
        window.seen = [count()];
        addEventListener("beforeprint", () => seen.push(count()));
    """)
    paper = base64.b64decode(browser.ask("Page.printToPDF", printBackground=True)["data"])
    assert paper.startswith(b"%PDF") and len(paper) > 50_000
    before, during = browser.run("return seen")
    assert (during, browser.run("return count()")) == (0, before) and before > 0


# Without scripts


def test_without_scripts_all_text_can_be_unfolded(browser: Browser, graded: Path) -> None:
    read = f"{UNFOLD} return document.querySelector('main').innerText"
    browser.show(graded)
    expected = browser.run(read)
    browser.show(graded, scripts=False)
    folded = browser.driver.find_element("css selector", "details:not([open])")
    folded.find_element("css selector", "summary").click()
    assert folded.get_attribute("open") is not None
    assert browser.run(read) == expected
    browser.run("document.querySelector('g[tabindex]').focus()")
    assert set(readouts(browser)) == {""}  # no script ran
    assert re.match(r"\[.+\]: expected ", browser.run("return document.activeElement.querySelector('title').textContent"))
