"""Check this machine and this bundle."""
