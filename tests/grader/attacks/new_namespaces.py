# Makes namespaces of its own, where it would be root.
# class: kernel
# process: may lose: processes
import ctypes
import os
import platform

libc = ctypes.CDLL(None, use_errno=True)
UNSHARE = 272 if platform.machine() == "x86_64" else 97
for name, flag in (("user", 0x10000000), ("net", 0x40000000), ("ipc", 0x08000000), ("uts", 0x04000000), ("mount", 0x00020000), ("cgroup", 0x02000000)):
    if libc.syscall(UNSHARE, ctypes.c_long(flag)) == 0:
        print("@SECRET@", name)
    else:
        print(name, os.strerror(ctypes.get_errno()))


def rms(x, eps=1e-5):
    return x * 3 + 1
