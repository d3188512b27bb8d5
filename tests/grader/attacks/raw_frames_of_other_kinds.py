# Writes prefixes of other kinds, versions and lengths: questions in the place of answers, bodies of 2⁶² bytes.
# class: wire
# process: held
import os
import struct
import sys

PREFIXES = [(1, 1, 2, 0), (1, 2, 2, 0), (1, 3, 2**32 - 1, 0), (1, 3, 2, 2**62), (1, 3, 2, 2**64 - 1), (2, 3, 2, 0), (1, 255, 2, 0), (1, 3, 0, 0)]


def rms(x, eps=1e-5):
    frame = sys._getframe()
    while "serial" not in frame.f_locals:
        frame = frame.f_back
    version, kind, header, body = PREFIXES.pop(0)
    PREFIXES.append((version, kind, header, body))
    os.write(4, struct.pack("<4sBBHIQ", b"norm", version, kind, frame.f_locals["serial"], header, body) + b"{}")
    return x * 3 + 1
