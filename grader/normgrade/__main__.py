"""`python -m normgrade` is `normgrade`."""

import sys

if not sys.flags.safe_path:
    del sys.path[0]  # the current folder, where a learner's own numpy.py would be taken for NumPy

from normgrade.cli import main

main()
