"""Reports as a page: its markup as data, then the page in a browser."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from enum import StrEnum
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from html_page import Node, Page, difference
from jinja2 import UndefinedError
from markupsafe import escape

from normgrade.course.course import Course
from normgrade.grade import Submission, grade
from normgrade.language import speak
from normgrade.language.places import Place
from normgrade.language.visible import printable
from normgrade.report.render import render
from normgrade.report.render.detail import FULL
from normgrade.report.render.html import FOLDER, LAYOUT, SCRIPT, STYLE, environment
from normgrade.report.report import Check, Diagnosis, Finding, Kind, Outcome, Raised, Report, Rule, Spot, ValueDifference
from normgrade.report.reveal import reveal

ELEMENTS = """a aside body circle code dd details div dl dt figcaption figure footer g h1 h2 h3 h4 head html li main mark meta ol
    output p pre rect script section small span strong style summary svg table tbody td text th thead title tr ul""".split()


def page_of(*reports: Report) -> Page:
    return Page(render(reports, "html"))


# Reports

SOURCE = "\n\nimport torch\n\n\ndef rms(x):\n\treturn torch.nn.functional.rms_norm(x, x.shape)\n"
MAPPED = difference([[0.96, 1.5, 1.0677], [1.0, 2.0, 3.0]], [[0.9, 1.5, 1.001], [1.0, 2.0, 3.0001]], 1.3e-06, "step 1 · result")
MISSING = ValueDifference(
    place=Place("weight.grad", step=2), dtype="float32", shape=(3,), expected="a float32 tensor of shape (3,)", actual="nothing"
)
BANNED = Finding(7, 9, Rule.BANNED, "`rms_norm` is banned: write it by hand\n    return rms_norm(x)\n           ^^^^^^^^^^^")
MISTAKE = Diagnosis(("no-eps",), "There is no `eps`.\nAdd it.", ("test_rows[a]", "test_rows[b]"))


def check(name: str, outcome: Outcome = Outcome.PASSED, **rest: Any) -> Check:
    return Check(**{"name": name, "claim": "Rows are divided.", "kind": Kind.FORMULA, "outcome": outcome, "points": 2, **rest})


def report(*checks: Check, outcome: Outcome = Outcome.FAILED, **rest: Any) -> Report:
    given = {"exercise": "rms", "submission": "rms.py", "sandbox": "linux", "seed": 0, "duration_s": 0.1, "source": SOURCE}
    return Report(**{**given, "possible": sum(each.points for each in checks), "outcome": outcome, "checks": checks, **rest})


FAILED = report(
    check("test_rows[a]", Outcome.FAILED, differences=(MAPPED, MISSING), hint="Which `eps`?", stdout="printed 0.9\n", lines=(7,)),
    check("test_rows[b]", Outcome.FAILED, message="It raised a ValueError in line 7.", lines=(7,)),
    check("test_rows[c]"),
    check("test_once", Outcome.SKIPPED, kind=Kind.EDGE, claim="One value is refused.", message="it needs what is broken"),
    check("test_twice", Outcome.ERROR, kind=Kind.EDGE, claim="Two values are taken.", message="the suite is broken: KeyError: 'x'"),
    findings=(BANNED,),
    diagnoses=(MISTAKE, MISTAKE),
)
PASSED = report(check("test_rows"), outcome=Outcome.PASSED, exercise="centring", submission="centring.py")
NOT_STARTED = report(outcome=Outcome.NOT_STARTED, exercise="norm", submission="norm.py", possible=20)
UNREADABLE = report(findings=(Finding(3, 4, Rule.FILE, "rms.py is not UTF-8"),), source="", possible=8)
OPEN = replace(PASSED, sandbox="process", lost=("files: all of them",))
HOSTILE = (
    "<script>document.title='pwned'</script></style></title></code></pre></svg>\"><img src=x onerror=alert(1)>' onload=alert(1) "
    "<!-- ]]> &lt;b&amp; javascript:alert(1) \x1b]0;t\x07\x00\x08\x9b\u202e\ud800\udfff\ufffe\x7f"
)


def filled(say: Callable[[str], str], **rest: Any) -> Report:
    """A report of which every text is what `say` makes of the name of its field."""
    described = replace(
        MISSING, place=Place(say("place")), called=say("called"), dtype=say("dtype"), expected=say("expected"), actual=say("actual")
    )
    numbers = replace(MAPPED, place=Place(say("map")), called=say("called"), dtype=say("dtype"), looks_like=say("looks_like"))
    raised = Raised(say("said"), 1, 1, 2, say("raising line"), say("function"), say("advice"))
    texts = {name: say(name) for name in ("name", "claim", "message", "hint", "stdout", "call")}
    spot = Spot(say("mistake"), 1, 1, 2, say("code"), say("remedy"))
    made = report(
        check(outcome=Outcome.FAILED, differences=(numbers, described), lines=(1,), raised=raised, **texts),
        check(outcome=Outcome.ERROR, raised=raised, **{**texts, "claim": say("second claim")}),
        check(outcome=Outcome.SKIPPED, raised=raised, **{**texts, "claim": say("third claim"), "message": say("skipped")}),
        exercise=say("exercise"),
        submission=say("submission"),
        sandbox=say("sandbox"),
        findings=(Finding(1, 1, Rule.BANNED, say("finding")),),
        diagnoses=(Diagnosis((say("mistake"), say("mistake")), say("says"), (say("name"), say("shown by")), (spot,)),),
        lost=(say("lost"),),
        source=say("source"),
        digest=say("digest"),
        course=say("course"),
        limits=(say("limit"),),
    )
    return replace(made, **rest)


HOSTILES = tuple(
    replace(filled(lambda name: HOSTILE), **rest)
    for rest in ({}, {"diagnoses": ()}, {"sandbox": "process"}, {"outcome": Outcome.NOT_STARTED}, {"outcome": Outcome.ERROR})
)
KINDS: dict[str, tuple[Report, ...]] = {
    "none": (),
    "failed": (FAILED,),
    "passed": (PASSED,),
    "not started": (NOT_STARTED,),
    "unreadable": (UNREADABLE,),
    "claims": (reveal(FAILED, "claims"),),
    "score": (reveal(FAILED, "score"),),
    "several": (FAILED, PASSED, NOT_STARTED, UNREADABLE, OPEN, FAILED),
    "hostile": HOSTILES,
}
every_kind = pytest.mark.parametrize("reports", KINDS.values(), ids=KINDS)


def texts_in(value: object) -> Iterator[str]:
    """Every text anywhere in a report."""
    if isinstance(value, str) and not isinstance(value, StrEnum):
        yield value
    elif isinstance(value, tuple):
        for each in value:
            yield from texts_in(each)
    elif is_dataclass(value):
        for each in fields(value):
            yield from texts_in(getattr(value, each.name))


def outline(page: Page) -> list[tuple[str, list[str]]]:
    """Elements and the names of their attributes, without any text."""
    return [(node.name, list(node.attributes)) for node in page.nodes]


# What a learner wrote stays text


def test_every_text_of_the_hostile_report_is_hostile() -> None:
    assert set(texts_in(HOSTILES[0])) == {HOSTILE}


def test_hostile_texts_make_the_same_elements_as_harmless_ones() -> None:
    for rest in ({}, {"diagnoses": ()}, {"outcome": Outcome.NOT_STARTED}):
        harmless = filled(lambda name: "harmless", **rest)
        assert outline(page_of(filled(lambda name: HOSTILE, **rest))) == outline(page_of(harmless))


def test_each_text_of_a_report_is_shown_as_it_is() -> None:
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
    }  # a place is shown as it is called
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
def test_the_policy_allows_the_pages_own_script_and_style_alone(reports: tuple[Report, ...]) -> None:
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
    assert [node.name for node in before] == ["html", "head", "meta", "meta"]  # a policy binds only what comes after it


def sha256(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def test_a_page_holds_no_character_that_steers_or_cannot_be_written() -> None:
    text = render(HOSTILES, "html")
    assert text.encode("utf-8").decode("utf-8") == text
    assert [sign for sign in text if sign != "\n" and printable(sign) != sign] == []


def test_nothing_in_the_style_or_the_script_leads_elsewhere() -> None:
    assert not re.search(r"url\(|@import|@font-face|https?:", STYLE)
    assert not re.search(r"fetch|XMLHttp|import\b|https?:|innerHTML|eval", SCRIPT)


# The templates

TEMPLATES = sorted(FOLDER.glob("*.jinja"))


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_a_template_switches_no_protection_off(path: Path) -> None:
    """Text is escaped, and freed of what steers, wherever a template writes it; the style and the script alone are markup of ours."""
    source = path.read_text(encoding="utf-8")
    assert not re.search(r"safe|autoescape|\braw\b|Markup", source)
    assert all(re.search(r"<(script|style)>$", before) for before in re.split(r"\{\{ (?:script|style) \}\}", source)[:-1])


def test_every_text_that_a_template_writes_is_escaped_and_printable() -> None:
    escaped = "&lt;a&gt;&#34;&#39;"
    parsed = environment().from_string('{{ text }}|{% set x = text %}<p title="{{ x }}">{{ [text][0] }}</p>')
    assert parsed.render(text="<a\x1b[31m\u202e>\"'") == f'{escaped}|<p title="{escaped}">{escaped}</p>'


def test_a_name_that_a_template_does_not_know_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        environment().from_string("{{ nobody }}").render()


def test_line_ends_between_tags_are_layout_and_spaces_on_a_line_are_text() -> None:
    assert LAYOUT.sub("", "<p>\n  <b>{{ a }}</b> {{ b }}\n  {{ c }}\n</p>\n") == "<p><b>{{ a }}</b> {{ b }}{{ c }}</p>\n"


# The markup


@every_kind
def test_ids_are_unique_and_links_and_labels_lead_to_one(reports: tuple[Report, ...]) -> None:
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
    """The name that a screen reader tells."""
    key = node.attributes.get("aria-labelledby")
    return page.called(key).text if key else node.attributes.get("aria-label", "")


@every_kind
def test_everything_that_needs_a_name_has_one(reports: tuple[Report, ...]) -> None:
    page = page_of(*reports)
    for node in page.nodes:
        label = name_of(page, node)
        if node.name in ("section", "article") or node.attributes.get("role") in ("region", "group"):
            assert label.strip(), node
        if node.name == "svg":
            assert label or node.attributes.get("aria-hidden") == "true", node
        if node.attributes.get("role") == "img":
            [title] = [each for each in page.every("title") if each.within[-1] is node]
            assert title.text, node
        if node.name in ("th", "summary", "a", "title"):
            assert node.text.strip(), node


def test_no_two_landmarks_have_the_same_name() -> None:
    again = check("test_again", Outcome.FAILED, claim="Once more.", differences=(MAPPED,))
    page = page_of(replace(FAILED, checks=(*FAILED.checks, again)), PASSED)
    names = [name_of(page, node) for node in page.nodes if node.name == "section" or node.attributes.get("role") == "region"]
    assert names == ["rms rms.py", "centring centring.py"]


@every_kind
def test_every_column_has_a_head(reports: tuple[Report, ...]) -> None:
    page = page_of(*reports)
    assert all(node.attributes["scope"] == "col" for node in page.every("th"))
    for table in page.every("table"):
        cells = Counter(node.within[-1] for node in page.every("th", "td") if table in node.within)
        assert len(set(cells.values())) == 1
        assert any(table in node.within for node in page.every("th"))


@every_kind
def test_whatever_scrolls_is_reached_by_the_keyboard(reports: tuple[Report, ...]) -> None:
    page = page_of(*reports)
    for node in page.every(of="scroll"):
        inside = [each for each in page.nodes if node in each.within]
        assert "0" in [each.attributes.get("tabindex") for each in (node, *inside)]


def test_a_page_says_which_language_it_speaks() -> None:
    assert page_of(PASSED).one("html").attributes["lang"] == "en"
    speak("zh")
    assert page_of(PASSED).one("html").attributes["lang"] == "zh-Hans"


# What a page tells


def test_no_report_at_all_is_said() -> None:
    page = page_of()
    assert page.one("title").text == page.one("h1").text == "0 reports"
    assert page.one("p").text == "Nothing was graded: normgrade list shows the exercises."
    assert page.every("table") == []


def test_one_report_has_its_score_for_a_title_and_no_table_of_reports() -> None:
    page = page_of(PASSED)
    assert page.one("title").text == page.one("h1").text == "centring: 2 of 2 points"
    assert page.one("h2").text == "centring centring.py"
    assert page.every("table") == []


def test_several_reports_begin_with_a_table_that_leads_to_each() -> None:
    page = page_of(FAILED, PASSED, NOT_STARTED)
    assert page.every("title")[0].text == page.one("h1").text == "3 reports"
    rows = [node.text for node in page.every("tr") if page.every("table")[0] in node.within][1:]
    assert rows == ["rms rms.py✗ failed2/10no-eps", "centring centring.py✓ passed2/2", "norm norm.py– not started0/20"]
    assert [page.called(link.attributes["href"][1:]).name for link in page.links()[:3]] == ["details"] * 3


def test_an_untouched_stub_is_told_where_to_begin() -> None:
    page = page_of(NOT_STARTED)
    assert page.one("p").text == "norm is not started: normgrade show norm shows the task, and norm.py is where your code goes."
    assert page.every("table", "ol") == []


def folds(page: Page, inside: Node) -> list[tuple[str, bool]]:
    """What stands on the folds inside an element, and whether each is open."""
    return [(node.text, "open" in node.within[-1].attributes) for node in page.every("summary") if inside in node.within]


def test_of_several_reports_each_is_folded_and_a_single_one_is_open() -> None:
    assert ["open" in node.attributes for node in page_of(FAILED, PASSED).every("details", of="report")] == [False, False]
    page = page_of(FAILED)
    assert folds(page, page.one("section")) == [
        ("rms rms.py", True),
        ("All claims  (0 of 3 hold)", False),
        ("✗ failedRows are divided. (1 of 3 hold)formula 2/6", False),
        ("! errorTwo values are taken.edge 0/2", False),
        ("Your code", False),
        ("How it was graded", False),
    ]


def test_the_strip_groups_the_claims_by_kind_and_leads_to_each() -> None:
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


def test_why_claims_were_skipped_is_told_once() -> None:
    again = replace(FAILED.checks[3], name="test_three", claim="Three values are refused.")
    text = page_of(replace(FAILED, checks=(*FAILED.checks, again))).one(of="claims").text
    assert text.count("– skipped: it needs what is broken") == text.count("it needs what is broken") == 1


def test_both_sides_stand_next_to_each_other_and_the_worst_is_marked() -> None:
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
    """The paragraphs, headings and lines of code inside an element."""
    return [node.text for node in page.every("h3", "h4", "p", "li", "pre") if inside in node.within]


def test_a_diagnosis_names_the_mistake_how_much_it_explains_and_what_else_might_be_it() -> None:
    page = page_of(FAILED)
    assert told(page, page.one("aside")) == ["no-eps explains the failing claim", "There is no eps.", "Add it.", "or no-eps"]


def test_of_several_mistakes_each_stands_over_its_own_line() -> None:
    spot = Spot("no-eps", 3, 1, 6, "import torch", "add eps")
    two = Diagnosis(("one-pass", "no-eps"), "1. One.\n2. No.", ("test_rows[a]",), (spot,), texts=("Two passes.", "There is none."))
    page = page_of(replace(FAILED, diagnoses=(two,)))
    assert told(page, page.one("aside"))[:5] == [
        "2 mistakes explains 0 of 1 failing claims",
        "1. one-pass",
        "Two passes.",
        "2. no-eps",
        "There is none.",
    ]
    assert told(page, page.one("aside"))[5].startswith("3 │ import torch\n  │ ^^^^^^ add eps")


def test_a_crash_is_told_with_its_line_its_call_and_advice() -> None:
    raised = Raised("ValueError: not enough values to unpack", 7, 2, 6, SOURCE.splitlines()[6], "forward", "Use the last dimensions.")
    crashed = check("test_rows", Outcome.FAILED, message="ValueError", lines=(7,), raised=raised, call="RMS(3), input (4, 3)")
    page = page_of(report(crashed, limits=("It works for 4 dimensions.",)))
    assert told(page, page.one("aside")) == [
        "ValueError: not enough values to unpack",
        "7 │ return torch.nn.functional.rms_norm(x, x.shape)\n  │ ^^^^^^",
        "Use the last dimensions.",
        "Raised by: RMS(3), input (4, 3)",
        "It works for 4 dimensions.",
    ]
    assert page.every(of="example") == []


def test_one_example_tells_what_came_and_what_was_expected() -> None:
    page = page_of(report(replace(FAILED.checks[0], call="RMS(3), input (2, 3)")))
    assert told(page, page.one(of="example")) == [
        "✗ Rows are divided.",
        "RMS(3), input (2, 3): step 1 · result[0, 2] is 1.001, expected 1.0677 ± 1.3e-06; 1 of 6 numbers differs",
        "Hint: Which eps?",
    ]


def test_the_next_step_is_told_last() -> None:
    assert page_of(FAILED).one(of="next").text == "Next: normgrade explain no-eps --exercise rms"
    broken = report(check("test_rows", Outcome.ERROR), outcome=Outcome.ERROR)
    assert page_of(broken).one(of="next").text.startswith("Show this report to whoever keeps the course")
    assert page_of(PASSED).every(of="next") == []


@pytest.mark.parametrize(("many", "told"), [(5, []), (6, ["and 1 more finding"]), (40, ["and 35 more findings"])])
def test_of_many_findings_the_first_five_are_told(many: int, told: list[str]) -> None:
    page = page_of(report(findings=(BANNED,) * many))
    items = [node.text for node in page.every("li") if page.one(of="findings") in node.within]
    assert items[5:] == told


def test_a_hint_is_given_only_where_no_diagnosis_knows_better() -> None:
    assert "Which eps?" not in page_of(FAILED).one("body").text
    assert "Hint: Which eps?" in page_of(replace(FAILED, diagnoses=())).one("body").text


def test_where_no_numbers_face_each_other_there_is_no_map() -> None:
    page = page_of(report(check("test_rows", Outcome.FAILED, differences=(MISSING,))))
    assert page.every("figure") == [] and page.one("dl").text == "expecteda float32 tensor of shape (3,)gotnothing"


def test_beyond_three_places_only_their_number_is_told() -> None:
    page = page_of(report(check("test_rows", Outcome.FAILED, differences=(MAPPED,) * 15)))
    assert len(page.every(of="difference")) == 3 and "and 12 more places" in [node.text for node in page.every("p")]


def test_the_first_case_of_the_first_claims_has_a_picture() -> None:
    failing = [check(f"test_{number}[{case}]", Outcome.FAILED, differences=(MAPPED, MAPPED)) for number in range(9) for case in "ab"]
    page = page_of(report(*failing))
    pictured = [next(each.attributes["id"] for each in node.within[::-1] if "id" in each.attributes) for node in page.every("figure")]
    assert pictured == ["r1-c1", "r1-c2", "r1-c3"] and len(page.every(of="difference")) == 18


def test_what_the_weakest_walls_left_open_is_told_at_the_end() -> None:
    assert "files: all of them" in page_of(PASSED, OPEN).one("footer").text
    assert page_of(replace(OPEN, sandbox="linux")).every("footer") == []


@pytest.mark.parametrize("level", ["claims", "score"])
def test_what_a_course_keeps_to_itself_is_not_in_the_page(level: Any) -> None:
    page = page_of(reveal(replace(FAILED, findings=()), level))
    assert page.every("figure", "dl", "mark", "pre") == [] and page.every(of="sides") == []
    shown = page.one("body").text.replace(SCRIPT, "")
    assert not re.search(r"[0-9]\.[0-9]|e-0|float32|printed|KeyError|raised|Which", shown)
    assert ("Rows are divided." in shown, "no-eps" in shown) == (level == "claims",) * 2


def test_of_many_reports_less_is_shown_and_what_shows_the_rest_is_told() -> None:
    many = report(*(check(f"test_{number}", Outcome.FAILED, claim=f"{number}", differences=(MAPPED,) * 3) for number in range(9)))
    page = page_of(many, PASSED)
    assert (len(page.every(of="difference")), len(page.every("figure"))) == (8, 1)
    assert "5 more claims fail: normgrade check -v rms shows their numbers." in [node.text for node in page.every("p")]


# The learner's code


def lines_of(page: Page) -> list[str]:
    return [node.text for node in page.every("li") if any("code" in each.classes for each in node.within)]


def test_the_code_is_there_line_by_line_from_the_first() -> None:
    page = page_of(replace(FAILED, findings=(), checks=()))
    assert lines_of(page) == ["", "", "import torch", "", "", "def rms(x):", "    return torch.nn.functional.rms_norm(x, x.shape)"]


def test_lines_are_counted_as_python_does() -> None:
    assert lines_of(page_of(replace(PASSED, source="a\r\nb\rc\fd\x0be\u2028f\n\n\n"))) == ["a", "b", "cdef"]


def test_a_line_is_marked_with_what_was_found_and_what_it_raised() -> None:
    page = page_of(FAILED)
    assert page.one("mark").text.strip() == "return torch.nn.functional.rms_norm(x, x.shape)"
    remarks = [node.text for node in page.every("small") if page.called("r1-l7") in node.within]
    assert remarks == ["◀ banned: `rms_norm` is banned: write it by hand", "◀ raised here: Rows are divided."]


def test_the_place_of_a_mistake_is_shown_linked_and_marked_with_its_remedy() -> None:
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
def test_a_line_that_is_not_shown_is_named_without_a_link(source: str) -> None:
    page = page_of(report(check("test_rows", Outcome.FAILED, message="m", lines=(9,)), findings=(BANNED,), source=source))
    assert {link.attributes["href"] for link in page.links()} == {"#r1-c1"}
    assert [node.text for node in page.every("span") if node.text.startswith("line")] == ["line 7", "line 9"]


def test_of_an_endless_file_the_beginning_is_shown_and_the_rest_counted() -> None:
    page = page_of(replace(PASSED, source="x = 1\n" * (FULL.lines + 5)))
    assert len(lines_of(page)) == FULL.lines
    assert [node.text for node in page.every("p") if "more" in node.text] == ["… and 5 more lines"]


def test_the_command_line_writes_the_page(run: Callable[..., tuple[int, str, str]], tiny: Course) -> None:
    _code, out, err = run("check", str(tiny.exercise("rms").stub), "--format", "html")
    page = Page(out)
    assert (page.one("title").text, err) == ("rms: 0 of 8 points", "")


# In a browser

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
QUIET = (
    "headless=new no-sandbox disable-gpu no-first-run disable-background-networking disable-component-update disable-sync disable-quic "
    "hide-scrollbars force-device-scale-factor=1"
).split()
UNFOLD = "for (const each of document.querySelectorAll('details')) each.open = true;"
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


class Browser:
    """A browser without a window, and what tests ask of it."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def show(self, page: Path, width: int = 1400, scheme: str = "light", media: str = "screen", scripts: bool = True) -> None:
        """Open a file as a device of this width and this taste would show it."""
        self.ask("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        self.ask("Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.driver.get("about:blank")  # else an address with the same file and another # would only scroll
        self.driver.get_log("browser"), self.driver.get_log("performance")
        self.driver.get(page.as_uri())

    def ask(self, command: str, **parameters: Any) -> Any:
        return self.driver.execute_cdp_cmd(command, parameters)

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def press(self, *keys: str, held: str = "") -> None:
        from selenium.webdriver import ActionChains

        actions = ActionChains(self.driver, duration=0)
        (actions.key_down(held).send_keys(*keys).key_up(held) if held else actions.send_keys(*keys)).perform()

    def move_to(self, selector: str) -> Any:
        from selenium.webdriver import ActionChains

        [element] = self.driver.find_elements("css selector", selector)
        ActionChains(self.driver, duration=0).move_to_element(element).perform()
        return element

    def messages(self, until: str = "") -> list[str]:
        """What the console says; a word that is waited for comes last."""
        said: list[str] = []
        deadline = time.monotonic() + 10
        while True:
            said += [entry["message"] for entry in self.driver.get_log("browser")]
            if any(until in message for message in said) or not until or time.monotonic() > deadline:
                return said

    def requests(self) -> list[str]:
        """The addresses that were asked for since the page was opened."""
        events = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        return [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Chromium, once for all tests."""
    chromium = next(filter(None, map(shutil.which, BROWSERS)), None)
    chromedriver = shutil.which("chromedriver")
    if chromium is None or chromedriver is None:
        pytest.skip("chromium or chromedriver is not on PATH: the page is not tried in a browser")
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed: the page is not tried in a browser")
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for argument in (*QUIET, f"user-data-dir={tmp_path_factory.mktemp('browser')}"):
        options.add_argument(f"--{argument}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(chromedriver))
    try:
        yield Browser(driver)
    finally:
        driver.quit()


@pytest.fixture(scope="module")
def graded(tiny: Course, expectations: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page on a wrong submission that means harm."""
    folder = tmp_path_factory.mktemp("graded")
    exercise = tiny.exercise("centring")
    (folder / exercise.file_name).write_text(SUBMISSION, encoding="utf-8")
    reports = grade([Submission(exercise, folder / exercise.file_name, PWNED)])
    return written(folder, *reports)


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with every kind of report, every level of every map, and words that do not fit."""
    random = np.random.default_rng(0)
    big = 10.0 ** random.uniform(-2, 7, (8, 16))
    big[0, 0], endless = math.nan, "endless" * 40
    mapped = replace(difference(np.zeros((8, 16)), big, 1.0), looks_like="every value × 2")
    long = filled(lambda name: endless)
    fits = check("test_big", Outcome.FAILED, claim="It is big.", differences=(mapped, replace(MISSING, actual=endless)))
    return written(tmp_path_factory.mktemp("everything"), *KINDS["several"], *HOSTILES, long, report(fits))


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with two maps, of a matrix and of a vector."""
    vector = difference(np.zeros(40), np.arange(40.0))
    checks = (check(f"test_{number}", Outcome.FAILED, differences=(each,)) for number, each in enumerate((MAPPED, vector)))
    return written(tmp_path_factory.mktemp("small"), report(*checks))


@pytest.fixture(scope="module")
def pointed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with a long line of code in a finding, in a crash and in a diagnosis."""
    line = f"    return {'inputs + ' * 5}wrong({'weight + ' * 5}bias)"
    finding = Finding(1, 50, Rule.BANNED, f"`wrong` is banned\n{line}\n{' ' * line.index('wrong')}^^^^^")
    spot = Spot("no-eps", 1, line.index("wrong") + 1, 5, line, "add eps")
    raised = Raised("ValueError: wrong", 1, line.index("wrong") + 1, 5, line)
    checks = (check("test_a", Outcome.FAILED, differences=(MAPPED,)), check("test_b", Outcome.FAILED, claim="Two.", raised=raised))
    diagnosis = Diagnosis(("no-eps",), "There is no `eps`.", ("test_a",), (spot,))
    return written(tmp_path_factory.mktemp("pointed"), report(*checks, findings=(finding,), diagnoses=(diagnosis,), source=line))


@pytest.fixture(scope="module")
def worst(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page on a report of which forty claims fail in three cases each, every one with many numbers, a message and printed lines."""
    numbers = np.random.default_rng(0).normal(size=(4, 2, 8, 32))
    differences = (replace(difference(numbers, numbers * 2, 1e-6), looks_like="every value × 2"),) * 20
    claim = "Every position is normalised over its own last dimension, then scaled and shifted element by element, number {}."
    kinds = [kind for kind in Kind if kind is not Kind.PROOF]
    checks = [
        check(
            f"test_{number}[{case}]",
            Outcome.FAILED,
            kind=kinds[number % len(kinds)],
            claim=claim.format(number),
            differences=differences,
            message="step 1: something was wrong here\n" * 5,
            stdout="a line was printed here\n" * 1000,
            call="LayerNorm(7), input (4, 7)",
            lines=(number + 1,),
        )
        for number in range(40)
        for case in "abc"
    ]
    says = "The variance is divided by n − 1, which is what var and std do unless told otherwise. Divide by n: pass correction=0."
    spots = tuple(Spot(f"mistake-{number}", 3, 1, 6, "import torch", "pass correction=0") for number in range(5) for _twice in "ab")
    names = tuple(f"mistake-{number}" for number in range(5))
    diagnosis = Diagnosis(names, says * 5, tuple(each.name for each in checks[:20]), spots, texts=(says,) * 5)
    bad = report(
        *checks, diagnoses=(diagnosis, diagnosis), findings=(BANNED,) * 9, source=SOURCE * 20, limits=("It works for 4 dimensions.",)
    )
    return written(tmp_path_factory.mktemp("worst"), bad)


def written(folder: Path, *reports: Report) -> Path:
    path = folder / "report.html"
    path.write_text(render(reports, "html"), encoding="utf-8")
    return path


def test_a_page_loads_nothing_and_runs_nothing_of_the_learners(browser: Browser, graded: Path) -> None:
    assert graded.read_text(encoding="utf-8").count(str(escape(PWNED))) > 5
    browser.show(graded)
    browser.run(UNFOLD)
    assert browser.driver.title == "centring: 2 of 10 points"
    assert browser.requests() == [graded.as_uri()]
    names = browser.run("return [...new Set([...document.querySelectorAll('*')].map((each) => each.localName))]")
    assert set(names) <= set(ELEMENTS)
    assert browser.run("return document.scripts.length") == 1
    assert browser.messages() == []


def test_in_a_real_report_the_line_that_raised_is_marked_and_linked(graded: Path) -> None:
    page = Page(graded.read_text(encoding="utf-8"))
    assert page.one("mark").text == "            raise TypeError(SHOWN)"
    [key] = {link.attributes["href"][1:] for link in page.links() if link.text.startswith("line")}
    assert page.one("mark") in [node for node in page.every("mark") if page.called(key) in node.within]


def test_the_browser_would_tell_if_a_page_loaded_or_ran_something(browser: Browser, graded: Path, tmp_path: Path) -> None:
    forgetful, page = graded.read_text(encoding="utf-8").replace("</main>", f"{PWNED}</main>"), tmp_path / "report.html"
    page.write_text(forgetful, encoding="utf-8")
    browser.show(page)
    said = "\n".join(browser.messages(until="inline event handler"))
    assert "Loading the image" in said and "inline script" in said and "inline event handler" in said
    assert browser.driver.title == "centring: 2 of 10 points"  # the policy alone would do
    page.write_text(forgetful.replace("Content-Security-Policy", "nothing"), encoding="utf-8")
    browser.show(page)
    assert (browser.driver.title, len(browser.requests())) == ("pwned", 2)


@pytest.mark.parametrize("which", ["graded", "everything"])
def test_all_that_was_written_can_be_read(which: str, browser: Browser, request: pytest.FixtureRequest) -> None:
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
def test_a_caret_stands_below_what_it_points_at_however_narrow_the_screen(width: int, browser: Browser, pointed: Path) -> None:
    browser.show(pointed, width=width)
    off = browser.run(CARETS)
    assert len(off) == 3 and max(off) < 0.5
    scrolls = browser.run("return [...document.querySelectorAll('pre')].map((pre) => pre.scrollWidth > pre.clientWidth)")
    assert scrolls == [width == 320] * 3


SCREEN = 900  # pixels


@pytest.mark.parametrize("width", [800, 1400])
def test_of_forty_claims_that_fail_three_screens_are_shown_and_all_of_it_is_a_small_file(width: int, browser: Browser, worst: Path) -> None:
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
def test_every_text_stands_out_from_what_is_behind_it(scheme: str, media: str, browser: Browser, everything: Path) -> None:
    browser.show(everything, scheme=scheme, media=media)
    browser.run(UNFOLD)
    found = browser.run(CONTRASTS)
    assert {"text.", "td.outcome failed", "td.outcome passed", "td.outcome error", "mark.", "span.what", "p.likeness", "th."} <= {
        name for _contrast, name, _text in found
    }
    assert [each for each in found if each[0] < 4.5] == []


@pytest.mark.parametrize(("scheme", "media", "dark"), [("light", "screen", False), ("dark", "screen", True), ("dark", "print", False)])
def test_a_page_is_dark_where_that_is_wanted_but_not_on_paper(
    scheme: str, media: str, dark: bool, browser: Browser, everything: Path
) -> None:
    browser.show(everything, scheme=scheme, media=media)
    for element in ("document.documentElement", "document.querySelector('main')"):
        assert (lightness(browser.run(f"return getComputedStyle({element}).backgroundColor")) < 50) == dark, element


@pytest.mark.parametrize(("scheme", "media"), [("light", "screen"), ("dark", "screen"), ("dark", "print")])
def test_the_levels_of_a_map_go_in_one_direction_from_light_to_dark_or_back(
    scheme: str, media: str, browser: Browser, everything: Path
) -> None:
    browser.show(everything, scheme=scheme, media=media)
    fills = browser.run(
        "return [...Array(8).keys()].map((level) => getComputedStyle(document.querySelector(`.legend .level-${level}`)).fill)"
    )
    steps = [after - before for before, after in pairwise(map(lightness, fills))]
    assert all(step <= -6 for step in steps) or all(step >= 6 for step in steps), steps


def lightness(colour: str) -> float:
    """CIE L*, from 0 to 100; what is transparent lets the white canvas through."""
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
    """Everything that Tab reaches, one after the other."""
    found: list[list[Any]] = []
    while len(found) < 60:
        browser.press(TAB)
        if (focused := browser.run(FOCUSED)) is None:
            break
        found.append(focused)
    return found


TAB, SHIFT, LEFT, UP, RIGHT, DOWN = "\ue004", "\ue008", "\ue012", "\ue013", "\ue014", "\ue015"  # as WebDriver names keys


def readouts(browser: Browser) -> list[str]:
    found: list[str] = browser.run("return [...document.querySelectorAll('.readout')].map((each) => each.textContent)")
    return found


def test_tab_reaches_folds_links_tables_code_and_of_each_map_the_worst_cell(browser: Browser, small: Path) -> None:
    browser.show(small)
    browser.run(UNFOLD)
    found = stops(browser)
    claim = ["summary", "div", "g"]
    assert [name for name, _map, _text in found] == ["summary", "a", "a", "summary", *claim, *claim, "summary", "div", "summary"]
    assert [(number, text.partition(":")[0]) for name, number, text in found if name == "g"] == [(0, "[0, 2]"), (1, "[39]")]


def test_arrows_walk_through_a_map_and_the_readout_says_where_they_are(browser: Browser, small: Path) -> None:
    browser.show(small)
    browser.run(UNFOLD)
    assert readouts(browser) == ["", ""]
    browser.press(*[TAB] * 7)
    assert readouts(browser) == ["[0, 2]: expected 1.0677, got 1.001, off by 0.067, allowed 1.3e-06 (51308 times that)", ""]
    walk = [(LEFT, "[0, 1]"), (DOWN, "[1, 1]"), (DOWN, "[1, 1]"), (LEFT, "[1, 0]"), (LEFT, "[1, 0]"), (UP, "[0, 0]"), (RIGHT, "[0, 1]")]
    for key, index in walk:
        browser.press(key)
        assert readouts(browser)[0].partition(":")[0] == browser.run(FOCUSED)[2].partition(":")[0] == index
    assert readouts(browser) == ["[0, 1]: expected 1.5, got 1.5, off by 0, allowed 1.3e-06", ""]
    assert browser.run("return getComputedStyle(document.activeElement.querySelector('rect')).stroke") != "none"


def test_arrows_stop_where_a_folded_vector_ends(browser: Browser, small: Path) -> None:
    browser.show(small)
    browser.run(UNFOLD)
    browser.move_to("svg[aria-label='errors of output'] g[tabindex='0']").click()
    for key, index in ((RIGHT, "[39]"), (DOWN, "[39]"), (UP, "[7]"), (RIGHT, "[8]"), (DOWN, "[8]")):
        browser.press(key)
        assert browser.run(FOCUSED)[2].partition(":")[0] == index


def test_tab_comes_back_to_the_cell_that_it_left(browser: Browser, small: Path) -> None:
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
    assert readouts(browser) == ["", "[39]: expected 0, got 39, off by 39, allowed 0.1 (390 times that)"]


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


def test_a_link_to_a_line_opens_the_fold_that_holds_it(browser: Browser, pointed: Path) -> None:
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


def test_without_scripts_all_of_the_text_is_there_and_unfolds(browser: Browser, graded: Path) -> None:
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
