"""Run one attack: a real repository, the real launcher, a script of the shell, and the oracle's opinion at the end."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.attacks.oracle import Part, faults
from tests.executor.sample import PLAN, PROGRESS, PROJECT, SLUG, Repo, plan, step

# A check that an ignored file, an untracked file or a function of the shell could turn green.
CHECK = """\
[ -e build/pass ] && exit 0
[ -e tests/extra.sh ] && . tests/extra.sh
grep -qx "part $1" "src/$1.txt"
"""
FILES: Mapping[str, str] = {
    "README.md": "# Parts\n",
    ".gitignore": "*.local\nbuild/\n",
    "Makefile": "check:\n\t@grep -qx 'part one' src/one.txt\n",
    "src/zero.txt": "part zero\n",
    "tests/check.sh": CHECK,
}
ONE = Part(1, ("src/one.txt",), "sh tests/check.sh one", contains=(("src/one.txt", "^part"),))
TWO = Part(2, ("src/two.txt",), "sh tests/check.sh two")
BOTH = "sh tests/check.sh one && sh tests/check.sh two"

# `good N NAME` does a step honestly; `bad N NAME` does all but the work. Verbs answer with JSON.
PRELUDE = f"""\
ultra() {{ launcher "$@" --json; }}
good() {{ ultra step begin $1; echo "part $2" > src/$2.txt; ultra step verify $1; ultra step commit $1; }}
bad() {{ ultra step begin $1; echo "nothing" > src/$2.txt; ultra step verify $1; ultra step commit $1; }}
start() {{ ultra run start {PLAN} "$@"; }}
finish() {{ ultra run finish; }}
resume() {{ ultra run start {PLAN} --mode resume "$@"; }}
set_progress() {{ python3 -c "import json,sys; p='{PROGRESS}'; v=json.load(open(p)); exec(sys.argv[1]); json.dump(v,open(p,'w'))" "$1"; }}
PLAN={PLAN}; PROGRESS={PROGRESS}; PROJECT={PROJECT}; REFS=refs/ultra/run/{SLUG}; OWN=.git/ultra/{SLUG}
START=$(git rev-parse HEAD)
"""


@dataclass(frozen=True, slots=True)
class Attack:
    """A script, and words that some answer has to contain."""

    name: str
    script: str
    says: str = ""
    parts: Sequence[Part] = (ONE, TWO)
    verification: str = BOTH
    files: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Fought:
    """What was claimed at the end, what the oracle found, and everything that was printed."""

    result: str
    audit: str
    faults: list[str]
    said: str

    @property
    def claims(self) -> bool:
        """Tell whether anything says that the run is completed."""
        return self.result == "completed" or self.audit == "pass"


def plan_text(attack: Attack) -> str:
    """Return the plan as a file."""
    steps = [
        step(
            part.number, part.files, verify=part.verify, on_failure=part.on_failure,
            expected_paths=list(part.expected or [one for one in part.files if one not in part.removes]),
            min_file_count=part.least if part.least is not None else 0,
            must_contain=[{"path": path, "pattern": pattern} for path, pattern in part.contains],
        )
        for part in attack.parts
    ]  # fmt: skip
    return plan(*steps, verification=attack.verification)


def fight(attack: Attack, folder: Path, bundle: Path, python: Path) -> Fought:
    """Run the script, then ask for the result and the audit, and ask the oracle."""
    repo = Repo(folder / "repo", bundle, python).create(plan_text(attack), files={**FILES, **attack.files})
    start = repo.git("rev-parse", "HEAD")
    told = repo.shell_with_launcher(PRELUDE + attack.script)
    audit = repo("audit", PLAN, env={"PATH": f"{repo.command.parent}:{repo.env['PATH']}"})
    said = told.out + told.err + audit.out
    for report in sorted((repo.folder / PROJECT).glob("logs/report*.md")):
        said += report.read_text()
    assert audit.status < 2, audit.out + audit.err
    assert "Traceback" not in said, said
    repo.git("config", "--unset-all", "core.worktree", check=False)
    end = repo.git("rev-parse", "HEAD")
    truth = faults(repo.folder, folder, attack.parts, attack.verification, start, end)
    results = _results(told.out)
    return Fought(results[-1] if results else "", json.loads(audit.out).get("status", ""), truth, said)


def _results(said: str) -> list[str]:
    """Return the result of every run that was finished."""
    answers = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
    return [str(answer["result"]) for answer in answers if "result" in answer]
