"""The options of a grading as arguments of `normgrade check`."""

from __future__ import annotations

from normgrade.grading.grading_options import Options


def arguments(options: Options) -> list[str]:
    """Return the arguments for the walls and the time.

    >>> arguments(Options(timeout_s=2.5, required="linux"))
    ['--require-isolation', 'linux', '--timeout', '2.5']
    """
    timeout = [] if options.timeout_s is None else ["--timeout", f"{options.timeout_s:g}"]
    return ["--require-isolation", options.required, *timeout]
