# Makes the pipes tiny, packet-wise, non-blocking and asynchronous.
# class: wire
# process: held
import fcntl
import os

for fd in range(5):
    for command, value in ((1031, 4096), (fcntl.F_SETFL, os.O_NONBLOCK), (fcntl.F_SETFL, 0o40000), (1033, 15), (1024, 1)):
        try:
            print(fd, command, fcntl.fcntl(fd, command, value))
        except OSError as error:
            print(fd, command, error)
for fd in (3, 4):
    os.set_blocking(fd, False)


def rms(x, eps=1e-5):
    return x * 3 + 1
