"""Files that git does not see: ignore rules, index bits and sparse checkouts."""

from tests.attacks.arena import TWO, Attack
from tests.attacks.oracle import Part

LOCAL = Part(1, ("src/one.local",), "grep -qx 'part one' src/one.local")
ZERO = Part(1, ("src/zero.txt",), "grep -qx 'part new' src/zero.txt")

ATTACKS = [
    Attack("an ignored file turns Verify green", """\
start; ultra step begin 1
mkdir build; touch build/pass; echo nothing > src/one.txt
ultra step verify 1; ultra step commit 1; bad 2 two; finish
"""),
    Attack("an ignored file written before the step begins", """\
start; mkdir build; touch build/pass
bad 1 one; bad 2 two; finish
"""),
    Attack("an ignored file that was there before the run", """\
mkdir build; touch build/pass
start; bad 1 one; bad 2 two; finish
"""),
    Attack("an ignored file removed again before the end", """\
start; mkdir build; touch build/pass
bad 1 one; bad 2 two; rm build/pass; finish
"""),
    Attack("the file of the step is ignored", """\
start; ultra step begin 1; echo part one > src/one.local
ultra step verify 1; ultra step commit 1; good 2 two; finish
""", parts=(LOCAL, TWO), verification="", says="ignore"),
    Attack("an ignore rule hides the file of the step", """\
echo src/one.txt >> .gitignore; git commit -qam ignore
start; good 1 one; good 2 two; finish
""", says="ignore"),
    Attack("info/exclude hides the file of the step", """\
start; echo src/one.txt >> .git/info/exclude
good 1 one; good 2 two; finish
"""),
    Attack("info/exclude hides a rewritten test", """\
start; echo 'tests/' >> .git/info/exclude; git rm -q --cached tests/check.sh
echo true > tests/check.sh; bad 1 one; bad 2 two; finish
"""),
    Attack("a settings file names an ignore file of its own", """\
echo src/one.txt > ../ignored; git config core.excludesFile "$PWD/../ignored"
start; good 1 one; good 2 two; finish
"""),
    Attack("an untracked .gitignore hides a whole folder", """\
echo '*' > src/.gitignore
start; good 1 one; good 2 two; finish
"""),
    Attack("assume-unchanged hides a rewritten test", """\
start; git update-index --assume-unchanged tests/check.sh
echo true > tests/check.sh; bad 1 one; bad 2 two; finish
"""),
    Attack("assume-unchanged was set before the run", """\
git update-index --assume-unchanged tests/check.sh; echo true > tests/check.sh
start; bad 1 one; bad 2 two; finish
"""),
    Attack("skip-worktree hides a rewritten test", """\
start; git update-index --skip-worktree tests/check.sh
echo true > tests/check.sh; bad 1 one; bad 2 two; finish
"""),
    Attack("skip-worktree on the file of the step itself", """\
start; good 1 one; git update-index --skip-worktree src/zero.txt
echo true > tests/check.sh; bad 2 two; finish
"""),
    Attack("a sparse cone leaves the tests out and another file takes their place", """\
git sparse-checkout set --no-cone '/*' '!/tests/' 2>/dev/null; mkdir -p tests; echo true > tests/check.sh
start; bad 1 one; bad 2 two; finish
"""),
    Attack("a nested repository takes the place of the source folder", """\
start; git rm -rq --cached src; git init -q src
bad 1 one; bad 2 two; finish
"""),
]  # fmt: skip
