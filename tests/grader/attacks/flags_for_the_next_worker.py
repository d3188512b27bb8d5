# Leaves flags on its open files, ends, and looks for them in the worker that takes its place.
# class: processes
# process: held
import fcntl
import os

LEFT = os.O_NONBLOCK | os.O_APPEND


def flags(fd):
    try:
        return fcntl.fcntl(fd, fcntl.F_GETFL)
    except OSError:
        return 0


if any(flags(fd) & LEFT for fd in range(64)):
    print("@SECRET@")


def rms(x, eps=1e-5):
    for fd in range(64):
        try:
            fcntl.fcntl(fd, fcntl.F_SETFL, flags(fd) | LEFT)
        except OSError:
            pass
    os._exit(0)
