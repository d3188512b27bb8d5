"""Interviews and reviews: which exercises come next, against the clock or spaced over days."""
