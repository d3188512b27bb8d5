"""Workflows for GitHub Actions: their place in a repository, and the parts that all of them share."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from normgrade import __version__
from normgrade.course.files import read_text

SHARED: Mapping[str, str] = MappingProxyType(  # the texts of the marks that every template may have
    {
        "MACHINE": "ubuntu-24.04",
        "PYTHON": '"3.13"',
        "CHECKOUT": "actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683 # v4.2.2",
        "SETUP_PYTHON": "actions/setup-python@a26af69be951a213d495a4c3e4e4022e16d87065 # v5.6.0",
        "UPLOAD_ARTIFACT": "actions/upload-artifact@ea165f8d65b6e75b540449e92b4886f43607fa02 # v4.6.2",
        "RIGHTS": """\
permissions:
  contents: read

concurrency:
  group: ${{ github.workflow }}-${{ github.ref }}
  cancel-in-progress: true""",
        "SOURCES": """\
# Set the repository variable NORMGRADE to install normgrade from another place, such as the address of a wheel.
      NORMGRADE: ${{ vars.NORMGRADE || @REQUIREMENT@ }}
      # Set PIP_EXTRA_INDEX_URL to an index with CPU builds of PyTorch to spare every run the download of the CUDA libraries.
      PIP_EXTRA_INDEX_URL: ${{ vars.PIP_EXTRA_INDEX_URL || @INDEX@ }}""",
        "INSTALL": """\
# -I keeps Python from importing a file of the repository.
      - run: python -I -m pip install --quiet "$NORMGRADE\"""",
    }
)


def workflow_named(name: str, repository: Path) -> Path:
    """Return the file of a workflow in a repository; GitHub reads no other. It may be missing."""
    return repository / ".github" / "workflows" / f"{name}.yml"


def workflow_from(template: Path, index: str = "", **values: str) -> str:
    """Return the text of a workflow: a template with a text in the place of each mark, such as `@PYTHON@`.

    The values are strings, which are quoted. pip takes packages from `index`, too.
    """
    given = {"REQUIREMENT": f"normgrade=={__version__}", "INDEX": index, **values}
    text = read_text(template)
    for name, value in {**SHARED, **{name: quoted(value) for name, value in given.items()}}.items():
        text = text.replace(f"@{name}@", value)
    return text


def quoted(text: str) -> str:
    """Return a text as a string of YAML.

    >>> quoted("it's")
    "'it''s'"
    """
    return "'" + text.replace("'", "''") + "'"
