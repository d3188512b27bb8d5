# Makes sockets by their system calls, pairs of them, and hands files around in messages.
# class: network
# process: lost: network
import array
import ctypes
import platform
import socket

libc = ctypes.CDLL(None, use_errno=True)
SOCKET, PAIR = (41, 53) if platform.machine() == "x86_64" else (198, 199)
pair = (ctypes.c_int * 2)()
for family in (1, 2, 10, 16, 17, 38, 40):
    if libc.syscall(SOCKET, family, 2, 0) >= 0:
        print("@SECRET@", family)
try:
    left, right = socket.socketpair()
    socket.send_fds(left, [b"x"], [0, 3, 4])
    print(socket.recv_fds(right, 1, 3))
except OSError as error:
    print(error)


def rms(x, eps=1e-5):
    return x * 3 + 1
