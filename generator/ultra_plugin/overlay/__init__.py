"""Forks as overlays: a small tree over an upstream that upgrades without a merge."""
