"""The guard: which commands and paths a run must not touch."""
