"""Proofs of a course: its references pass, its mistakes fail and are named."""
