#!/usr/bin/env bash
# Gradescope runs this once, as root and with a network, to build the image in which submissions are graded.
# settings.sh says which exercises are graded, and from where pip takes PyTorch.
set -euo pipefail

root=${NORMGRADE_AUTOGRADER:-/autograder}
source=$root/source
home=$root/normgrade
. "$source/settings.sh"

new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

find_python() {
    for name in python3 python3.13 python3.12 python3.11; do
        if new_enough "$name"; then command -v "$name" && return; fi
    done
    return 1
}

rm -rf "$home"
mkdir -p "$home"
if [ -n "${NORMGRADE_PYTHON:-}" ]; then # a Python that has the packages of requirements.txt already
    python=$NORMGRADE_PYTHON
else
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends python3 python3-venv
    found=$(find_python) || { apt-get install -y -qq --no-install-recommends python3.11 python3.11-venv && found=$(find_python); }
    "$found" -m venv "$home/venv"
    python=$home/venv/bin/python
    if [ -n "$index" ]; then export PIP_EXTRA_INDEX_URL=$index; fi
    "$python" -m pip install --quiet --no-cache-dir -r "$source/requirements.txt" -c "$source/constraints.txt"
fi

# The key of the cache is moved, not copied: behind the weakest walls, a submission could read a copy.
mv "$source/program" "$source/cache" "$source/config" "$source/settings.sh" "$source/unfinished.json" "$home/"
chmod -R go-rwx "$home/cache" "$home/config"
printf 'python=%q\n' "$python" >"$home/python.sh"

export PYTHONPATH=$home/program NORMGRADE_CACHE=$home/cache NORMGRADE_CONFIG=$home/config
"$python" -m compileall -q "$home/program/normgrade" || true
"$python" -P -m normgrade warm --seed "$seed" "${slugs[@]}" # takes no time if the cache fits these versions, which is checked here
"$python" -P -m normgrade doctor
