"""Tests of the self-test of the walls."""

from __future__ import annotations

import os
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="these walls are Linux's")

if sys.platform == "linux":
    from normgrade.worker.walls import selftest


def test_an_open_file_is_known() -> None:
    fd = os.open(os.devnull, os.O_RDONLY)
    assert selftest.is_open(fd)
    os.close(fd)
    assert not selftest.is_open(fd)


def test_false_assertion_has_an_error_unlike_a_wall() -> None:
    selftest.assert_true(True)
    with pytest.raises(OSError) as raised:
        selftest.assert_true(False)
    assert (raised.value.errno,) == selftest.NOT_SO and raised.value.errno not in (*selftest.DENIED, *selftest.HIDDEN)


def test_tried_calls_are_known_on_each_machine() -> None:
    from normgrade.worker.walls import kernel, seccomp

    for machine in seccomp.MACHINES:
        assert selftest.FORBIDDEN.keys() <= kernel.numbers(machine).keys()


def test_tried_calls_are_not_allowed_by_the_filter() -> None:
    from normgrade.worker.walls import kernel

    assert selftest.FORBIDDEN.keys().isdisjoint(row.split()[0] for row in kernel.FREE.split(","))


def test_some_library_is_not_imported_yet() -> None:
    """Leave a library for the self-test, which imports one late."""
    assert any(name not in sys.modules and name in sys.stdlib_module_names for name in selftest.UNUSED)
