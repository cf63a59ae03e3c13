"""The plan stage: the basis of a plan, its gate and its session specs."""
