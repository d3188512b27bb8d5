# Writes to stderr without end and without a newline.
# class: output
# process: held
import os


def rms(x, eps=1e-5):
    while True:
        os.write(2, b"\0" * 65536)
