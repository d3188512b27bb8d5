# Prints and raises what would clear the screen, set the title, ask the terminal for answers, and link to elsewhere.
# class: terminal
# process: held
ESCAPES = "\x1b[2J\x1b[H\x1b]0;owned\x07\x1b]8;;http://localhost\x1b\\link\x1b]8;;\x1b\\\x1b[6n\x1bP+q544e\x1b\\\x9b31m\x1b[?1049h\x1bc\x0e\x0f\x1b]52;c;cm0=\x07"


def rms(x, eps=1e-5):
    print(ESCAPES, "after")
    raise ValueError(ESCAPES + "after")
