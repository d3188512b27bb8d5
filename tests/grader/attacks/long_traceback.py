# Raises from the bottom of thousands of frames, and in chains of causes.
# class: terminal
# process: held
import sys

sys.setrecursionlimit(200_000)


def down(depth):
    if depth == 0:
        raise ValueError("deep")
    try:
        down(depth - 1)
    except ValueError as error:
        if depth % 1000:
            raise
        raise ValueError("deeper") from error


def rms(x, eps=1e-5):
    down(20_000 if x.dim() == 1 else 2_000)
