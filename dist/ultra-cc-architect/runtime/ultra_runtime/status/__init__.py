"""Where a project stands: facts from its artifacts, as text and as a page."""
