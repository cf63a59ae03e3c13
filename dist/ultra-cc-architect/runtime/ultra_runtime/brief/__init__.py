"""The brief stage: interview, draft and gate."""
