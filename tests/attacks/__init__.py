"""Attempts at a run that says completed and is not, each as a script that a person can read."""
