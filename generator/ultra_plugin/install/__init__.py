"""Put plugins into Claude Code and take them out again; the standard library is all it needs."""
