"""The one line that an engine runs on another machine: it needs git, Python, bash and the client, nothing of ours."""

from __future__ import annotations

from ultra_runtime.rendered import launcher
from ultra_runtime.waves.hub import BUNDLE_REF, LEASE
from ultra_runtime.words import shell_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.waves.hub import Hub

WORKER = "worker.py"
FOLDERS = f"{launcher()}-wave-"
"""What the folder of every worker begins with, in TMPDIR."""
LINE = (
    'umask 077; cd / && folder=$(mktemp -d "${{TMPDIR:-/tmp}}/{folders}XXXXXXXX") && trap \'rm -rf "$folder"\' EXIT'
    ' && mkdir "$folder/bundle" && git init --quiet "$folder/repo"'
    ' && git -C "$folder/repo" fetch --quiet --no-tags {url} {lease_ref}:{lease_ref} {bundle_ref}:{bundle_ref}'
    ' && git -C "$folder/repo" archive {bundle} | tar -xf - -C "$folder/bundle"'
    ' && exec python3 -I -S -X utf8 "$folder/bundle/runtime/ultra_runtime/waves/{worker}" "$folder" {url} {lease}'
)


def worker_line(hub: Hub, session: int, attempt: int, lease: str, bundle: str, setup: str) -> str:
    """Return the line of an attempt: the exact lease and the exact bundle, or nothing runs."""
    line = LINE.format(
        folders=FOLDERS, url=shell_word(hub.url), lease=lease, bundle=bundle, worker=WORKER,
        lease_ref=hub.of(LEASE, session, attempt), bundle_ref=hub.ref(BUNDLE_REF),
    )  # fmt: skip
    return f"{setup}\n{line}" if setup else line
