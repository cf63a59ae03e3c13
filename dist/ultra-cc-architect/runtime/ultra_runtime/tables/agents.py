"""Rendered from the headers of agents/*.md.j2: edit those files, not this one."""

REVIEWERS = ()
SMALL_REVIEWERS = ()
CONFORMANCE = ""
COORDINATOR = ""
EXPLORERS = ("structure-reader", "constraints-reader", "features-reader",)
REMEDIATION_EXPLORERS = ()
LOCAL_RESEARCHERS = ()
EXTERNAL_RESEARCHERS = ()
QUICK_RESEARCHERS = ()
SECOND_MODEL = ""
CRITICS = ()
DECOMPOSER = ""
