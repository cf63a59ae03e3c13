"""The root of every error that the runtime raises on purpose."""


class UltraError(Exception):
    """Something that somebody can mend; what leaves a verb becomes a sentence in `__main__`."""
