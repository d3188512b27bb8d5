"""Reports as a page: the markup, read as data."""

from __future__ import annotations

import base64
import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from enum import StrEnum
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import sample_reports as samples
from html_page import Node, Page
from html_reports import (
    BANNED,
    ELEMENTS,
    FAILED,
    HOSTILE,
    HOSTILES,
    KINDS,
    MAPPED,
    MISSING,
    MISTAKE,
    NOT_STARTED,
    OPEN,
    PASSED,
    SOURCE,
    check,
    filled,
    page_of,
    report,
    worst_report,
)
from jinja2 import UndefinedError
from sample_reports import ASKED

from normgrade.course.course import Course
from normgrade.language import speak
from normgrade.language.visible import printable
from normgrade.report.render import FULL, Detail, render
from normgrade.report.render.html import (
    CHARACTERS,
    FOLDER,
    LAYOUT,
    SCRIPT,
    STYLE,
    Section,
    environment,
    render_fragment,
    render_html,
    section,
)
from normgrade.report.render.outline import raised_at
from normgrade.report.render.summary import named
from normgrade.report.report import Diagnosis, Outcome, Raised, Report, Spot, reveal

every_kind = pytest.mark.parametrize("reports", KINDS.values(), ids=KINDS)


def texts_in(value: object) -> Iterator[str]:
    """Yield every text in a report."""
    if isinstance(value, str) and not isinstance(value, StrEnum):
        yield value
    elif isinstance(value, tuple):
        for each in value:
            yield from texts_in(each)
    elif is_dataclass(value):
        for each in fields(value):
            yield from texts_in(getattr(value, each.name))


def outline(page: Page) -> list[tuple[str, list[str]]]:
    """Return the elements and the names of their attributes, without any text."""
    return [(node.name, list(node.attributes)) for node in page.nodes]


def test_claims_that_nothing_else_shows_are_listed() -> None:
    """As in a terminal, for example if only exceptions made them fail, and a mistake explains these."""
    claims = [check(f"test_{number}", Outcome.FAILED, claim=f"Claim {number}.", raised=Raised("ValueError: no")) for number in range(5)]
    explained = Diagnosis(("half-precision",), "Widen it.", tuple(each.name for each in claims))
    text = "".join(node.text for node in page_of(report(*claims, diagnoses=(explained,))).nodes if node.name == "p")
    assert "Claim 0." in text and "and 2 more claims" in text


# Text of a learner stays text


def test_every_text_of_the_hostile_report_is_hostile() -> None:
    assert set(texts_in(HOSTILES[0])) == {HOSTILE}


def test_hostile_texts_make_the_same_elements() -> None:
    for rest in ({}, {"diagnoses": ()}, {"outcome": Outcome.NOT_STARTED}):
        harmless = filled(lambda name: "harmless", **rest)
        assert outline(page_of(filled(lambda name: HOSTILE, **rest))) == outline(page_of(harmless))


def test_each_text_of_a_report_is_shown() -> None:
    says = [filled(lambda name: f"<i>{name}</i>", **rest) for rest in ({}, {"diagnoses": ()}, {"sandbox": "process"})]
    page = page_of(*says)
    shown = page.one("body").text
    unseen = {
        "process",
        "<i>digest</i>",
        "<i>place</i>",
        "<i>map</i>",
        "<i>function</i>",
        "<i>shown by</i>",
    }  # a place is shown under its own name
    assert {text for text in texts_in(tuple(says)) if text not in shown} <= unseen
    assert page.every("i") == []


@every_kind
def test_the_only_script_and_style_are_the_pages_own(reports: tuple[Report, ...]) -> None:
    page = page_of(*reports)
    assert (page.one("script").text, page.one("style").text) == (SCRIPT, STYLE)
    assert {node.name for node in page.nodes} <= set(ELEMENTS)


@every_kind
def test_no_attribute_runs_or_loads_anything(reports: tuple[Report, ...]) -> None:
    for node in page_of(*reports).nodes:
        for name, value in node.attributes.items():
            assert not name.startswith("on") and name not in ("src", "srcset", "style", "action", "data", "xlink:href"), node
            assert name != "href" or re.fullmatch("#r[0-9]+(-[cl][0-9]+)?", value), node


@every_kind
def test_the_policy_allows_only_own_script_and_style(reports: tuple[Report, ...]) -> None:
    page = page_of(*reports)
    policies = [meta for meta in page.every("meta") if meta.attributes.get("http-equiv") == "Content-Security-Policy"]
    [content] = [meta.attributes["content"] for meta in policies]
    rules = dict(rule.strip().split(" ", 1) for rule in content.split(";"))
    assert rules == {
        "default-src": "'none'",
        "script-src": f"'{sha256(page.one('script').text)}'",
        "style-src": f"'{sha256(page.one('style').text)}'",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    before = page.nodes[: page.nodes.index(policies[0])]
    assert [node.name for node in before] == ["html", "head", "meta", "meta"]  # a policy applies only to the elements after it


def sha256(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def test_a_page_has_only_printable_characters() -> None:
    text = render(HOSTILES, "html")
    assert text.encode("utf-8").decode("utf-8") == text
    assert [sign for sign in text if sign != "\n" and printable(sign) != sign] == []


def test_style_and_script_load_nothing() -> None:
    assert not re.search(r"url\(|@import|@font-face|https?:", STYLE)
    assert not re.search(r"fetch|XMLHttp|import\b|https?:|innerHTML|eval", SCRIPT)


# The templates

TEMPLATES = sorted(FOLDER.glob("*.jinja"))


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_a_template_disables_no_protection(path: Path) -> None:
    """Check that a template writes only escaped and printable text, except for the style and the script, which are markup of normgrade."""
    source = path.read_text(encoding="utf-8")
    assert not re.search(r"safe|autoescape|\braw\b|Markup", source)
    assert all(re.search(r"<(script|style)>$", before) for before in re.split(r"\{\{ (?:script|style) \}\}", source)[:-1])


def test_every_text_in_a_template_is_escaped() -> None:
    escaped = "&lt;a&gt;&#34;&#39;"
    parsed = environment().from_string('{{ text }}|{% set x = text %}<p title="{{ x }}">{{ [text][0] }}</p>')
    assert parsed.render(text="<a\x1b[31m\u202e>\"'") == f'{escaped}|<p title="{escaped}">{escaped}</p>'


def test_an_unknown_name_in_a_template_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        environment().from_string("{{ nobody }}").render()


def test_line_ends_between_tags_are_layout() -> None:
    assert LAYOUT.sub("", "<p>\n  <b>{{ a }}</b> {{ b }}\n  {{ c }}\n</p>\n") == "<p><b>{{ a }}</b> {{ b }}{{ c }}</p>\n"


# The markup


@every_kind
def test_ids_are_unique_and_links_have_targets(reports: tuple[Report, ...]) -> None:
    page = page_of(*reports)
    ids = [node.attributes["id"] for node in page.nodes if "id" in node.attributes]
    assert len(set(ids)) == len(ids)
    assert {node.attributes["href"][1:] for node in page.nodes if "href" in node.attributes} <= set(ids)
    assert {node.attributes["aria-labelledby"] for node in page.nodes if "aria-labelledby" in node.attributes} <= set(ids)


@every_kind
def test_headings_begin_at_one_and_skip_no_level(reports: tuple[Report, ...]) -> None:
    found = [int(node.name[1]) for node in page_of(*reports).nodes if re.fullmatch("h[1-6]", node.name)]
    assert found[0] == 1 and found.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(found))


def name_of(page: Page, node: Node) -> str:
    """Return the name that a screen reader tells."""
    key = node.attributes.get("aria-labelledby")
    return page.called(key).text if key else node.attributes.get("aria-label", "")


@every_kind
def test_elements_have_accessible_names(reports: tuple[Report, ...]) -> None:
    page = page_of(*reports)
    for node in page.nodes:
        label = name_of(page, node)
        if node.attributes.get("role") == "group":
            assert label.strip(), node
        if node.name == "svg":
            assert label or node.attributes.get("aria-hidden") == "true", node
        if node.attributes.get("role") == "img":
            [title] = [each for each in page.every("title") if each.within[-1] is node]
            assert title.text, node
        if node.name in ("th", "summary", "a", "title"):
            assert node.text.strip(), node


@every_kind
def test_a_report_shown_twice_has_no_equal_landmarks(reports: tuple[Report, ...]) -> None:
    page = page_of(*reports, *reports)
    assert page.every("section", "article", "aside", "nav", "form") == []
    assert {node.attributes["role"] for node in page.nodes if "role" in node.attributes} <= {"group", "img"}


@every_kind
def test_every_column_has_a_head(reports: tuple[Report, ...]) -> None:
    page = page_of(*reports)
    assert all(node.attributes["scope"] == "col" for node in page.every("th"))
    for table in page.every("table"):
        cells = Counter(node.within[-1] for node in page.every("th", "td") if table in node.within)
        assert len(set(cells.values())) == 1
        assert any(table in node.within for node in page.every("th"))


@every_kind
def test_scrolling_elements_are_reached_by_the_keyboard(reports: tuple[Report, ...]) -> None:
    page = page_of(*reports)
    for node in page.every(of="scroll"):
        inside = [each for each in page.nodes if node in each.within]
        assert "0" in [each.attributes.get("tabindex") for each in (node, *inside)]


def test_a_page_has_its_language() -> None:
    assert page_of(PASSED).one("html").attributes["lang"] == "en"
    speak("zh")
    assert page_of(PASSED).one("html").attributes["lang"] == "zh-Hans"


# The contents of a page


def test_a_page_without_reports_says_so() -> None:
    page = page_of()
    assert page.one("title").text == page.one("h1").text == "0 reports"
    assert page.one("p").text == "Nothing was graded. Run normgrade list to see the exercises."
    assert page.every("table") == []


def test_one_report_has_its_score_as_title() -> None:
    page = page_of(PASSED)
    assert page.one("title").text == page.one("h1").text == "centring: 2 of 2 points"
    assert page.one("h2").text == "centring centring.py"
    assert page.every("table") == []


def test_several_reports_begin_with_a_table() -> None:
    page = page_of(FAILED, PASSED, NOT_STARTED)
    assert page.every("title")[0].text == page.one("h1").text == "3 reports"
    rows = [node.text for node in page.every("tr") if page.every("table")[0] in node.within][1:]
    assert rows == ["rms rms.py✗ failed2/10no-eps", "centring centring.py✓ passed2/2", "norm norm.py– not started0/20"]
    assert [page.called(link.attributes["href"][1:]).name for link in page.links()[:3]] == ["details"] * 3


def test_an_untouched_stub_has_advice() -> None:
    page = page_of(NOT_STARTED)
    assert page.one("p").text == "norm is not started. Run normgrade show norm to read the task, and write your code in norm.py."
    assert page.every("table", "ol") == []


def folds(page: Page, inside: Node) -> list[tuple[str, bool]]:
    """Return the texts of the folds inside an element, and if each is open."""
    return [(node.text, "open" in node.within[-1].attributes) for node in page.every("summary") if inside in node.within]


def test_several_reports_are_folded_and_one_is_open() -> None:
    assert ["open" in node.attributes for node in page_of(FAILED, PASSED).every("details", of="report")] == [False, False]
    page = page_of(FAILED)
    assert folds(page, page.one(of="report")) == [
        ("rms rms.py", True),
        ("All claims 0 of 3 hold", False),
        ("✗ failedRows are divided. (1 of 3 hold)formula 2/6", False),
        ("! errorTwo values are taken.edge 0/2", False),
        ("Your code", False),
        ("How it was graded", False),
    ]


def test_the_strip_groups_claims_and_links_to_them() -> None:
    page = page_of(FAILED)
    strip = page.one(of="strip")
    assert [node.text for node in page.every("li") if strip in node.within] == ["formula✗", "edge–!"]
    links = [node for node in page.links() if strip in node.within]
    assert [name_of(page, link) for link in links] == [
        "✗ failed: Rows are divided.",
        "– skipped: One value is refused.",
        "! error: Two values are taken.",
    ]
    targets = [page.called(link.attributes["href"][1:]) for link in links]
    assert [target.name for target in targets] == ["details", "div", "details"]
    assert targets[1].text == "– skippedOne value is refused.edge 0/2"


def test_the_reason_for_skipping_is_told_once() -> None:
    again = replace(FAILED.checks[3], name="test_three", claim="Three values are refused.")
    text = page_of(replace(FAILED, checks=(*FAILED.checks, again))).one(of="claims").text
    assert text.count("– skipped: it needs what is broken") == text.count("it needs what is broken") == 1


def test_both_sides_are_in_a_table_of_numbers() -> None:
    page = page_of(FAILED)
    [table] = [node for node in page.every("table") if any("sides" in each.classes for each in node.within)]
    rows = [[cell.text for cell in page.every("td") if cell.within[-1] is row] for row in page.every("tr") if table in row.within]
    assert rows[1:] == [
        ["✗", "[0, 0]", "0.96", "0.9", "0.06", "1.3e-06"],
        ["", "[0, 1]", "1.5", "1.5", "0", "1.3e-06"],
        ["▶", "[0, 2]", "1.0677", "1.001", "0.067", "1.3e-06"],
        ["", "[1, 0]", "1", "1", "0", "1.3e-06"],
        ["", "[1, 1]", "2", "2", "0", "1.3e-06"],
        ["✗", "[1, 2]", "3", "3.0001", "0.0001", "1.3e-06"],
    ]
    assert [node.text[:1] for node in page.every("tr", of="worst")] == ["▶"]
    assert len(page.every("figure")) == 1
    assert page.one("dl").text == "expecteda float32 tensor of shape (3,)gotnothing"


def told(page: Page, inside: Node) -> list[str]:
    """Return the paragraphs, headings and lines of code inside an element."""
    return [node.text for node in page.every("h3", "h4", "p", "li", "pre") if inside in node.within]


def test_a_diagnosis_tells_mistake_reach_and_alternatives() -> None:
    page = page_of(FAILED)
    assert told(page, page.one(of="diagnosis")) == ["no-eps explains the failing claim", "There is no eps.", "Add it.", "or no-eps"]


def test_each_of_several_mistakes_is_above_its_line() -> None:
    spot = Spot("no-eps", 3, 1, 6, "import torch", "add eps")
    two = Diagnosis(("one-pass", "no-eps"), "1. One.\n2. No.", ("test_rows[a]",), (spot,), texts=("Two passes.", "There is none."))
    page = page_of(replace(FAILED, diagnoses=(two,)))
    assert told(page, page.one(of="diagnosis"))[:5] == [
        "2 mistakes ",
        "1. one-pass",
        "Two passes.",
        "2. no-eps",
        "There is none.",
    ]
    assert told(page, page.one(of="diagnosis"))[5].startswith("3 │ import torch\n  │ ^^^^^^ add eps")


def test_a_crash_has_line_call_and_advice() -> None:
    raised = Raised("ValueError: not enough values to unpack", 7, 2, 6, SOURCE.splitlines()[6], "forward", "Use the last dimensions.")
    crashed = check("test_rows", Outcome.FAILED, message="ValueError", lines=(7,), raised=raised, call="RMS(3), input (4, 3)")
    page = page_of(report(crashed, limits=("It works for 4 dimensions.",)))
    assert told(page, page.one(of="diagnosis")) == [
        "ValueError: not enough values to unpack",
        "7 │ return torch.nn.functional.rms_norm(x, x.shape)\n  │ ^^^^^^",
        "Use the last dimensions.",
        "The call: RMS(3), input (4, 3)",
        "It works for 4 dimensions.",
    ]
    assert page.every(of="example") == []


def test_one_example_tells_both_sides() -> None:
    page = page_of(report(replace(FAILED.checks[0], call="RMS(3), input (2, 3)")))
    assert told(page, page.one(of="example")) == [
        "✗ Rows are divided.",
        "RMS(3), input (2, 3): step 1 · result[0, 2] is 1.001, expected 1.0677 ± 1.3e-06; 1 of 6 numbers differs",
        "Hint: Which eps?",
    ]


def test_the_next_step_is_told_last() -> None:
    assert page_of(FAILED).one(of="next").text == "Next: normgrade explain no-eps --exercise rms"
    broken = report(check("test_rows", Outcome.ERROR), outcome=Outcome.ERROR)
    assert page_of(broken).one(of="next").text.startswith("Show this report to the maintainer of the course")
    assert page_of(PASSED).every(of="next") == []


@pytest.mark.parametrize(("many", "told"), [(5, []), (6, ["and 1 more finding"]), (40, ["and 35 more findings"])])
def test_only_the_first_five_findings_are_told(many: int, told: list[str]) -> None:
    page = page_of(report(findings=(BANNED,) * many))
    items = [node.text for node in page.every("li") if page.one(of="findings") in node.within]
    assert items[5:] == told


def test_without_two_arrays_there_is_no_map() -> None:
    page = page_of(report(check("test_rows", Outcome.FAILED, differences=(MISSING,))))
    assert page.every("figure") == [] and page.one("dl").text == "expecteda float32 tensor of shape (3,)gotnothing"


def test_beyond_three_places_only_their_number_is_told() -> None:
    page = page_of(report(check("test_rows", Outcome.FAILED, differences=(MAPPED,) * 15)))
    assert len(page.every(of="difference")) == 3 and "and 12 more places" in [node.text for node in page.every("p")]


def test_the_first_case_of_each_claim_has_a_picture() -> None:
    failing = [check(f"test_{number}[{case}]", Outcome.FAILED, differences=(MAPPED, MAPPED)) for number in range(9) for case in "ab"]
    page = page_of(report(*failing))
    pictured = [next(each.attributes["id"] for each in node.within[::-1] if "id" in each.attributes) for node in page.every("figure")]
    assert pictured == ["r1-c1", "r1-c2", "r1-c3"] and len(page.every(of="difference")) == 18


def test_open_permissions_of_a_process_are_told_last() -> None:
    assert "files: all of them" in page_of(PASSED, OPEN).one("footer").text
    assert page_of(replace(OPEN, sandbox="linux")).every("footer") == []


@pytest.mark.parametrize("level", ["claims", "score"])
def test_withheld_information_is_not_in_the_page(level: Any) -> None:
    page = page_of(reveal(replace(FAILED, findings=()), level))
    assert page.every("figure", "dl", "mark", "pre") == [] and page.every(of="sides") == []
    shown = page.one("body").text.replace(SCRIPT, "")
    assert not re.search(r"[0-9]\.[0-9]|e-0|float32|printed|KeyError|raised|Which", shown)
    assert ("Rows are divided." in shown, "no-eps" in shown) == (level == "claims",) * 2


def test_many_reports_are_shortened() -> None:
    many = report(*(check(f"test_{number}", Outcome.FAILED, claim=f"{number}", differences=(MAPPED,) * 3) for number in range(9)))
    page = page_of(many, PASSED)
    assert (len(page.every(of="difference")), len(page.every("figure"))) == (6, 1)
    assert "6 more claims fail. Run normgrade check -v rms to see their numbers." in [node.text for node in page.every("p")]


def test_a_fragment_is_a_fifth_of_its_page() -> None:
    page, fragment = (len(text.encode()) for text in (render([worst_report()], "html"), render_fragment([worst_report()], "a-")))
    assert fragment < 72_000 < page < 400_000


# The learner's code


def lines_of(page: Page) -> list[str]:
    return [node.text for node in page.every("li") if any("code" in each.classes for each in node.within)]


def test_the_code_is_shown_line_by_line() -> None:
    page = page_of(replace(FAILED, findings=(), checks=()))
    assert lines_of(page) == ["", "", "import torch", "", "", "def rms(x):", "    return torch.nn.functional.rms_norm(x, x.shape)"]


def test_lines_are_counted_as_python_does() -> None:
    assert lines_of(page_of(replace(PASSED, source="a\r\nb\rc\fd\x0be\u2028f\n\n\n"))) == ["a", "b", "cdef"]


def test_a_line_has_its_findings_and_exceptions() -> None:
    page = page_of(FAILED)
    assert page.one("mark").text.strip() == "return torch.nn.functional.rms_norm(x, x.shape)"
    remarks = [node.text for node in page.every("small") if page.called("r1-l7") in node.within]
    assert remarks == ["◀ banned: `rms_norm` is banned: write it by hand", "◀ raised an exception: Rows are divided."]


def test_a_located_mistake_is_linked_to_its_line() -> None:
    spot = Spot("no-eps", 7, 9, 5, SOURCE.splitlines()[6], "add eps")
    page = page_of(replace(FAILED, findings=(), checks=(), diagnoses=(replace(MISTAKE, spots=(spot,)),)))
    assert page.one("pre").text == "7 │ return torch.nn.functional.rms_norm(x, x.shape)\n  │        ^^^^^ add eps"
    assert [page.called(link.attributes["href"][1:]).name for link in page.links() if name_of(page, link) == "line 7"] == ["li"]
    assert [node.text for node in page.every("small") if page.called("r1-l7") in node.within] == ["◀ no-eps: add eps"]


def test_findings_and_errors_lead_to_their_line() -> None:
    page = page_of(FAILED)
    found = [(link.text, page.called(link.attributes["href"][1:])) for link in page.links() if link.text.startswith("line")]
    assert [(text, target.name) for text, target in found] == [("line 7", "li")] * 2
    assert all("return torch" in target.text for _text, target in found)


@pytest.mark.parametrize("source", ["", "x = 1\n"])
def test_a_line_outside_the_code_has_no_link(source: str) -> None:
    page = page_of(report(check("test_rows", Outcome.FAILED, message="m", lines=(9,)), findings=(BANNED,), source=source))
    assert {link.attributes["href"] for link in page.links()} == {"#r1-c1"}
    assert [node.text for node in page.every("span") if node.text.startswith("line")] == ["line 7", "line 9"]


def test_a_long_file_is_cut() -> None:
    page = page_of(replace(PASSED, source="x = 1\n" * (FULL.lines + 5)))
    assert len(lines_of(page)) == FULL.lines
    assert [node.text for node in page.every("p") if "more" in node.text] == ["… and 5 more lines"]


def test_the_command_line_writes_the_page(run: Callable[..., tuple[int, str, str]], tiny: Course) -> None:
    _code, out, err = run("check", str(tiny.exercise("rms").stub), "--format", "html")
    page = Page(out)
    assert (page.one("title").text, err) == ("rms: 0 of 8 points", "")


def test_a_failed_courtesy_is_no_failure() -> None:
    said = render_html([ASKED]).partition("<body")[2].partition("<script")[0]
    assert "not required to pass: Other ranks are ValueErrors." in said and "✗" not in said


# What is shown

THREE = (samples.VARIANCE, samples.MISSING, samples.VARIANCE)
MANY = samples.report(*(samples.failed(f"test_{number}[{case}]", claim=f"Claim {number}.", differences=THREE)
                        for number in range(5) for case in "ab"))  # fmt: skip


def shown_of(section: Section) -> list[list[tuple[int, int]]]:
    """Return for each case of each claim the numbers of shown differences and of pictures."""
    return [
        [(len(case.differences), sum(picture is not None for _difference, picture in case.differences)) for case in claim.cases]
        for claim in section.claims
    ]


@pytest.mark.parametrize(
    ("detail", "expected"),
    [
        (Detail(claims=5, cases=1, differences=3, maps=2), [[(3, 1)], [(3, 1)], [(3, 0)], [(3, 0)], [(3, 0)]]),
        (Detail(claims=2, cases=2, differences=2, maps=1), [[(2, 1), (2, 0)], [(2, 0), (2, 0)], [], [], []]),
        (Detail(claims=1, cases=1, differences=1), [[(1, 0)], [], [], [], []]),
    ],
)
def test_the_detail_limits_the_shown_parts(detail: Detail, expected: list[list[tuple[int, int]]]) -> None:
    assert shown_of(section(MANY, "r1", detail)) == expected


def test_claims_without_details_are_counted() -> None:
    assert [section(MANY, "r1", Detail(claims=shown, cases=1, differences=1)).untold for shown in (0, 2, 5)] == [5, 3, 0]
    assert section(reveal(MANY, "claims"), "r1", Detail(claims=0, cases=1, differences=1)).untold == 0


def test_surplus_cases_are_named_with_the_last() -> None:
    assert [case.name for case in section(MANY, "r1", FULL).claims[0].cases] == ["test_0[a] · also [b]"]


def test_passing_claims_do_not_count_towards_the_limit() -> None:
    mixed = replace(MANY, checks=(samples.check("test_first", claim="It holds."), *MANY.checks))
    assert shown_of(section(mixed, "r1", Detail(claims=1, cases=1, differences=1, maps=1)))[:3] == [[], [(1, 1)], []]


def test_passing_claims_are_counted_and_skip_reasons_unique() -> None:
    skipped = [samples.check(f"test_{number}", claim=f"{number}", outcome=Outcome.SKIPPED, message=why) for number, why in enumerate("aab")]
    found = section(samples.report(samples.check("test_holds", claim="It holds."), *skipped), "r1", FULL)
    assert (found.holding, found.why_skipped) == (1, ["a", "b"])


def test_the_name_is_a_diagnosis_or_broken_rules() -> None:
    assert (
        named(replace(samples.FAILED, diagnoses=(samples.BIASED, samples.BIASED), findings=(samples.BANNED,))) == "biased-running-variance"
    )
    assert named(replace(samples.FAILED, diagnoses=(), findings=(samples.BANNED, samples.BANNED))) == "banned"
    assert named(samples.PASSED) == ""
    assert named(replace(samples.FAILED, diagnoses=(replace(samples.BIASED, mistakes=("a", "b", "c", "d")),))) == "a + b + 2 more"


# The learner's code


def test_surplus_lines_of_code_are_counted() -> None:
    found = section(replace(samples.PASSED, source="a\nb\nc\n\n"), "r1", replace(FULL, lines=2))
    assert ([text for text, _remarks in found.lines], found.left_out) == (["a", "b"], 1)


def test_an_endless_line_is_cut() -> None:
    [(text, _remarks)] = section(replace(samples.PASSED, source="x" * 10_000), "r1", FULL).lines
    assert text == "x" * CHARACTERS + " …"


def test_a_line_has_all_its_remarks() -> None:
    raised = Raised("ValueError: no", line=2, column=0, width=3, text="two")
    checks = samples.failed(claim="One.", lines=(1,), raised=replace(raised, line=1)), samples.failed("test_b", claim="Two.", raised=raised)
    diagnosis = replace(samples.BIASED, spots=(replace(samples.SPOT, line=1), replace(samples.SPOT, line=1)))
    code = samples.report(*checks, source="one\ntwo\nthree", findings=(replace(samples.BANNED, line=2),), diagnoses=(diagnosis,))
    assert [remarks for _text, remarks in section(code, "r1", FULL).lines] == [
        ["biased-running-variance: pass correction=1", "raised an exception: One."],
        ["banned: F.batch_norm is banned: write it by hand", "raised an exception: Two."],
        [],
    ]


def test_a_place_without_a_column_begins_with_its_line() -> None:
    assert raised_at(Raised("ValueError: no", line=2, text="two")) == Spot("", line=2, column=1, width=0, text="two")
