# Starts 2000 threads.
# class: processes
# process: not run: nothing bounds the number of threads
import threading
import time

threading.stack_size(65536)
try:
    for number in range(2000):
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
        if number == 64:
            print("@SECRET@")
except RuntimeError as error:
    print(error)


def rms(x, eps=1e-5):
    return x * 3 + 1
