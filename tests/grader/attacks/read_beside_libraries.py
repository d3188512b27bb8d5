# Reads whatever lies beside the libraries that Python itself came with.
# class: files
# process: may lose: files
import os
import sysconfig

OF_THE_SYSTEM = ("/lib", "/usr/lib")
for folder in {sysconfig.get_config_var("LIBDIR"), *os.environ.get("LD_LIBRARY_PATH", "").split(":")} - {None, ""}:
    if folder.startswith(OF_THE_SYSTEM):
        continue
    for inner in (folder, os.path.join(folder, "pkgconfig"), os.path.join(folder, "cmake")):  # which can be guessed
        for above, _, names in os.walk(inner):
            for path in (os.path.join(above, name) for name in names if ".so" not in name and "python3" not in above):
                try:
                    print("@SECRET@", path, open(path, "rb").read(20))
                except OSError as error:
                    print(error)


def rms(x, eps=1e-5):
    return x * 3 + 1
