"""The lab as a learner sees it: the runs with each side, in the terminal and on a page."""
