"""History rewritten around the steps: amend, merge, revert, replace, graft, reset."""

from tests.attacks.arena import ONE, Attack
from tests.attacks.oracle import Part

# Both may edit the file of step 1; their Verify says nothing about it.
TWO = Part(2, ("src/two.txt", "src/one.txt"), "sh tests/check.sh two", expected=("src/two.txt",))
THREE = Part(3, ("src/three.txt", "src/one.txt"), "sh tests/check.sh three", expected=("src/three.txt",))

ATTACKS = [
    Attack("the last commit amended with other content", """\
start; good 1 one; good 2 two
echo nothing > src/two.txt; git commit -qa --amend --no-edit; finish
"""),
    Attack("a file amended into the last commit", """\
start; good 1 one; good 2 two
echo more >> README.md; git commit -qa --amend --no-edit; finish
"""),
    Attack("a file amended out of the last commit", """\
start; good 1 one; good 2 two
git rm -q --cached src/two.txt; git commit -q --amend --no-edit --allow-empty; finish
"""),
    Attack("step 1 amended before step 2", """\
start; good 1 one; echo more >> README.md; git commit -qa --amend --no-edit
good 2 two; finish
"""),
    Attack("a branch with other changes merged between the steps", """\
git branch other; start; good 1 one
git checkout -q other; echo more >> README.md; git commit -qam more; git checkout -q main
git merge -q --no-ff -m merge other; good 2 two; finish
"""),
    Attack("a branch that weakens the tests merged between the steps", """\
git branch other; start; good 1 one
git checkout -q other; echo true > tests/check.sh; git commit -qam more; git checkout -q main
git merge -q --no-ff -m merge other; bad 2 two; finish
"""),
    Attack("a branch merged after the last step", """\
git branch other; start; good 1 one; good 2 two
git checkout -q other; echo more >> README.md; git commit -qam more; git checkout -q main
git merge -q --no-ff -m merge other; finish
"""),
    Attack("a merge that itself changes a file", """\
git branch other; start; good 1 one
git checkout -q other; git commit -q --allow-empty -m more; git checkout -q main
git merge -q --no-ff --no-commit other; echo true > tests/check.sh; git add tests; git commit -qm merge
bad 2 two; finish
"""),
    Attack("step 1 reverted after step 2", """\
start; good 1 one; good 2 two; git revert --no-edit HEAD~1 >/dev/null; finish
"""),
    Attack("step 1 reverted by a merge that keeps ours", """\
start; good 1 one; good 2 two; git checkout -q -b old $START; git commit -q --allow-empty -m x
git merge -q -s ours -m "merge" main; git checkout -q main; git merge -q old; finish
"""),
    Attack("the file of step 1 spoiled by hand after step 2 has removed it and step 3 has made it again", """\
start; good 1 one; ultra step begin 2; git rm -q src/one.txt; echo part two > src/two.txt; ultra step verify 2; ultra step commit 2
ultra step begin 3; echo part one > src/one.txt; echo part three > src/three.txt; ultra step verify 3; ultra step commit 3
echo nothing > src/one.txt; git commit -qam "chore: more"; finish
""", parts=(ONE, TWO, THREE), verification="", says="step 1: must_contain"),
    Attack("a replace ref shows another commit of step 2", """\
start; good 1 one; ultra step begin 2; echo nothing > src/two.txt; git add src/two.txt
git commit -qm "feat: part 2"; bad=$(git rev-parse HEAD)
echo part two > src/two.txt; git add src/two.txt; git commit -q --amend --no-edit; good=$(git rev-parse HEAD)
git reset -q --hard $bad; git replace $bad $good; git update-ref $REFS/step-2 $bad; git reset -q --hard; finish
"""),
    Attack("a replace ref for the blob of a file", """\
start; good 1 one; bad=$(echo nothing | git hash-object -w --stdin); good=$(echo part two | git hash-object -w --stdin)
git replace $bad $good; bad 2 two; finish
"""),
    Attack("a replace ref hides the change of a test", """\
start; old=$(git rev-parse HEAD:tests/check.sh); new=$(echo true | git hash-object -w --stdin)
git replace $old $new; git checkout -q -- tests/check.sh; rm tests/check.sh; git checkout -q -- tests/check.sh
bad 1 one; bad 2 two; finish
"""),
    Attack("a graft cuts a stray commit off", """\
start; echo true > tests/check.sh; git commit -qam "chore: simplify"
mkdir -p .git/info; git rev-parse HEAD > .git/info/grafts; bad 1 one; bad 2 two; finish
"""),
    Attack("a shallow file cuts a stray commit off", """\
start; echo true > tests/check.sh; git commit -qam "chore: simplify"
git rev-parse HEAD > .git/shallow; bad 1 one; bad 2 two; finish
"""),
    Attack("reset --hard after the end", """\
start; good 1 one; good 2 two; finish >/dev/null; git reset -q --hard $START
"""),
    Attack("reset --hard between the steps", """\
start; good 1 one; git reset -q --hard $START; good 2 two; finish
"""),
    Attack("another branch checked out between the steps", """\
git branch other; start; good 1 one; git checkout -q other; good 2 two; finish
"""),
    Attack("another branch checked out before the end", """\
git branch other; start; good 1 one; good 2 two; git checkout -q other; finish
"""),
    Attack("commits in another order, one of them dropped", """\
start; good 1 one; good 2 two; two=$(git rev-parse HEAD)
git reset -q --hard $START; git cherry-pick $two >/dev/null; finish
"""),
    Attack("an orphan branch", """\
start; good 1 one; git checkout -q --orphan fresh; git rm -rfq --cached .; git add src tests; git commit -qm fresh
good 2 two; finish
"""),
    Attack("HEAD moved before a resume", """\
start; good 1 one; ultra run abort; git reset -q --hard $START; resume; good 2 two; finish
"""),
]  # fmt: skip
