# Lets the deadline pass, and answers from a thread that lives on.
# class: wire
# process: held
import os
import sys
import threading
import time

import numpy as np

from normgrade import wire
from normgrade.observation import Array, Observation


def rms(x, eps=1e-5):
    frame = sys._getframe()
    while "serial" not in frame.f_locals:
        frame = frame.f_back
    serial = frame.f_locals["serial"]

    def later():
        for ahead in range(100):
            time.sleep(0.01)
            zeros = Array(np.zeros((2, 3), np.float32), "float32")
            os.write(4, wire.encode(Observation({"result": zeros}), (serial + ahead) % 2**16))

    try:
        threading.Thread(target=later, daemon=True).start()
    except RuntimeError as error:
        print(error)
    return x * 3 + 1
