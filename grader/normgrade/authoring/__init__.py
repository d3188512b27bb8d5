"""The author's tools: the draft of a new exercise, with all of its files."""
