"""Likeness: the syntax that the answers of a class share, and how usual that is."""
