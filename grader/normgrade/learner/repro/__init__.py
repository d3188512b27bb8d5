"""`normgrade repro`: a small script that shows one failed claim without normgrade."""
