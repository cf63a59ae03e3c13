"""Rendered from the headers of agents/*.md.j2: edit those files, not this one."""

REVIEWERS = ("correctness-reviewer", "conformance-reviewer", "security-reviewer", "test-reviewer", "maintainability-reviewer",)
SMALL_REVIEWERS = ("correctness-reviewer", "conformance-reviewer", "test-reviewer",)
CONFORMANCE = "conformance-reviewer"
COORDINATOR = "review-coordinator"
EXPLORERS = ("task-finder", "test-strategist", "architecture-mapper", "convention-scanner", "dependency-tracer", "risk-assessor",)
REMEDIATION_EXPLORERS = ("dependency-tracer", "test-strategist", "risk-assessor", "convention-scanner",)
LOCAL_RESEARCHERS = ("local-structure", "local-conventions", "local-dependencies", "local-history", "local-tests",)
EXTERNAL_RESEARCHERS = ("web-docs", "web-releases", "web-issues", "web-security",)
QUICK_RESEARCHERS = ("local-structure", "local-dependencies", "web-docs",)
SECOND_MODEL = "gemini-bridge"
CRITICS = ("plan-critic", "scope-guardian",)
DECOMPOSER = "session-decomposer"
