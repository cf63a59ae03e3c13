"""Files and folders: atomic writes, regular files, the repository and its projects, secrets."""
