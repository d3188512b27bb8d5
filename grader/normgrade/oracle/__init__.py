"""The oracle: the expected result of each request, computed from the reference and kept."""
