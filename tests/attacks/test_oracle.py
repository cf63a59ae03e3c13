"""Random runs with random accidents and cheating: whenever a run says completed, a fresh clone agrees."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from tests.attacks.arena import Attack, fight
from tests.attacks.oracle import Part
from tests.kit.lasting import Lasting
from tests.kit.quick import random_seed, times

SHARES = times(3, 6)
EXAMPLES = times(2, 500)
NAMES = ("one", "two", "three")

# What may happen between two calls of a run. `$n` is the name of a step's file.
TWISTS = (
    "echo true > tests/check.sh",
    "echo 'exit 0' > tests/extra.sh",
    "mkdir -p build; touch build/pass",
    "rm -rf build tests/extra.sh; git checkout -q -- tests",
    'echo "src/$n.txt" >> .gitignore',
    'mkdir -p .git/info; echo "src/$n.txt" >> .git/info/exclude',
    "echo '*.txt text eol=crlf' > .git/info/attributes",
    "git config filter.x.clean 'echo nothing'; mkdir -p .git/info; echo 'src/*.txt filter=x' > .git/info/attributes",
    "git config filter.x.smudge 'echo part one'; mkdir -p .git/info; echo 'src/*.txt filter=x' > .git/info/attributes",
    "git config core.autocrlf true",
    "git config core.fileMode false",
    "git config core.checkStat minimal",
    "git sparse-checkout set --no-cone '/*' '!/tests/' 2>/dev/null",
    "git sparse-checkout disable 2>/dev/null",
    "git update-index --assume-unchanged tests/check.sh",
    'git update-index --skip-worktree "src/$n.txt" 2>/dev/null',
    'git mv "src/$n.txt" src/moved.txt 2>/dev/null',
    'git rm -q --cached "src/$n.txt" 2>/dev/null',
    'rm -f "src/$n.txt"',
    'rm -f "src/$n.txt"; mkdir -p "src/$n.txt"',
    'ln -sfn ../build/pass "src/$n.txt"',
    "git commit -q --allow-empty -m empty",
    "git commit -qam 'chore: by hand'",
    "git add -A; git commit -qm 'chore: everything'",
    "git commit -qa --amend --no-edit",
    "git reset -q --hard HEAD~1 2>/dev/null",
    "git reset -q --hard",
    "git revert --no-edit HEAD >/dev/null 2>&1 || git revert --abort 2>/dev/null",
    "git stash -q -u",
    "git stash pop -q 2>/dev/null",
    "git checkout -q -b side; git commit -q --allow-empty -m side; git checkout -q main; git merge -q --no-ff -m m side; git branch -qD side",
    "git replace -f HEAD $START 2>/dev/null",
    "git update-ref $REFS/step-$i HEAD",
    "git update-ref $REFS/skip-$i HEAD",
    "git update-ref $REFS/start HEAD",
    "git update-ref -d $REFS/begin-$i",
    "rm -rf .git/ultra",
    "rm -f $PROGRESS",
    "set_progress \"v['steps']['$i'].update(status='completed', attempts=1)\" 2>/dev/null",
    "printf '#!/bin/sh\\necho more >> README.md; git add README.md\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit",
    "git config core.ignoreCase true",
    "git config core.symlinks false",
    "git config core.fsmonitor true; git update-index --fsmonitor 2>/dev/null",
    "git config core.fsmonitor /bin/true; git update-index --fsmonitor 2>/dev/null",
    "git config status.showUntrackedFiles no",
    "git config diff.x.textconv 'echo same'; mkdir -p .git/info; echo '*.txt diff=x' > .git/info/attributes",
    "git update-index --split-index; git update-index --index-version 4",
    "git config index.sparse true; git config core.untrackedCache keep",
    "git gc -q --prune=now 2>/dev/null",
    "git pack-refs --all --prune; git commit-graph write --reachable 2>/dev/null",
    "git rev-parse HEAD > .git/shallow",
    "rm -f .git/shallow",
    "git notes add -f -m note 2>/dev/null; git tag -f HEAD 2>/dev/null",
    "git init -q src 2>/dev/null",
    "rm -rf src/.git",
    "git worktree add -qf --detach src/inner 2>/dev/null",
    "git worktree remove --force src/inner 2>/dev/null",
    'ln -f src/zero.txt "src/$n.txt"',
    'printf "part $n\r\n" > "src/$n.txt"',
    'touch -d 2001-01-01 "src/$n.txt" tests/check.sh',
    "mkdir -p build; touch build/pass; echo build/pass > .worktreeinclude",
    "printf 'setup: mkdir -p build && touch build/pass\\n' > .claude/ultra.yaml",
    "mkdir -p node_modules build; ln -sfn ../build node_modules/build; touch build/pass",
    "git bisect start -q HEAD $START 2>/dev/null; git bisect reset -q 2>/dev/null",
    "git checkout -q --detach; git branch -qf main; git checkout -q main",
    "git cherry-pick -q --allow-empty HEAD >/dev/null 2>&1 || git cherry-pick --abort 2>/dev/null",
    "ultra run abort; resume",
    "resume",
    "export BASH_ENV=$PWD/.git/info/exclude",
    "grep() { return 0; }; export -f grep",
    "unset -f grep; unset BASH_ENV",
)  # fmt: skip


@st.composite
def runs(draw: st.DrawFn) -> Attack:
    """Return a plan of one to three steps, and a run of it with a few twists in between."""
    count = draw(st.integers(1, len(NAMES)))
    parts, lines = [], ["mkdir -p .git/hooks", "start"]
    for number, name in enumerate(NAMES[:count], 1):
        shared = draw(st.booleans()) and number > 1
        files = (f"src/{name}.txt", *((f"src/{NAMES[number - 2]}.txt",) if shared else ()))
        parts.append(
            Part(
                number, files, f"sh tests/check.sh {name}", expected=(f"src/{name}.txt",),
                on_failure=draw(st.sampled_from(["revert", "skip", "retry"])),
            )
        )  # fmt: skip
        word = draw(st.sampled_from([f"part {name}"] * 3 + ["nothing"]))
        calls = [f"ultra step begin {number}", f"echo {word} > src/{name}.txt", f"ultra step verify {number}",
                 f"ultra step commit {number}"]  # fmt: skip
        lines.append(f"n={name}; i={number}")
        for call in calls:
            lines.append(draw(st.sampled_from([""] * 6 + list(TWISTS))))
            lines.append(call)
    lines += [draw(st.sampled_from([""] * 4 + list(TWISTS))), "finish"]
    verification = draw(st.sampled_from(["", " && ".join(part.verify for part in parts)]))
    return Attack(
        "random", "\n".join(line for line in lines if line) + "\n", parts=parts, verification=verification
    )


@pytest.mark.parametrize("share", range(SHARES))
def test_completed_is_never_claimed_for_what_a_clone_denies(
    share: int, bundle: Path, python: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lasting, claimed = Lasting(f"random runs, part {share + 1} of {SHARES}", EXAMPLES, capsys), [0]

    @seed(random_seed() + share)
    @settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
    @given(runs())
    def check(attack: Attack) -> None:
        with tempfile.TemporaryDirectory() as folder:
            fought = fight(attack, Path(folder), bundle, python)
        claimed[0] += fought.claims
        lasting.count(f" ({claimed[0]} completed)")
        if fought.claims:
            assert not fought.faults, (attack.script, fought.faults, fought.said)

    check()
