"""Inspection: the faults that the source shows without running it."""
