"""What is read and written as text: JSON, YAML, front matter, Markdown, patterns and times."""
