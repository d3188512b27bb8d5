"""normgrade in a notebook: an answer in a cell, and its report below it."""
