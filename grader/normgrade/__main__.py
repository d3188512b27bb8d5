"""The entry point of `normgrade` and `python -m normgrade`. It prepares for closed streams and Ctrl-C before it imports the rest."""

import os
import sys

STREAMS = {"stdin": "r", "stdout": "w", "stderr": "w"}  # in the order of their file descriptors, from 0 on


def main() -> None:
    """Run a command and end the process."""
    try:
        open_closed_streams()
        from normgrade.worker import interrupts  # only after the streams are open

        interrupts.remember()  # as `cli.main` does, but before its imports
        from normgrade.cli import main as run_command  # only after interrupts are remembered

        run_command()
    except KeyboardInterrupt:  # it came before `remember`, or as the command ended
        end("Error: Interrupted before it was done.\n", 130)
    except Exception:  # a module is missing, or there is no memory for it
        import traceback  # only after a fault of normgrade

        end(traceback.format_exc(), 3)


def open_closed_streams() -> None:
    """Open the null device for each standard stream that is closed, because otherwise another file would get its number."""
    for fd, (name, mode) in enumerate(STREAMS.items()):
        try:
            os.fstat(fd)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # takes the lowest number that is free, which is this one
            setattr(sys, name, os.fdopen(fd, mode, encoding="utf-8", closefd=False))


def end(said: str, code: int) -> None:
    """Print the message if possible, and end the process at once."""
    try:
        os.write(2, said.encode(errors="replace"))
    finally:
        os._exit(code)


if __name__ == "__main__":
    if not sys.flags.safe_path:
        del sys.path[0]  # the current folder: a learner's own numpy.py there would be imported as NumPy
    main()
