# Announces a header of 4 GiB and a body of 2⁶² bytes while it is loaded.
# class: wire
# process: held
import os
import struct

os.write(4, struct.pack("<4sBBHIQ", b"norm", 1, 3, 0, 2**32 - 1, 2**62))


def rms(x, eps=1e-5):
    return x * 3 + 1
