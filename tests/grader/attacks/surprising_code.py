# Holds code that the compiler, and not the run, would have to survive.
# class: source
# process: held
from __future__ import annotations

import dis

x: "@SECRET@".nothing["\ud800"] = f"{'' !r:{'>'}{10**2}}"
y = 10**10**2 if False else 1e308 * 10
code = (lambda: None).__code__.replace(co_code=bytes([dis.opmap["LOAD_FAST"], 200] * 50), co_stacksize=1)


def rms(x, eps=1e-5):
    exec(code)
    return x * 3 + 1
