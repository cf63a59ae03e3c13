"""The plan stage: what a plan rests on, its gate and its sessions."""
