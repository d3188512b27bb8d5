# Lowers the priority of another program, and moves it to one core and another scheduler.
# class: processes
# process: lost: processes
import ctypes
import os
import platform

libc = ctypes.CDLL(None, use_errno=True)
IOPRIO = 251 if platform.machine() == "x86_64" else 30
for way in (
    lambda: os.setpriority(os.PRIO_PROCESS, @VICTIM@, 19),
    lambda: os.sched_setaffinity(@VICTIM@, {0}),
    lambda: os.sched_setscheduler(@VICTIM@, os.SCHED_IDLE, os.sched_param(0)),
    lambda: print("ioprio", libc.syscall(IOPRIO, 1, @VICTIM@, 3 << 13)),
    lambda: open("/proc/@VICTIM@/oom_score_adj", "w").write("1000"),
    lambda: os.setpriority(os.PRIO_PROCESS, os.getppid(), 19),
):
    try:
        way()
    except OSError as error:
        print(error)


def rms(x, eps=1e-5):
    return x * 3 + 1
