"""Checks of many folders in one process: what to check, what to leave out, what to repair, how to tell it."""
