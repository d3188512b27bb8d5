# Asks how busy the machine is, how many processes it runs and how much of its memory is free.
# class: kernel
# process: lost: machine
import ctypes
import os

told = ctypes.create_string_buffer(256)
if ctypes.CDLL(None, use_errno=True).sysinfo(told) == 0:
    print("@SECRET@", told.raw[:112])
try:
    print("@SECRET@", os.getloadavg())
except OSError as error:
    print(error)
for path in ("/proc/loadavg", "/proc/uptime", "/proc/stat", "/proc/meminfo", "/proc/vmstat", "/proc/pressure/cpu", "/sys/devices/system/node/node0/meminfo"):
    try:
        print("@SECRET@", open(path).read(100))
    except OSError as error:
        print(error)


def rms(x, eps=1e-5):
    return x * 3 + 1
