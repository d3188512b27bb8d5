"""Tests of reports as Markdown: what they say, and that no text in them becomes structure."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import html_reports
import pytest
import sample_reports as reports
from hostile_texts import HOSTILE_TEXTS, commands_in, steering_in

from normgrade.report.render.html import Head
from normgrade.report.render.markdown import code, inert, prose, render_markdown

CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")  # a span of code, which shows everything as it is


def test_a_failed_report_tells_its_mistake_and_claims() -> None:
    failed = replace(reports.FAILED, diagnoses=(replace(reports.BIASED, spots=(reports.SPOT,)),))
    assert render_markdown([failed], Head("Anna *Li*", ("Late by `1` day.",))) == (
        "<!-- normgrade -->\n\n"
        "# Anna \\*Li\\*\n\n"
        "Late by `1` day.\n\n"
        "## ✗ batch\\_norm: 4 of 14 points, not passed\n\n"
        "**biased-running-variance**: running\\_var is updated with the biased variance. Multiply by n / (n − 1).\n\n"
        "line 19: `var = h.var(dims)`: pass correction=1\n\n"
        "step 2 · running\\_var\\[2\\] is 1.001, expected 1.0677 ± 1.3e-06; 2 of 3 numbers differ\n\n"
        "- The running statistics follow the batches, with the unbiased variance.\n"
    )


def test_a_passed_report_is_one_line() -> None:
    assert render_markdown([reports.PASSED]) == "<!-- normgrade -->\n\n## ✓ layer\\_norm: 4 of 4 points, passed\n"


def test_a_finding_has_its_line() -> None:
    report = reports.report(findings=(reports.BANNED,))
    assert "**banned**: line 12: F.batch\\_norm is banned: write it by hand\n" in render_markdown([report])


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("- a", "\\- a"),
        ("1. a", "1\\. a"),
        ("# a", "\\# a"),
        ("<b>&amp;", "&lt;b&gt;&amp;amp;"),
        ("[a](https://b.org) www.c.org @d", "\\[a\\](https\\://b.org) www\\.c.org \\@d"),
        ("a\n\n# b", "a \\# b"),
        ("a_b*c|d~e$f\\g", "a\\_b\\*c\\|d\\~e\\$f\\\\g"),
    ],
)
def test_no_text_becomes_structure(text: str, shown: str) -> None:
    assert inert(text) == shown


@pytest.mark.parametrize(("text", "shown"), [("a", "`a`"), ("a`b", "`` a`b ``"), ("``", "``` `` ```"), ("", ""), ("a\nb", "`a b`")])
def test_code_is_between_enough_backticks(text: str, shown: str) -> None:
    assert code(text) == shown


def test_backticks_in_prose_enclose_code() -> None:
    assert prose("Call `a_b` on *x*.") == "Call `a_b` on \\*x\\*."


class Tags(HTMLParser):
    """The tags that a browser would find in a text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.found.append(tag)


@pytest.mark.parametrize("text", [html_reports.HOSTILE, *HOSTILE_TEXTS])
def test_hostile_texts_stay_texts(text: str) -> None:
    made = render_markdown([html_reports.filled(lambda name: text)], Head(text, (text,)))
    assert commands_in(made) == [] and steering_in(made) == set()
    for line in made.removeprefix("<!-- normgrade -->\n").splitlines():
        outside = CODE.sub("", line)
        assert Tags(outside).found == [] and re.search(r"(?<!\\)[\[\]<>]", outside) is None
        assert re.match(r"(?:#{1,2} |- |\*\*|line |$|[^-+=#>|~\s\d])", line), line
