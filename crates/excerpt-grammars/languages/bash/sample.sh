#!/usr/bin/env bash
# A licence would stand here.

set -euo pipefail

source ./helpers.sh
. ./colours.sh

# How many books a shelf holds.
CAPACITY=40
readonly SHELF="${1:-shelf}"
export PATH="$PATH:/opt/shelf"

# Puts a book on the shelf.
put() {
    local title=$1
    if [ "$(count)" -ge "$CAPACITY" ]; then
        echo "full" >&2
        return 1
    elif [ -e "$SHELF/$title" ]; then
        echo "known"
    else
        # A new one.
        touch "$SHELF/$title"
    fi
    for reader in "${readers[@]}"; do
        tell "$reader" "$title"
    done
}

function count {
    find "$SHELF" -type f | wc -l
}

usage() {
    cat <<EOF
usage: shelf put TITLE
       shelf count
EOF
}

while getopts "hv" option; do
    case $option in
        h)
            usage
            exit 0
            ;;
        v) set -x ;;
        *) exit 2 ;;
    esac
done

broken() {
    echo "never closed

put "A book"
