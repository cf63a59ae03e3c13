"""Where attempts on other machines run: an engine starts a task, tells its state and ends it."""
