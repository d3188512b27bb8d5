"""The self-test: what each group of attempts is about."""

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


def test_what_is_not_so_is_an_error_that_a_wall_would_not_give() -> None:
    selftest.assert_true(True)
    with pytest.raises(OSError) as raised:
        selftest.assert_true(False)
    assert (raised.value.errno,) == selftest.NOT_SO and raised.value.errno not in (*selftest.DENIED, *selftest.HIDDEN)


def test_every_call_that_is_tried_is_known_on_each_machine() -> None:
    from normgrade.worker.walls import kernel, seccomp

    for machine in seccomp.MACHINES:
        assert selftest.FORBIDDEN.keys() <= kernel.numbers(machine).keys()


def test_a_call_that_is_tried_is_one_that_the_filter_stops() -> None:
    from normgrade.worker.walls import seccomp

    assert selftest.FORBIDDEN.keys().isdisjoint(seccomp.ALLOWED)


def test_a_library_is_left_that_nobody_has_imported() -> None:
    """The self-test imports one late."""
    assert any(name not in sys.modules and name in sys.stdlib_module_names for name in selftest.UNUSED)
