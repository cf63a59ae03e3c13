"""The research stage: topics, agents, evidence and confidence."""
