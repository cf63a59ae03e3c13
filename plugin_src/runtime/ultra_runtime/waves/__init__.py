"""The sessions of a plan side by side: pre-flight, attempts, audits, merges, recovery and cleanup."""
