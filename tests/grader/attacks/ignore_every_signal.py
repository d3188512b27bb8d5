# Ignores and blocks every signal, and sleeps.
# class: time
# process: held
import signal
import time

for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))


def rms(x, eps=1e-5):
    time.sleep(60)
