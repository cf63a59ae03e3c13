"""Install plugins into Claude Code and remove them, with the standard library only."""
