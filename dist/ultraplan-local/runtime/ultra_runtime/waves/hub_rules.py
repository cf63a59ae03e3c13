"""The update hook of a hub: a worker may only add results and signs of life of attempts that are leased."""

from __future__ import annotations

from ultra_runtime.rendered import launcher

ROLE = launcher().upper().replace("-", "_") + "_HUB_WORKER"
HOOK = """#!/bin/sh
# The update hook of a hub for waves. Save it as hooks/update of the bare repository, and make it executable.
#
# Who owns the hub may do everything. Everybody else, and whoever has {role} set, is a worker: it may
# create the result of a leased attempt once, and replace the attempt's sign of life. Nothing else.
# For workers that log in with an ssh key of their own as the owner, write in authorized_keys:
#   command="{role}=1 git-shell -c \\"$SSH_ORIGINAL_COMMAND\\"",restrict ssh-ed25519 ...
ref=$1 old=$2 new=$3
[ -z "${role}" ] && [ -O . ] && exit 0
refuse() {{
    echo "hub: $1" >&2
    exit 1
}}
case $ref in
refs/{launcher}/wave/*/session-*/attempt-*) once=yes ;;
refs/{launcher}/wave/*/session-*/beat-*) once= ;;
*) refuse "a worker may not change $ref" ;;
esac
case $new in *[!0]*) ;; *) refuse "a worker may not delete $ref" ;; esac
case $once$old in yes*[!0]*) refuse "$ref exists and is never changed" ;; esac
number=${{ref##*-}}
lease=${{ref%/*}}/lease-$number
git rev-parse --quiet --verify "$lease" >/dev/null || refuse "there is no $lease"
git merge-base --is-ancestor "$lease" "$new" || refuse "what is pushed to $ref was not made for $lease"
"""


def hub_hook() -> str:
    """Return the update hook."""
    return HOOK.format(role=ROLE, launcher=launcher())
