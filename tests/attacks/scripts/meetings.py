"""Honest runs in which two rules meet: a name and a word of git, an index in pieces and a second one, a file and a folder."""

from tests.attacks.arena import Attack
from tests.attacks.oracle import Part

ENDS = Part(1, ("src/one.txt",), "grep -q one src/one.txt", contains=(("src/one.txt", "^part one$"),))
SCRIPT = Part(2, ("src/two.sh",), "test -s src/two.sh")
FILE = Part(1, ("src/x",), "test -e src/x")
FOLDER = Part(2, ("src/x", "src/x/y"), "test -f src/x/y", expected=("src/x/y",), removes=("src/x",))

PRINTED = (Part(1, ("src/one.txt",), "cat src/one.txt"), Part(2, ("src/one.txt",), "cat src/one.txt"))
KEYWORD = Part(1, ("src/one.txt",), "grep -qx 'part one' src/one.txt")
SCRIPTS = Part(2, ("src/two.sh", "src/three.sh"), "bash src/two.sh && test -s src/three.sh")

RUNS = [
    Attack("a file that is called HEAD", """\
start; good 1 one; ultra step begin 2; echo nothing > src/two.txt; for _ in 1 2 3; do ultra step verify 2; done
resume; good 2 two; finish; ultra step rescue 2 src/two.txt
""", files={"HEAD": "x\n"}, says='git show refs/ultra/rescue'),
    Attack("an index in two pieces, of which git removes the unused one at once", """\
git config core.splitIndex true; git config splitIndex.sharedIndexExpire now; git config splitIndex.maxPercentChange 0
git update-index --split-index; echo mine >> README.md; git add README.md; git diff --cached > ../before
start; touch $OWN/before-index.lock $OWN/index-of-command.lock  # of a killed call
good 1 one; ultra step begin 2; echo x >> Makefile; git add Makefile; echo bad > src/two.txt
for _ in 1 2 3; do ultra step verify 2; done; git diff --cached | cmp - ../before && echo "the index is as it was"
resume; good 2 two; finish
""", says="the index is as it was"),
    Attack("a hook formats the file, the call is killed after its commit, and a gc takes what was to be committed", """\
cd .git/hooks; printf '#!/bin/sh\\necho formatted >> src/one.txt; git add src/one.txt\\n' > pre-commit
printf '#!/bin/sh\\nkill -9 $(cut -d" " -f4 /proc/$PPID/stat)\\n' > post-commit; chmod +x p*-commit; cd ../..
start; good 1 one; rm .git/hooks/p*-commit; git gc -q --prune=now
good 2 two; finish; git status --short -uno | cmp - /dev/null && echo "nothing is staged"
""", says="nothing is staged"),
    Attack("line ends that git converts, and patterns and scripts that do not expect them", """\
start; ultra step begin 1; printf 'part one\\r\\n' > src/one.txt; ultra step verify 1; ultra step commit 1
ultra step begin 2; printf 'if true\\r\\nthen :\\r\\nfi\\r\\n' > src/two.sh; ultra step verify 2; ultra step commit 2; finish
""", parts=(ENDS, SCRIPT), verification="", files={".gitattributes": "src/* text eol=crlf\n"}),
    Attack("a step makes a folder of the file of an earlier step", """\
start; ultra step begin 1; echo x > src/x; ultra step verify 1; ultra step commit 1
ultra step begin 2; rm src/x; mkdir src/x; echo y > src/x/y; ultra step verify 2; ultra step commit 2; finish
""", parts=(FILE, FOLDER), verification=""),
    Attack("one command, from which two steps expect different texts", """\
sed -i 's/\\*\\*Verify.*/& \u2192 expected: `part one`/; /Step 2/,$s/`part one`/`part two`/' $PLAN; start; good 1 one
ultra step begin 2; echo part two > src/one.txt; ultra step verify 2; ultra step commit 2; finish
""", parts=PRINTED, verification="", says="step 2 changed its files afterwards"),
    Attack("a keyword that names the old object, and scripts that bash reads only when it runs them, or not at all", """\
rm src/one.txt; git checkout -q src/one.txt; start; ultra step begin 1; echo part one >> src/one.txt; ultra step verify 1; ultra step commit 1
ultra step begin 2; printf 'shopt -s extglob\\nls !(x)\\n' > src/two.sh; printf '#!/bin/zsh\\nfor x (1 2) echo\\n' > src/three.sh
ultra step verify 2; ultra step commit 2; finish
""", parts=(KEYWORD, SCRIPTS), verification="", files={".gitattributes": "src/one.txt ident\n", "src/one.txt": "$Id$\n"}),
]  # fmt: skip
