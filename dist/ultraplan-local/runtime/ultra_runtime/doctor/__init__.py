"""What this machine and this bundle are like."""
