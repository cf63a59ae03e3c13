"""What is known of a run: its place, lock, progress and records."""
