"""Where a release comes from: its parts, its sources, its checksums, and whether sources give the same bytes again."""
