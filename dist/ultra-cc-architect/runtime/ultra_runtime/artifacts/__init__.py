"""The artifacts of a project: where each belongs, and whether they agree."""
