"""Plans and session specs: one reader for both, what is wrong with them, and the specs made from a plan."""
