"""`normgrade completion`: scripts that have a shell complete commands, options and slugs."""

from __future__ import annotations

import os
from pathlib import Path

import click
from click.shell_completion import ZshComplete

from normgrade.cli import COMPLETING
from normgrade.cli.shell_words import one_of
from normgrade.language import _
from normgrade.language.errors import UsageError, did_you_mean

SHELLS = {  # the file that the printed script belongs in
    "bash": "~/.bashrc",
    "zsh": "~/.zshrc",
    "fish": "~/.config/fish/completions/normgrade.fish",
}

# Two scripts of click are replaced: its script for bash drops the words that come with files, and that for fish cuts words at a comma.
SOURCES = {
    "zsh": ZshComplete(click.Group(), {}, "normgrade", COMPLETING).source(),
    "bash": """\
_normgrade_completion() {
    local IFS=$'\\n' answer type begun
    while read -r answer; do
        type=${answer%%,*} begun=${answer#*,}
        case $type in
            plain) COMPREPLY+=("$begun") ;;
            file) compopt -o filenames 2> /dev/null; mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$begun") ;;
            dir) compopt -o filenames 2> /dev/null; mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -d -- "$begun") ;;
        esac
    done < <(env COMP_WORDS="${COMP_WORDS[*]}" COMP_CWORD=$COMP_CWORD _NORMGRADE_COMPLETE=bash_complete "$1")
}

complete -o nosort -F _normgrade_completion normgrade
""",
    "fish": """\
function _normgrade_completion
    for answer in (env _NORMGRADE_COMPLETE=fish_complete COMP_WORDS=(commandline -cp) COMP_CWORD=(commandline -t) normgrade)
        set -l parts (string split -m 1 "," -- $answer)
        switch $parts[1]
            case dir
                __fish_complete_directories $parts[2]
            case file
                __fish_complete_path $parts[2]
            case plain
                echo $parts[2]
        end
    end
end

complete --no-files --command normgrade --arguments "(_normgrade_completion)"
""",
}


@click.command("completion")
@click.argument("shell", metavar="[bash|zsh|fish]", required=False, shell_complete=one_of(SHELLS))
def completion_command(shell: str | None) -> None:
    """Print a script that completes commands, options and slugs in your shell.

    By default, the script is for the shell in the variable SHELL.
    """
    name = shell or Path(os.environ.get("SHELL", "")).name
    if name not in SHELLS:
        raise UsageError(
            _(
                'Completion is not available for the shell "{name}".{meant} Choose from {shells}.',
                name=name,
                meant=did_you_mean(name, SHELLS),
                shells=", ".join(SHELLS),
            )
        )
    click.echo(_("# normgrade: add this to {file}", file=SHELLS[name]))
    click.echo(SOURCES[name])
