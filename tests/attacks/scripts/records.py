"""Records that somebody else wrote: refs, progress, the files in the git dir, the plan."""

from tests.attacks.arena import ONE, TWO, Attack
from tests.attacks.oracle import Part

# The record of the step in progress says that what is in src has passed.
PASSED = """\
python3 - <<'END'
import json, subprocess
path = ".git/ultra/2026-01-31-greet/step.json"
values = json.load(open(path))
subprocess.run(["git", "add", "-A", "src"]); values["verified"] = subprocess.check_output(["git", "write-tree"], text=True).strip()
json.dump(values, open(path, "w"))
END
"""
SKIPS = Part(2, TWO.files, TWO.verify, on_failure="skip")

ATTACKS = [
    Attack("refs of both steps written by hand", """\
start
git commit -q --allow-empty -m "feat: part 1"; git update-ref $REFS/step-1 HEAD
git commit -q --allow-empty -m "feat: part 2"; git update-ref $REFS/step-2 HEAD
finish
"""),
    Attack("the ref of the second step written by hand", """\
start; good 1 one
git update-ref $REFS/begin-2 HEAD; git commit -q --allow-empty -m "feat: part 2"; git update-ref $REFS/step-2 HEAD
finish
"""),
    Attack("a skip written by hand", """\
start; good 1 one; git update-ref $REFS/skip-2 HEAD; finish
"""),
    Attack("a skip written by hand for a step that may be skipped", """\
start; good 1 one; git update-ref $REFS/skip-2 HEAD; finish
""", parts=(ONE, SKIPS)),
    Attack("the start moved over a stray commit", """\
start; echo true > tests/check.sh; git commit -qam "chore: simplify"
git update-ref $REFS/start HEAD
bad 1 one; bad 2 two; finish
"""),
    Attack("a stray commit called a chore of the run", """\
start; echo true > tests/check.sh; git commit -qam "chore: simplify"
git update-ref $REFS/chore-1 HEAD; git update-ref $REFS/chore HEAD
bad 1 one; bad 2 two; finish
"""),
    Attack("the end moved back over a stray commit", """\
start; good 1 one; good 2 two; echo more >> README.md; git commit -qam more
finish; git update-ref $REFS/end HEAD~1
"""),
    Attack("all refs written by hand without a run", """\
git update-ref $REFS/start HEAD
git commit -q --allow-empty -m "feat: part 1"; git update-ref $REFS/step-1 HEAD
git commit -q --allow-empty -m "feat: part 2"; git update-ref $REFS/step-2 HEAD
git update-ref $REFS/end HEAD; git update-ref $REFS/plan $(git hash-object -w $PLAN)
"""),
    Attack("a symbolic ref in place of a step's", """\
start; good 1 one; git symbolic-ref $REFS/step-2 refs/heads/main; finish
"""),
    Attack("progress edited to completed", """\
start
set_progress "v['status']='completed'; [s.update(status='completed') for s in v['steps'].values()]"
finish
"""),
    Attack("progress edited after an abort", """\
start; good 1 one; ultra run abort
set_progress "v['status']='completed'; [s.update(status='completed') for s in v['steps'].values()]"
resume; finish
"""),
    Attack("progress edited before a resume, refs deleted", """\
start; good 1 one; ultra run abort
set_progress "c=v['steps']['1']['commit']; v['steps']['2'].update(status='completed', attempts=1, commit=c, start_commit=c)"
git for-each-ref --format='delete %(refname)' refs/ultra | git update-ref --stdin
resume; finish
"""),
    Attack("a progress file written before there was a run", """\
start; ultra run abort
git for-each-ref --format='delete %(refname)' refs/ultra | git update-ref --stdin; rm -r .git/ultra
set_progress "h='$START'; [s.update(status='completed', attempts=1, commit=h, start_commit=h) for s in v['steps'].values()]"
resume; finish
"""),
    Attack("the final status edited after a partial run", """\
start; good 1 one; git commit -q --allow-empty -m x; echo more >> README.md; git commit -qam more; good 2 two; finish
set_progress "v['status']='completed'"
"""),
    Attack("the record of the step says that it passed", """\
start; ultra step begin 1; echo nothing > src/one.txt; ultra step verify 1
python3 - <<'END'
import json, subprocess, glob
path = ".git/ultra/2026-01-31-greet/step.json"
values = json.load(open(path))
subprocess.run(["git", "add", "-A"]); tree = subprocess.check_output(["git", "write-tree"], text=True).strip()
values["verified"] = tree; json.dump(values, open(path, "w"))
END
ultra step commit 1; good 2 two; finish
"""),
    Attack("the record of the step begins later than it did", """\
start; ultra step begin 1; echo true > tests/check.sh; git commit -qam "chore: simplify"
python3 - <<'END'
import json, subprocess
path = ".git/ultra/2026-01-31-greet/step.json"
values = json.load(open(path))
values["start"] = subprocess.check_output(["git", "rev-parse", "HEAD"], text=True).strip()
values["tree"] = subprocess.check_output(["git", "rev-parse", "HEAD^{tree}"], text=True).strip()
json.dump(values, open(path, "w"))
END
echo nothing > src/one.txt; ultra step verify 1; ultra step commit 1; bad 2 two; finish
"""),
    Attack("a record of a step written before there was a run", """\
mkdir -p $OWN; tree=$(git rev-parse HEAD^{tree})
echo "{\\"number\\": 1, \\"start\\": \\"$START\\", \\"tree\\": \\"$tree\\", \\"attempts\\": 0, \\"verified\\": \\"$tree\\", \\"artefacts\\": [], \\"commit\\": null}" > $OWN/step.json
start; ultra step commit 1; good 2 two; finish
""", says="step 1 has not begun"),
    Attack("the record of the step edited after an abort, before a resume", """\
start; good 1 one; ultra step begin 2; echo nothing > src/two.txt; ultra step verify 2; ultra run abort
""" + PASSED + """\
resume; ultra step commit 2; finish
""", says="the record of the step in progress was not written by the runtime"),
    Attack("the record of a step that had passed put back before a resume", """\
start; ultra step begin 1; echo part one > src/one.txt; ultra step verify 1; cp $OWN/step.json ../step.json
echo nothing > src/one.txt; ultra step verify 1; ultra run abort; cp ../step.json $OWN/step.json
resume; ultra step commit 1; good 2 two; finish
""", says="the record of the step in progress was not written by the runtime"),
    Attack("progress edited between two steps", """\
start; good 1 one
set_progress "v['steps']['2'].update(status='completed', attempts=1, commit=v['steps']['1']['commit'])"; finish
""", says="step 2 is not done"),
    Attack("weaker drafts of the plan before the run, after an abort and before a resume", """\
sed 's/sh tests.check.sh [a-z]*/true/g' $PLAN > $PLAN.draft; start; bad 1 one; ultra run abort
cp $PLAN.draft $PROJECT/plan.draft; resume; ultra step verify 1; ultra step commit 1; finish
"""),
    Attack("the plan replaced by a weaker one with the verb that writes it", """\
sed 's/sh tests.check.sh [a-z]*/true/g' $PLAN > ../weaker; start; good 1 one
ultra put plan --project $PROJECT --from ../weaker; bad 2 two; finish
""", says="plan.md is in use by the run in progress"),
    Attack("the lock says that the run is over", """\
start; good 1 one; rm -f .git/ultra/run.json; finish
"""),
    Attack("the plan weakened under way", """\
start; good 1 one
sed -i 's/sh tests.check.sh two/true/' $PLAN; bad 2 two; finish
"""),
    Attack("the plan weakened under way, and its digest with it", """\
start; good 1 one
sed -i 's/sh tests.check.sh two/true/' $PLAN
sed -i "s/\\"digest\\": *\\"[0-9a-f]*\\"/\\"digest\\": \\"$(sha256sum < $PLAN | cut -c1-64)\\"/" .git/ultra/run.json
bad 2 two; finish
"""),
    Attack("the plan, its digest and its ref weakened under way", """\
start; good 1 one
sed -i 's/sh tests.check.sh two/true/' $PLAN
sed -i "s/\\"digest\\": *\\"[0-9a-f]*\\"/\\"digest\\": \\"$(sha256sum < $PLAN | cut -c1-64)\\"/" .git/ultra/run.json
git update-ref $REFS/plan $(git hash-object -w $PLAN)
bad 2 two; finish
""", verification=""),
    Attack("the plan weakened during the last step and put back", """\
start; good 1 one; ultra step begin 2; echo nothing > src/two.txt; cp $PLAN ../plan
sed -i 's/sh tests.check.sh two/true/' $PLAN; ultra step verify 2; cp ../plan $PLAN
ultra step commit 2; finish
"""),
    Attack("a run of another session taken over by a made-up id", """\
start; good 1 one
CLAUDE_CODE_SESSION_ID=ghost; export CLAUDE_CODE_SESSION_ID
bad 2 two; finish
""", says="session"),
    Attack("the logs rewritten to show a pass", """\
start; good 1 one; bad 2 two
sed -i 's/exit status 1/exit status 0/' $PROJECT/logs/*.log; ultra step commit 2; finish
"""),
]  # fmt: skip
