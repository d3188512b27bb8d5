"""Tests of reports that are read from JSON: they say the same, and every format can write them."""

from __future__ import annotations

import json

import numpy as np
import pytest
import sample_reports as reports

from normgrade.report.from_json import report_from_json
from normgrade.report.render import FORMATS, render
from normgrade.report.render.json import report_as_json
from normgrade.report.report import ArrayDifference, Report


def reread(report: Report) -> Report:
    return report_from_json(json.loads(json.dumps(report_as_json(report))), report.source)


@pytest.mark.parametrize("report", reports.EVERY_KIND)
def test_report_says_the_same_after_json(report: Report) -> None:
    assert reread(report).source == report.source
    assert report_as_json(reread(report)) == report_as_json(report)


def test_points_stay_after_json() -> None:
    assert [reread(each).earned for each in reports.EVERY_KIND] == [each.earned for each in reports.EVERY_KIND]


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("report", reports.EVERY_KIND)
def test_every_format_writes_a_report_from_json(format: str, report: Report) -> None:
    again = reread(report)
    assert render([again], format) == render([reread(again)], format)
    assert report.exercise in render([again], format) or format == "classroom50"


def test_numbers_that_are_not_finite_come_back() -> None:
    difference = reports.differing([1.0, np.nan], [np.inf, 2.0], 1e-6)
    [again] = reread(reports.report(reports.failed(differences=(difference,)))).checks[0].differences
    assert isinstance(again, ArrayDifference)
    assert (again.max_abs, again.at) == (difference.max_abs, difference.at)
    np.testing.assert_equal((again.expected, again.actual), (difference.expected, difference.actual))


def test_something_else_is_refused() -> None:
    with pytest.raises(LookupError):
        report_from_json({"exercise": "layer_norm"}, "")
