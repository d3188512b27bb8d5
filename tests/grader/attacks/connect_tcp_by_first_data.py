# Reaches a TCP port without connect: by sendto with MSG_FASTOPEN, and by multipath TCP.
# class: network
# process: lost: network
import socket

for kind, protocol in ((socket.SOCK_STREAM, 0), (socket.SOCK_STREAM, 262)):
    try:
        with socket.socket(socket.AF_INET, kind, protocol) as one:
            one.sendto(b"hello", 0x20000000, ("127.0.0.1", @TCP@))
    except OSError as error:
        print(error)
    try:
        with socket.socket(socket.AF_INET, kind, protocol) as one:
            one.connect(("127.0.0.1", @TCP@))
    except OSError as error:
        print(error)


def rms(x, eps=1e-5):
    return x * 3 + 1
