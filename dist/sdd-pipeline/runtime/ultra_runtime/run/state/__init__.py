"""What is known about a run: its place, lock, progress and records."""
