"""The folder of the installed package."""

from pathlib import Path

import normgrade
from normgrade.course.package import PACKAGE


def test_the_package_folder_is_that_of_the_import() -> None:
    assert Path(normgrade.__file__).parent == PACKAGE
