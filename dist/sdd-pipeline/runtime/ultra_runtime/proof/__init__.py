"""The proof of a run: a function of the pinned plan, the start commit, the end commit and a clean checkout of it."""
