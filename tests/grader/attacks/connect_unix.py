# Connects to a unix socket by its path, and sends a datagram to another.
# class: network
# process: lost: network
import socket

for kind, path in ((socket.SOCK_STREAM, "@UNIX@"), (socket.SOCK_DGRAM, "@UNIX@-datagram"), (socket.SOCK_SEQPACKET, "@UNIX@")):
    try:
        with socket.socket(socket.AF_UNIX, kind) as one:
            one.connect(path)
            one.send(b"hello")
    except OSError as error:
        print(error)


def rms(x, eps=1e-5):
    return x * 3 + 1
