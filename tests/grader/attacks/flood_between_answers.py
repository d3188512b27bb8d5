# Prints from a thread without end, before, during and after every answer.
# class: output
# process: held
import os
import threading


def flood():
    while True:
        os.write(1, b"between\n" * 1000)


try:
    threading.Thread(target=flood, daemon=True).start()
except RuntimeError:
    os.write(1, b"between\n" * 100_000)


def rms(x, eps=1e-5):
    return x * 3 + 1
