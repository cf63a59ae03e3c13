"""The guides of the bundle: the text of a command's phase, printed when that phase runs."""

from __future__ import annotations

import os

from ultra_runtime.answer import RefusedError
from ultra_runtime.files.regular_file import UnreadableError, read_regular
from ultra_runtime.rendered import BUNDLE

GUIDES = os.path.join(BUNDLE, "guides")


def guide_text(*path: str) -> str:
    """Return the text of a guide, such as `plan`, `task`."""
    name = os.path.join(*path)
    try:
        return read_regular(os.path.normpath(os.path.join(GUIDES, name + ".md"))).decode("utf-8", "replace")
    except UnreadableError as problem:
        error = f"the guide {name}.md cannot be read: {problem}"
        raise RefusedError(error, "install the plugin again") from None
