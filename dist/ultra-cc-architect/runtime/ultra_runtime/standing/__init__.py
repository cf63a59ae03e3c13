"""Where a project stands: one answer that every verb, hook and page uses."""
