"""One step of a run."""
