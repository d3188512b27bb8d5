# Opens performance counters, loads a program into the kernel, reads the kernel's log.
# class: kernel
# process: may lose: processes
import ctypes
import os
import platform
import struct

libc = ctypes.CDLL(None, use_errno=True)
X86 = platform.machine() == "x86_64"
event = ctypes.create_string_buffer(struct.pack("<IIQQQQQ", 1, 128, 0, 0, 0, 0, 1 << 5 | 1 << 6) + bytes(100))
attributes = ctypes.create_string_buffer(struct.pack("<IIIII", 2, 4, 4, 1, 0) + bytes(100))
for name, number, *arguments in (
    ("perf_event_open", 298 if X86 else 241, event, 0, -1, -1, ctypes.c_long(0)),
    ("bpf", 321 if X86 else 280, 0, attributes, 72),
    ("syslog", 103 if X86 else 116, 10, None, 0),
):
    result = libc.syscall(number, *arguments)
    print(name, result, os.strerror(ctypes.get_errno()))
    if result >= 0:
        print("@SECRET@")


def rms(x, eps=1e-5):
    return x * 3 + 1
