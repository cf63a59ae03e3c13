"""Contracts: what an artifact holds, and whether a file keeps to it."""
