"""Where normgrade is installed."""

from pathlib import Path

import normgrade
from normgrade.course.package import PACKAGE


def test_the_package_is_where_it_was_imported_from() -> None:
    assert Path(normgrade.__file__).parent == PACKAGE
