# Forks faster than it can be killed: every child leaves another one and ends.
# class: processes
# process: not run: should the race be lost, it would run on
import os

try:
    if os.fork() == 0:
        print("@SECRET@", flush=True)
        for _ in range(10_000):
            os.setsid()
            if os.fork() > 0:
                os._exit(0)
        os._exit(0)
except OSError as error:
    print(error)


def rms(x, eps=1e-5):
    return x * 3 + 1
