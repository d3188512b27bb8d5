"""The folder in which normgrade is installed."""

from pathlib import Path

PACKAGE = Path(__file__).parents[1]
