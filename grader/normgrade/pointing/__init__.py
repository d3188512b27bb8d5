"""Where a mistake stands in the submission: the lines, and the pieces of code that are no known mistake."""
