"""One file per hook, started by the client with `python3 -I -S -X utf8 FILE`."""
