# Sends signals to another program of the user and to the grader, by every call that there is for it.
# class: processes
# process: lost: processes
import ctypes
import os
import platform
import signal

libc = ctypes.CDLL(None, use_errno=True)
X86 = platform.machine() == "x86_64"
information = (ctypes.c_int * 32)(signal.SIGURG, 0, -1)
for pid in (@VICTIM@, @GRADER@):
    for number, *arguments in (
        (62 if X86 else 129, pid, signal.SIGURG),
        (200 if X86 else 130, pid, signal.SIGUSR1),
        (234 if X86 else 131, pid, pid, signal.SIGUSR1),
        (129 if X86 else 138, pid, signal.SIGURG, information),
        (297 if X86 else 240, pid, pid, signal.SIGURG, information),
    ):
        print(libc.syscall(number, *(int(value) if isinstance(value, int) else value for value in arguments)), os.strerror(ctypes.get_errno()))
    fd = libc.syscall(434, pid, 0)
    if fd >= 0:
        print("@SECRET@", libc.syscall(424, fd, int(signal.SIGURG), None, 0))
    try:
        os.killpg(os.getpgid(pid), signal.SIGURG)
    except OSError as error:
        print(error)


def rms(x, eps=1e-5):
    return x * 3 + 1
