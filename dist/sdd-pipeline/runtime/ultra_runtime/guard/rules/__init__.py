"""The functions that rules of the policy name."""
