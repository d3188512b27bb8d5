# Sends an answer byte by byte, too slowly to ever end.
# class: wire
# process: held
import os
import struct
import time


def rms(x, eps=1e-5):
    for byte in struct.pack("<4sBBHIQ", b"norm", 1, 3, 0, 60000, 0) + b" " * 60000:
        os.write(4, bytes([byte]))
        time.sleep(0.05)
