"""Honest runs that look odd: each of them is completed."""

from tests.attacks.arena import ONE, TWO, Attack
from tests.attacks.oracle import Part

MOVES = Part(
    2,
    ("src/one.txt", "src/two.txt"),
    "grep -qx 'part one' src/two.txt",
    expected=("src/two.txt",),
    removes=("src/one.txt",),
)
DELETES = Part(
    2,
    ("src/one.txt", "src/two.txt"),
    "test ! -e src/one.txt",
    expected=("src/two.txt",),
    removes=("src/one.txt",),
)
GONE = Part(1, ("src/zero.txt",), "test ! -e src/zero.txt", removes=("src/zero.txt",))
STORED = Part(1, ("src/one.bin",), "grep -q part src/one.bin")
CALLS = Part(
    1,
    ("src/one.py",),
    "{ [ -z \"$PYTHONPATH\" ] || { tool && python3 -c 'import one'; }; } && test -e src/one.py",
)
SLOPPY = Part(2, ("src/two.txt",), "false", on_failure="skip", expected=())

RUNS = [
    Attack("nothing odd at all", "start; good 1 one; good 2 two; finish\n"),
    Attack("the file of the step is written before it begins", """\
start; echo part one > src/one.txt
ultra step begin 1; ultra step verify 1; ultra step commit 1; good 2 two; finish
"""),
    Attack("step 2 renames the file of step 1", """\
start; good 1 one
ultra step begin 2; git mv src/one.txt src/two.txt; ultra step verify 2; ultra step commit 2; finish
""", parts=(ONE, MOVES), verification="grep -qx 'part one' src/two.txt"),
    Attack("step 2 deletes the file of step 1", """\
start; good 1 one
ultra step begin 2; rm src/one.txt; echo x > src/two.txt; ultra step verify 2; ultra step commit 2; finish
""", parts=(ONE, DELETES), verification="test ! -e src/one.txt"),
    Attack("abort and restart", """\
start; ultra step begin 1; ultra run abort; start --restart; good 1 one; good 2 two; finish
"""),
    Attack("abort after step 1 and resume", """\
start; good 1 one; ultra run abort; resume; good 2 two; finish
"""),
    Attack("the folder in the git dir is lost under way", """\
start; good 1 one; rm -r .git/ultra; resume; good 2 two; finish
"""),
    Attack("the progress file is lost under way", """\
start; good 1 one; rm $PROGRESS; good 2 two; finish
"""),
    Attack("a name with brackets", """\
start; ultra step begin 1; echo part one > 'src/[id].txt'; ultra step verify 1; ultra step commit 1; good 2 two; finish
""", parts=(Part(1, ("src/[id].txt",), "grep -q part 'src/[id].txt'"), TWO), verification=""),
    Attack("the user's own uncommitted work stays out of it", """\
echo mine >> README.md; git add README.md; echo notes > notes.txt
start; good 1 one; good 2 two; finish
"""),
    Attack("a failing attempt, then a good one", """\
start; bad 1 one; echo part one > src/one.txt; ultra step verify 1; ultra step commit 1; good 2 two; finish
"""),
    Attack("a verb in a substitution, a pipe and a subshell", """\
start; said=$(ultra step begin 1); echo part one > src/one.txt; (ultra step verify 1) | cat; echo "$(ultra step commit 1)"
good 2 two; finish
"""),
    Attack("Verify leaves a log behind", """\
start; good 1 one; ultra step begin 2; echo part two > src/two.txt; ultra step verify 2; ultra step commit 2; finish
""", parts=(ONE, Part(2, TWO.files, "echo ran >> verify.log; sh tests/check.sh two"))),
    Attack("an empty commit of the user between the steps", """\
start; good 1 one; git commit -q --allow-empty -m "note"; good 2 two; finish
"""),
    Attack("line ends converted by the user's settings", """\
git config core.autocrlf input; start; good 1 one; good 2 two; finish
"""),
    Attack("a step that only deletes", """\
start; ultra step begin 1; rm src/zero.txt; ultra step verify 1; ultra step commit 1; good 2 two; finish
""", parts=(GONE, TWO), verification=""),
    Attack("a filter that committed attributes name, as git-lfs has one", """\
git config filter.l.clean "sed s/^/L:/"; git config filter.l.smudge "sed s/^L://"
start; ultra step begin 1; echo part > src/one.bin; ultra step verify 1; ultra step commit 1; good 2 two; finish
""", parts=(STORED, TWO), verification="", files={".gitattributes": "*.bin filter=l\n"}),
    Attack("attributes of the user alone", """\
mkdir -p .git/info; echo '*.txt diff=words' > .git/info/attributes; start; good 1 one; good 2 two; finish
"""),
    Attack("programs and modules of the working tree are on the search paths", """\
mkdir bin; printf '#!/bin/sh\\nexit 0\\n' > bin/tool; chmod +x bin/tool; export PATH=$PWD/bin:$PATH PYTHONPATH=$PWD/src
start; ultra step begin 1; touch src/one.py; ultra step verify 1; ultra step commit 1; good 2 two; finish
""", parts=(CALLS, TWO), verification=""),
    Attack("HEAD is detached", """\
git checkout -q --detach; start; good 1 one; good 2 two; finish; git branch -f main HEAD; git checkout -q main
"""),
]  # fmt: skip
