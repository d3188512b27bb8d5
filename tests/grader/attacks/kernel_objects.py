# Makes objects that live in the kernel and beyond the process: SysV queues, semaphores and memory, POSIX queues, keys.
# class: kernel
# process: lost: processes
import ctypes
import os
import platform

libc = ctypes.CDLL(None, use_errno=True)
X86 = platform.machine() == "x86_64"
for name, make, end in (("shm", 29 if X86 else 194, 31 if X86 else 195), ("msg", 68 if X86 else 186, 71 if X86 else 187)):
    number = libc.syscall(make, 0, ctypes.c_long(4096) if name == "shm" else 0o600, 0o600)
    if number >= 0:
        print("@SECRET@", name)
        libc.syscall(end, number, 0, None)
number = libc.syscall(64 if X86 else 190, 0, 1, 0o600)
if number >= 0:
    print("@SECRET@ sem")
    libc.syscall(66 if X86 else 191, number, 0, 0, None)
if libc.syscall(240 if X86 else 180, b"attack-@MARK@", os.O_CREAT | os.O_RDWR, 0o600, None) >= 0:
    print("@SECRET@ mq")
    libc.syscall(241 if X86 else 181, b"attack-@MARK@")
if libc.syscall(248 if X86 else 217, b"user", b"attack-@MARK@", b"x", ctypes.c_long(1), -2) >= 0:
    print("@SECRET@ key")
for keyring in (-3, -4, -5):
    if libc.syscall(250 if X86 else 219, 0, keyring, 0) >= 0:
        print("@SECRET@ keyring", keyring)


def rms(x, eps=1e-5):
    return x * 3 + 1
