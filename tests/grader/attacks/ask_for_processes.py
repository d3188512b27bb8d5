# Asks calls that take the number of a process which ones there are, and how long they have computed.
# class: processes
# process: lost: processes
import os
import time


def clock_of(pid):
    return time.clock_gettime(~pid << 3 | 2)


for ask in (os.getpgid, os.getsid, os.sched_getaffinity, clock_of):
    for pid in (@VICTIM@, @GRADER@, 1):
        try:
            print("@SECRET@", ask(pid))
        except OSError as error:
            print(error)


def rms(x, eps=1e-5):
    return x * 3 + 1
