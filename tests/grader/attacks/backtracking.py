# Matches a pattern that takes longer than the universe.
# class: time
# process: held
import re


def rms(x, eps=1e-5):
    re.match(r"(a|aa)+$", "a" * 100 + "b")
    return x * 3 + 1
