"""Inspection: the faults that the source shows without running it, and the flow of its values."""
