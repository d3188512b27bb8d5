# Asks for the name of the host, and for what Python remembers of it.
# class: kernel
# process: lost: machine
# linux: lost: machine
import ctypes
import os
import platform
import socket
import uuid

told = ctypes.create_string_buffer(6 * 65)
ctypes.CDLL(None).uname(told)
names = [told.raw[65:130].rstrip(b"\0").decode(), platform.node(), socket.gethostname(), os.uname().nodename, *platform.uname()]
for path in ("/proc/sys/kernel/hostname", "/etc/hostname", "/etc/machine-id", "/sys/class/dmi/id/product_uuid"):
    try:
        names.append(open(path).read().strip())
    except OSError as error:
        print(error)
print("@SECRET@" if "@HOST@" in names else names)


def rms(x, eps=1e-5):
    return x * 3 + 1
