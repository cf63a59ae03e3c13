"""Contracts: what an artifact must contain, and whether a file does."""
