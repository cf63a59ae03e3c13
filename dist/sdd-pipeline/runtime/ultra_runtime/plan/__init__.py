"""Plans and session specs: one reader for both, their problems, and the specs made from a plan."""
