"""Where a project stands: facts from its artifacts, as words for a person and as a page."""
