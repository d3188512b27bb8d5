# Forks a child that shares the pipes, outlives its parent and answers in its place.
# class: wire
# process: lost: processes
import os
import time

from normgrade import wire
from normgrade.observation import Observation


def rms(x, eps=1e-5):
    if os.fork() == 0:
        print("@SECRET@", flush=True)
        os.setsid()
        for serial in range(2**16):
            os.write(4, wire.encode(Observation({"result": True}), serial))
            time.sleep(0.001)
        os._exit(0)
    time.sleep(0.05)
    return x * 3 + 1
