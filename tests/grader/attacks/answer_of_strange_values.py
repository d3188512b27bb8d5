# Answers every place with a value of another kind: huge texts, half a surrogate, NaN, truth, nothing, descriptions.
# class: wire
# process: held
import os
import sys

from normgrade import wire
from normgrade.observation import Foreign, Observation

VALUES = ["\x1b[31m" * 1000, float("nan"), float("inf"), True, None, 2**63 - 1, -(2**63), Foreign("[bold red]\x1b[2J", "float32", (2**62,) * 32), "\u202e[bold red]\r"]


def rms(x, eps=1e-5):
    frame = sys._getframe()
    while "serial" not in frame.f_locals:
        frame = frame.f_back
    VALUES.append(VALUES.pop(0))
    places = ("argument 1 left alone", "result", "row 1", "row 2", "row 3", "\x1b[31mplace\r[bold red]")
    os.write(4, wire.encode(Observation({place: VALUES[-1] for place in places}), frame.f_locals["serial"]))
    return x * 3 + 1
