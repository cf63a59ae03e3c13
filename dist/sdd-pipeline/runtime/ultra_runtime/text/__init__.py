"""Read and write text: JSON, YAML, front matter, Markdown and times."""
