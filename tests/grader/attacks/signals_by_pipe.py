# Makes another process the owner of its pipes and sockets, so that the kernel signals it whenever something can be read or written.
# class: processes
# process: lost: processes
import fcntl
import os
import signal


class Owner:
    F_SETOWN, F_SETSIG, F_SETOWN_EX = 8, 10, 15


def own(pid):
    for fd in (*range(5), *os.pipe()):
        for command, value in ((Owner.F_SETOWN, pid), (Owner.F_SETSIG, signal.SIGUSR1)):
            try:
                fcntl.fcntl(fd, command, value)
            except OSError as error:
                print(fd, command, error)
        try:
            fcntl.fcntl(fd, fcntl.F_SETFL, fcntl.fcntl(fd, fcntl.F_GETFL) | 0o20000)
        except OSError as error:
            print(fd, error)


own(@VICTIM@)
print("something to read", flush=True)
ends = os.pipe()
for pid in (@VICTIM@, @GRADER@):
    try:
        for fd in ends:
            fcntl.fcntl(fd, Owner.F_SETOWN, pid)
            fcntl.fcntl(fd, Owner.F_SETSIG, signal.SIGUSR1)
            fcntl.fcntl(fd, fcntl.F_SETFL, 0o20000)
        os.write(ends[1], b"x")
        os.read(ends[0], 1)
    except OSError as error:
        print(error)


def rms(x, eps=1e-5):
    return x * 3 + 1
