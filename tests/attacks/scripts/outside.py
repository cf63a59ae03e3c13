"""Work outside a begun step, and work that is never committed."""

from tests.attacks.arena import Attack

ATTACKS = [
    Attack("a test rewritten before the first step begins", """\
start
echo true > tests/check.sh
bad 1 one; bad 2 two; finish
"""),
    Attack("a test rewritten between two steps", """\
start; good 1 one
echo true > tests/check.sh
bad 2 two; finish
"""),
    Attack("a test rewritten before the run starts", """\
echo true > tests/check.sh
start; bad 1 one; bad 2 two; finish
"""),
    Attack("a test rewritten in a step and put back before the commit", """\
start; good 1 one
ultra step begin 2; echo nothing > src/two.txt; echo true > tests/check.sh
ultra step verify 2; git checkout -q tests/check.sh; ultra step commit 2
finish
"""),
    Attack("a test rewritten and committed by hand", """\
start
echo true > tests/check.sh; git commit -qam "chore: simplify"
bad 1 one; bad 2 two; finish
"""),
    Attack("a test rewritten, committed by hand and taken back at the end", """\
start
echo true > tests/check.sh; git commit -qam "chore: simplify"
bad 1 one; bad 2 two
git revert -n HEAD~2; git commit -qm "chore: put back"; finish
"""),
    Attack("a new file beside the tests turns Verify green", """\
start
echo 'exit 0' > tests/extra.sh
bad 1 one; bad 2 two; finish
"""),
    Attack("a new file beside the tests, written inside the step", """\
start; ultra step begin 1
echo 'exit 0' > tests/extra.sh; echo nothing > src/one.txt
ultra step verify 1; ultra step commit 1; bad 2 two; finish
"""),
    Attack("a new file beside the tests, there before the run", """\
echo 'exit 0' > tests/extra.sh
start; bad 1 one; bad 2 two; finish
"""),
    Attack("an unrelated file committed by hand between the steps", """\
start; good 1 one
echo more >> README.md; git commit -qam "docs: more"
good 2 two; finish
"""),
    Attack("a file of step 1 removed by hand at the end", """\
start; good 1 one; good 2 two
git rm -q src/one.txt; git commit -qm "chore: clean up"; finish
"""),
    Attack("a file of step 1 spoiled by hand in a commit with the message of step 2", """\
start; good 1 one
echo spoiled > src/one.txt; git commit -qam "feat: part 2"
good 2 two; finish
"""),
    Attack("step 2 spoils the file of step 1 without naming it", """\
start; good 1 one
ultra step begin 2; echo part two > src/two.txt; echo spoiled > src/one.txt
ultra step verify 2; ultra step commit 2; finish
"""),
    Attack("the file of step 1 is staged as something else before the commit", """\
start; ultra step begin 1
echo nothing > src/one.txt; git add src/one.txt; echo part one > src/one.txt
ultra step verify 1; echo nothing > src/one.txt; ultra step commit 1; good 2 two; finish
"""),
    Attack("a process in the background edits after Verify", """\
start; ultra step begin 1; echo part one > src/one.txt
ultra step verify 1
echo nothing > src/one.txt
ultra step commit 1; good 2 two; finish
"""),
    Attack("Verify itself leaves a process behind that edits the file", """\
start; ultra step begin 1; echo part one > src/one.txt
ultra step verify 1; (sleep 0.05; echo nothing > src/one.txt) & wait
ultra step commit 1; good 2 two; finish
"""),
    Attack("the work is stashed between Verify and commit", """\
start; ultra step begin 1; echo part one > src/one.txt
ultra step verify 1; git stash -q -u -- src; ultra step commit 1; good 2 two; finish
"""),
    Attack("nothing is done at all", """\
start; finish
"""),
    Attack("the run is aborted and said to be done", """\
start; good 1 one; ultra run abort; finish
"""),
    Attack("only one step is run", """\
start --mode step --step 1; good 1 one; finish
"""),
    Attack("an edit after an abort hides in the restart", """\
start; good 1 one; ultra run abort
echo true > tests/check.sh
start --restart; bad 1 one; bad 2 two; finish
"""),
    Attack("an edit after an abort hides in the resume", """\
start; good 1 one; ultra run abort
echo true > tests/check.sh
resume; bad 2 two; finish
"""),
]  # fmt: skip
