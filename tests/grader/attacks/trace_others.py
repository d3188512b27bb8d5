# Attaches to another program of the user as a debugger, and reads and writes its memory.
# class: processes
# process: may lose: processes
import ctypes
import os
import platform

libc = ctypes.CDLL(None, use_errno=True)
PTRACE, READ, WRITE = (101, 310, 311) if platform.machine() == "x86_64" else (117, 270, 271)


class Piece(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]


buffer = ctypes.create_string_buffer(8)
here = Piece(ctypes.addressof(buffer), 8)
for pid in (@VICTIM@, @GRADER@, os.getppid()):
    there = Piece(id(None), 8)
    try:
        there = Piece(int(open(f"/proc/{pid}/maps").readline().split("-")[0], 16), 8)
    except OSError as error:
        print(error)
    for number in (READ, WRITE):
        if libc.syscall(number, pid, ctypes.byref(here), ctypes.c_long(1), ctypes.byref(there), ctypes.c_long(1), ctypes.c_long(0)) == 8:
            print("@SECRET@", pid, number)
    if pid == @VICTIM@ and libc.syscall(PTRACE, ctypes.c_long(0x4206), ctypes.c_long(pid), None, None) == 0:
        print("@SECRET@ attached")
print(libc.syscall(PTRACE, ctypes.c_long(0), None, None, None))


def rms(x, eps=1e-5):
    return x * 3 + 1
