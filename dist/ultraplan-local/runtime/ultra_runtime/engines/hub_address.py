"""The address of the hub, as this machine and every worker use it."""

from __future__ import annotations

import os

from ultra_runtime.answer import RefusedError
from ultra_runtime.contract.forms import holds_login
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.files.git import Git


def hub_address(git: Git, given: str) -> str:
    """Return the address of the hub that the settings name: a remote of the repository, an address or a path."""
    if not given:
        error = "the settings name no hub, through which machines exchange commits"
        raise RefusedError(error, "make a bare repository that all of them reach, and name it as `hub`")
    url = git.line("remote", "get-url", given) if "/" not in given and ":" not in given else ""
    url = url or given
    if holds_login(url):
        error = f"the address of the hub {one_line(given if url != given else '')} holds a password or token"
        raise RefusedError(error.replace("  ", " "), "use git's credential helper or an ssh key instead")
    if "://" not in url and ":" not in url.partition("/")[0]:
        url = os.path.realpath(os.path.join(git.root, os.path.expanduser(url)))
        if os.path.realpath(git.common) in (url, os.path.join(url, ".git")):
            raise RefusedError(
                "the hub is this repository itself", "make another one: `git init --bare PATH`"
            )
    return url
