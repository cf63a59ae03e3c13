"""Record a real session of the client as a small animated picture."""
