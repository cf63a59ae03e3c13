"""One command of the proof does something in the checkout that lets the next one pass; no commit has it.

And what the checkout gets by names that are easily overlooked: among other words, of large files, of very many.
"""

from tests.attacks.arena import Attack
from tests.attacks.oracle import Part

# An ignored file tells the user's tree from the checkout.
HERE = "test -e build/here"
BOTH_DONE = "mkdir build; touch build/here; start; good 1 one; good 2 two; finish\n"


def pair(first: str, second: str) -> tuple[Part, Part]:
    """Return two steps whose Verify does something in the checkout alone."""
    return (
        Part(1, ("src/one.txt",), f"{HERE} || {{ {first}; }}"),
        Part(2, ("src/two.txt",), f"{HERE} || {second}"),
    )


ATTACKS = [
    Attack("a mark in the index of the checkout hides an edit from the next command", BOTH_DONE,
           parts=pair("git update-index --skip-worktree src/zero.txt; echo ok > src/zero.txt", "grep -qx ok src/zero.txt"),
           verification=""),
    Attack("line ends that git converts are changed for the next command", BOTH_DONE,
           parts=pair("sed -i 's/$/\\r/' src/zero.txt", "grep -q $'\\r' src/zero.txt"),
           verification="", files={".gitattributes": "* text=auto\n"}),
    Attack("a commit in the checkout for the next command", BOTH_DONE,
           parts=pair("git commit -q --allow-empty -m checked", "git log --format=%s | grep -qx checked"), verification=""),
    Attack("a setting in the checkout for the next command", BOTH_DONE,
           parts=pair("git config alias.checked '!true'", "git checked"), verification=""),
    Attack("a file that the setup has changed is changed again for the next command", """\
echo 'setup: echo more >> src/zero.txt' > .claude/ultra.yaml
""" + BOTH_DONE, parts=pair("echo ok > src/zero.txt", "grep -qx ok src/zero.txt"), verification=""),
    Attack("a setting lets git overlook what is changed for the next command", "git config core.ignoreStat true\n" + BOTH_DONE,
           parts=pair("echo ok > src/zero.txt", "grep -qx ok src/zero.txt"), verification=""),
    Attack("a mode that git is told to overlook is set for the next command", """\
git config core.fileMode false; start; ultra step begin 1; printf '#!/bin/sh\\n' > src/run.sh; ultra step verify 1
ultra step commit 1; good 2 two; finish
""", parts=(Part(1, ("src/run.sh",), "chmod +x src/run.sh"), Part(2, ("src/two.txt",), "./src/run.sh")), verification=""),
    Attack("a file that a variable names among other words is edited during the run", """\
echo "grep -qx 'part one' src/one.txt" > check.local; export CHECK="-e $PWD/check.local"; start
echo true > check.local; bad 1 one; finish
""", parts=(Part(1, ("src/one.txt",), 'test -n "$CHECK" && sh $CHECK'),), verification="", says="dependencies.*check.local"),
    Attack("a large file that .worktreeinclude names is edited and keeps its size", """\
mkdir build; head -c 300000 /dev/zero > build/data; echo build/ > .worktreeinclude; start
printf pass | dd of=build/data conv=notrunc status=none; bad 1 one; finish
""", parts=(Part(1, ("src/one.txt",), "head -c 4 build/data | grep -q pass"),), verification="", says="dependencies.*build/data"),
    Attack("the last of very many files that .worktreeinclude names is edited", """\
mkdir build; seq -f build/%g 10000 15100 | xargs touch; echo build/ > .worktreeinclude; start
echo pass > build/15100; bad 1 one; finish
""", parts=(Part(1, ("src/one.txt",), "grep -q pass build/15100"),), verification="", says="dependencies.*the rest of what"),
    Attack("a checkout below the tree, from where tools that look upwards find what is not committed", """\
mkdir build; export TMPDIR=$PWD/build; start; touch found.local; bad 1 one; finish
""", parts=(Part(1, ("src/one.txt",), "d=$PWD; until [ -e $d/found.local ]; do [ $d != / ] || exit 1; d=$(dirname $d); done"),),
           verification=""),
]  # fmt: skip
