"""Pitfalls: mistakes that a result shows by its numbers, whatever the exercise."""
