# Joins the namespaces of another process.
# class: processes
# process: held
# root: may lose: processes
import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
for pid in (@VICTIM@, @GRADER@, 1):
    for name in ("net", "ipc", "uts", "mnt", "user", "pid"):
        try:
            fd = os.open(f"/proc/{pid}/ns/{name}", os.O_RDONLY)
        except OSError as error:
            print(error)
            continue
        if libc.setns(fd, 0) == 0:
            print("@SECRET@", pid, name)
    fd = libc.syscall(434, pid, 0)
    if fd >= 0 and libc.setns(fd, 0x04000000) == 0:
        print("@SECRET@ by pidfd")


def rms(x, eps=1e-5):
    return x * 3 + 1
