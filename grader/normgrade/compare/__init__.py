"""Comparison: two results, their differences, and the facts that they share."""
