"""Tests of the packages that an autograder installs."""

from __future__ import annotations

import re
from importlib.metadata import version

from normgrade.classes.export.requirements import NEEDED, constraints, requirements


def test_the_packages_are_those_of_the_program() -> None:
    assert requirements().split() == [*NEEDED] == ["click", "jinja2", "numpy", "pytest", "rich", "torch"]


def test_each_package_has_the_version_that_is_installed() -> None:
    lines = constraints().splitlines()
    assert lines == sorted(lines) and all(re.fullmatch(r"[a-z0-9-]+==[^+\s]+", line) for line in lines)
    assert f"torch=={version('torch').partition('+')[0]}" in lines


def test_packages_of_packages_have_a_version_too() -> None:
    assert {"markupsafe", "pluggy"} <= {line.partition("==")[0] for line in constraints().splitlines()}
