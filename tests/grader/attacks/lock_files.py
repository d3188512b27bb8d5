# Locks files of the user, which could stop other programs, or carry a message to another run.
# class: files
# process: lost: files
import fcntl
import os

for path in ("@CANARY@", "@SUITE@", "@CACHE@", "@SELF@", "/dev/null", "/proc/cpuinfo", os.__file__):
    for lock in (fcntl.flock, fcntl.lockf):
        for flags in (os.O_RDONLY, os.O_RDWR):
            try:
                lock(os.open(path, flags), fcntl.LOCK_EX | fcntl.LOCK_NB)
                print("@SECRET@", path, lock)
            except OSError as error:
                print(path, error)


def rms(x, eps=1e-5):
    return x * 3 + 1
