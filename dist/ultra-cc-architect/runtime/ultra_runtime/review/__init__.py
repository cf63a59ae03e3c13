"""The review stage: what changed, findings, criteria and verdict."""
