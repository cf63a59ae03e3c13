"""The root of every error that the runtime raises on purpose."""


class UltraError(Exception):
    """An error that somebody can fix; `__main__` turns it into a sentence."""

    hint = "fix this and retry"
