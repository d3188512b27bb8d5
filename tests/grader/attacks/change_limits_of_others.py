# Lowers the limits of another program of the user.
# class: processes
# process: lost: processes
import resource

for pid in (@VICTIM@, @GRADER@):
    try:
        _, hard = resource.prlimit(pid, resource.RLIMIT_CORE)
        resource.prlimit(pid, resource.RLIMIT_CORE, (0, hard))
        print("@SECRET@")
    except OSError as error:
        print(error)
try:
    resource.prlimit(@VICTIM@, resource.RLIMIT_NOFILE, (100, 100))
except OSError as error:
    print(error)


def rms(x, eps=1e-5):
    return x * 3 + 1
