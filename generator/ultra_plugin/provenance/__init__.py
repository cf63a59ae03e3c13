"""Where a release comes from: its parts, sources and checksums, and whether the sources build to the same bytes."""
