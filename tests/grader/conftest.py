"""Says which normgrade is under test, and refuses another than the one that was meant."""

import os
from pathlib import Path

import pytest

import normgrade


def pytest_configure() -> None:
    """Stop before the first test if NORMGRADE_UNDER_TEST names an environment and normgrade comes from elsewhere."""
    wanted = os.environ.get("NORMGRADE_UNDER_TEST")
    if wanted and not Path(normgrade.__file__).resolve().is_relative_to(Path(wanted).resolve()):
        raise pytest.UsageError(
            f'normgrade was imported from "{normgrade.__file__}", outside of NORMGRADE_UNDER_TEST="{wanted}". '
            "Run pytest with `-o pythonpath=` in the environment that the wheel is installed in."
        )


def pytest_report_header() -> str:
    return f"normgrade {normgrade.__version__} from {Path(normgrade.__file__).parent}"
