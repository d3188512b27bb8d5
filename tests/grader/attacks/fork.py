# Forks in every way: fork, vfork, clone, clone3, pty, multiprocessing.
# class: processes
# process: lost: processes
import ctypes
import os
import platform
import signal

libc = ctypes.CDLL(None, use_errno=True)
X86 = platform.machine() == "x86_64"


class Arguments(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("flags", "pidfd", "child", "parent", "signal", "stack", "size", "tls", "set", "sets", "cgroup")]


def by_fork():
    return os.fork()


def by_forkpty():
    return os.forkpty()[0]


def by_clone():
    return libc.syscall(56 if X86 else 220, ctypes.c_long(signal.SIGCHLD), None, None, None, None)


def by_clone3():
    return libc.syscall(435, ctypes.byref(Arguments(signal=signal.SIGCHLD)), ctypes.c_long(ctypes.sizeof(Arguments)))


for way in (by_fork, by_forkpty, by_clone, by_clone3):
    try:
        pid = way()
    except OSError as error:
        print(error)
        continue
    if pid == 0:
        os._exit(0)
    if pid > 0:
        print("@SECRET@", way)


def rms(x, eps=1e-5):
    return x * 3 + 1
