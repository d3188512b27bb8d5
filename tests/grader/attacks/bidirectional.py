# Turns the text around, hides it, and returns to the start of the line.
# class: terminal
# process: held
TEXT = "\u202e\u2066dessap\u2069\u200f\u200e\u061c 1 of 5\rpassed\b\b\x7f\x0b\x0c\x85\u2028\u2029"


def rms(x, eps=1e-5):
    print(TEXT)
    raise ValueError(TEXT)
