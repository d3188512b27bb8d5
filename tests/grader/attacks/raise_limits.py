# Raises its own limits: files, memory, file sizes, time, processes.
# class: kernel
# process: held
# root: not run: whether root may raise its limits depends on its capabilities
import resource

for name in ("DATA", "FSIZE", "NOFILE", "CPU", "NPROC", "CORE", "STACK", "MEMLOCK", "AS"):
    limit = getattr(resource, f"RLIMIT_{name}")
    soft, hard = resource.getrlimit(limit)
    for value in ((resource.RLIM_INFINITY,) * 2, (hard + 1,) * 2):
        try:
            if hard != resource.RLIM_INFINITY:
                resource.setrlimit(limit, value)
                print("@SECRET@", name)
        except (OSError, ValueError, OverflowError) as error:
            print(name, error)


def rms(x, eps=1e-5):
    return x * 3 + 1
