"""A ready working copy of a commit, and the settings of the project that it is made with."""
