# Leaves a process behind, and kills its parent, who would have found it.
# class: processes
# process: lost: processes
import os
import signal
import time


def rms(x, eps=1e-5):
    try:
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                os.execv("/bin/sleep", ["sleep", "@MARK@"])
            os._exit(0)
    except OSError as error:
        print(error)
    time.sleep(0.05)
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(0.3)
    return x * 3 + 1
