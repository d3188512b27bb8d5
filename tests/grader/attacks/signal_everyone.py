# Asks whether it could signal every process at once.
# class: processes
# process: lost: processes
import os

for pid in (-1, 1, -os.getpgid(os.getppid()), os.getppid()):
    try:
        os.kill(pid, 0)
        print("@SECRET@", pid)
    except OSError as error:
        print(pid, error)


def rms(x, eps=1e-5):
    return x * 3 + 1
