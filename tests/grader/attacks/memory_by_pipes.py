# Fills pipes and socket buffers of the kernel to the brim.
# class: memory
# process: held
import fcntl
import os
import socket

total = 0
try:
    while True:
        _, writing = os.pipe()
        fcntl.fcntl(writing, 1031, 2**20)
        os.set_blocking(writing, False)
        total += os.write(writing, bytes(2**20))
except OSError as error:
    print(total, error)
try:
    while True:
        left, right = socket.socketpair()
        left.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2**30)
        left.setblocking(False)
        total += left.send(bytes(2**20))
except OSError as error:
    print(total, error)
if total > 3 * 2**30:
    print("@SECRET@")


def rms(x, eps=1e-5):
    return x * 3 + 1
