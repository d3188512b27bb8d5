# Sets up an io_uring, through which files and sockets can be opened without their system calls.
# class: kernel
# process: not run: a ring that was set up holds memory of the kernel until its process is gone
import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
parameters = (ctypes.c_uint * 30)()
for flags in (0, 2):
    parameters[2] = flags
    fd = libc.syscall(425, 4, parameters)
    print(fd, os.strerror(ctypes.get_errno()))
    if fd >= 0:
        print("@SECRET@")
        os.close(fd)
for number in (426, 427):
    print(number, libc.syscall(number, 4, 0, None, 0), os.strerror(ctypes.get_errno()))


def rms(x, eps=1e-5):
    return x * 3 + 1
