# Fills the memory of the grader with answers between the load and the first question.
# class: wire
# process: held
import os
import threading

from normgrade import wire
from normgrade.observation import Observation

answer = wire.encode(Observation({str(number): None for number in range(4000)}), 7) * 20


def flood():
    while True:
        os.write(4, answer)


try:
    threading.Thread(target=flood, daemon=True).start()
except RuntimeError:
    for _ in range(1000):
        os.write(4, answer)


def rms(x, eps=1e-5):
    return x * 3 + 1
