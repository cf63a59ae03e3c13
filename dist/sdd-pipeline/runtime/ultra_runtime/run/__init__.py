"""One run of a plan: what begins, verifies, commits, undoes, audits and ends it."""
