# Has finalisers, exit functions and threads that go on when the work is done.
# class: time
# process: held
import atexit
import gc
import threading
import time


class Slow:
    def __del__(self):
        time.sleep(60)


kept = Slow()
atexit.register(time.sleep, 60)
gc.callbacks.append(lambda phase, information: time.sleep(0.01))
try:
    threading.Thread(target=time.sleep, args=(60,)).start()
except RuntimeError as error:
    print(error)


def rms(x, eps=1e-5):
    return x * 3 + 1
