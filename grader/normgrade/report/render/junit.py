"""Reports as JUnit XML (xunit2), for the CI systems that read it. A report that did not pass is never all green."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from normgrade import __version__
from normgrade.language import _
from normgrade.language.visible import disarmed, printable
from normgrade.report.render.wording import (
    asked_as_well,
    claim_of,
    deaths_in_words,
    details_of,
    not_started,
    one_line,
    outcome_in_words,
    score_in_words,
    titled,
)
from normgrade.report.report import Check, Finding, Outcome, Report

INNER_DOT = "\u2024"  # looks like a dot; at a real one, Jenkins would split the name into package and class
TAGS = {Outcome.FAILED: "failure", Outcome.ERROR: "error", Outcome.SKIPPED: "skipped"}


def render_junit(reports: Sequence[Report]) -> str:
    """Return all reports as one XML document, with a test suite for each report."""
    root = Element("testsuites", name="normgrade")
    root.extend(suite_of(report) for report in reports)
    count_into(root)
    root.set("time", seconds(sum(report.duration_s for report in reports)))
    disarm(root)
    indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def disarm(root: Element) -> None:
    """Leave no command in any text or attribute, because a CI system writes them to its log."""
    for element in root.iter():
        element.text = element.text and disarmed(element.text)
        for name, value in element.items():
            element.set(name, disarmed(value))


def suite_of(report: Report) -> Element:
    """Return the test suite of a report. Its name has the submission, so a dashboard keeps the files of several people apart.

    For a file that is named after its exercise, the exercise is enough, and the history of its suite goes on.
    """
    suite = Element("testsuite", name=titled(report))
    suite.append(properties_of(report))
    suite.extend(cases_of(report))
    red = suite.findall(".//failure") or suite.findall(".//error")
    if not red and (report.outcome is not Outcome.PASSED or not report.checks):
        suite.append(case_of_score(report))
    count_into(suite)
    suite.set("skipped", str(len(suite.findall(".//skipped"))))
    suite.set("time", seconds(report.duration_s))
    return suite


def count_into(element: Element) -> None:
    """Set the numbers of test cases, failures and errors that an element holds."""
    for name, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error")):
        element.set(name, str(len(element.findall(f".//{tag}"))))


def properties_of(report: Report) -> Element:
    """Return the facts of a report for which JUnit XML has no attribute, as properties."""
    properties = Element("properties")
    for name, value in (
        ("normgrade", __version__),
        ("submission", one_line(report.submission)),
        ("outcome", report.outcome.value),
        ("earned", str(report.earned)),
        ("possible", str(report.possible)),
        ("sandbox", one_line(report.sandbox)),
        *(("lost", one_line(loss)) for loss in report.lost),
        ("seed", str(report.seed)),
        *((("course", one_line(report.course)),) if report.course else ()),
        *((("deaths", deaths_in_words(report)),) if report.deaths else ()),
    ):
        SubElement(properties, "property", name=name, value=value)
    return properties


def cases_of(report: Report) -> Iterator[Element]:
    if report.outcome is Outcome.NOT_STARTED:
        yield case(report, "started", "failure", not_started(report), "not started")
    for finding in report.findings:
        yield case_of_finding(report, finding)
    for check in report.checks:
        yield case_of_check(report, check)


def case_of_score(report: Report) -> Element:
    """Return a test case in place of the checks that the report leaves out."""
    return case(report, "score", TAGS.get(report.outcome), _(": ").join((score_in_words(report), outcome_in_words(report))), "score")


def case_of_finding(report: Report, finding: Finding) -> Element:
    name = f"{one_line(finding.rule)} at {finding.line}:{finding.column}"
    if report.outcome is Outcome.PASSED:
        found = case(report, name)
        SubElement(found, "system-out").text = printable(finding.text)
        return found
    return case(report, name, "failure", one_line(finding.text.partition("\n")[0]), finding.rule, finding.text)


def case_of_check(report: Report, check: Check) -> Element:
    details = tuple(details_of(report, check))
    message = _(": ").join((claim_of(check).rstrip(".。"), *map(one_line, details[:1])))
    tag = TAGS.get(check.outcome)
    if check.asked_in_vain:
        tag, message = TAGS[Outcome.SKIPPED], asked_as_well(message)
    found = case(report, check.name, tag, message, check.kind, "\n".join(details), check.duration_s)
    if check.stdout:
        SubElement(found, "system-out").text = printable(check.stdout)
    return found


def case(
    report: Report, name: str, tag: str | None = None, message: str = "", type: str = "", text: str = "", duration_s: float = 0.0
) -> Element:
    """Return a test case; one that passed if there is no tag."""
    classname = f"normgrade.{titled(report).replace('.', INNER_DOT)}"
    found = Element("testcase", classname=classname, name=one_line(name), time=seconds(duration_s))
    if tag is not None:
        SubElement(found, tag, message=message, type=one_line(type)).text = printable(text)
    return found


def seconds(duration_s: float) -> str:
    return f"{duration_s:.3f}"
