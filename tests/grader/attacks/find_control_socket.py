# Looks for the socket between grader and zygote among its files and those of its parent, and asks it for a new worker.
# class: network
# process: held
# root: may lose: processes
import os
import socket
import stat
import struct

for fd in range(1024):
    try:
        if stat.S_ISSOCK(os.fstat(fd).st_mode):
            print("@SECRET@", fd)
            socket.socket(fileno=fd).send(struct.pack("<BI", 1, 0))
    except OSError:
        pass
for pid in (os.getppid(), "@GRADER@"):
    try:
        for name in os.listdir(f"/proc/{pid}/fd"):
            if os.readlink(f"/proc/{pid}/fd/{name}").startswith("socket"):
                print("@SECRET@", name)
    except OSError as error:
        print(error)


def rms(x, eps=1e-5):
    return x * 3 + 1
