"""Small faults in copies of the sources, to see which of them no test notices."""
