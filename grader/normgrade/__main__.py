"""`python -m normgrade` is `normgrade`."""

from normgrade.cli import main

main()
