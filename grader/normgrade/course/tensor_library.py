"""The libraries that exercises are written with."""

from __future__ import annotations

from enum import StrEnum


class Library(StrEnum):
    """A library that an exercise is written with. A process that plays with NumPy does not import PyTorch."""

    TORCH = "torch"
    NUMPY = "numpy"

    @property
    def called(self) -> str:
        """Its usual name.

        >>> Library.TORCH.called
        'PyTorch'
        """
        return "PyTorch" if self is Library.TORCH else "NumPy"
