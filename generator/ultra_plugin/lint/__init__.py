"""Check many folders in one process: choose, leave out, repair and report."""
