"""Where a project stands: one reading, which every verb, hook and page shares."""
