"""Pointing: the lines of a submission that hold the mistakes of a diagnosis."""
