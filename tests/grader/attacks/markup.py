# Prints and raises rich markup, links and emoji codes.
# class: terminal
# process: held
MARKUP = "[bold red]red[/] [/] [link=http://localhost]x[/link] :smiley: [blink]✓ passed[/blink] [@click=exit]"


def rms(x, eps=1e-5):
    print(MARKUP)
    raise ValueError(MARKUP)
