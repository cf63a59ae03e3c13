"""The working tree of a run: git, processes, snapshots."""
