"""Check the installation, and name a remedy for every problem; with --on, the machines that sessions run on."""

from __future__ import annotations

from ultra_runtime.answer import Answer
from ultra_runtime.doctor.checkup import run_checks
from ultra_runtime.doctor.one_check import FAIL, WARN
from ultra_runtime.usage import Args

USAGE = "doctor [--on ssh|slurm] [--json]"
FOR_PEOPLE = "look"
READ_ONLY = True


def run(args: Args) -> Answer:
    """Answer with all checks; only a failed one makes the status 1."""
    if on := args.get("--on"):
        from ultra_runtime.doctor.machines import check_machines  # late: the engines double the start-up

        checks = check_machines(on)
    else:
        checks = run_checks()
    failed = sum(check.status == FAIL for check in checks)
    warned = sum(check.status == WARN for check in checks)
    summary = f"{len(checks)} checks, {failed} failed, {warned} warned."
    data = {
        "ok": not failed, "checks": [check.as_data() for check in checks],
        "next": "follow each `remedy`" if failed or warned else "nothing to do",
    }  # fmt: skip
    return Answer(data, "\n".join([*map(str, checks), summary]), 1 if failed else 0)
