# Sends datagrams.
# class: network
# process: lost: network
import socket

for family, address in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::ffff:127.0.0.1")):
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as one:
            one.sendto(b"hello", (address, @UDP@))
            one.connect((address, @UDP@))
            one.sendmsg([b"hello"])
    except OSError as error:
        print(error)


def rms(x, eps=1e-5):
    return x * 3 + 1
