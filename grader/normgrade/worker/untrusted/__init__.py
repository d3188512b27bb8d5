"""The side of the submission: this code runs in the same process as a stranger's code."""
