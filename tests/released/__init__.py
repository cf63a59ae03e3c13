"""What the last release offered its users, and the check that nothing of it is lost."""
