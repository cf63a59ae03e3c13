"""The runtime that a plugin bundle carries: standard library only, Python 3.9 and newer."""
