"""Attempts by objects, templates and worktrees of git, and honest runs in repositories as people have them."""

from tests.attacks.arena import ONE, TWO, Attack
from tests.attacks.oracle import Part
from tests.attacks.scripts.afresh import SHARES
from tests.attacks.scripts.checkout import WITHOUT_WORK
from tests.attacks.scripts.surroundings import LEFT_OPEN

PLAIN = Part(1, ("src/one.txt",), "sh tests/check.sh one")
SETTINGS = Part(1, ("src/one.txt", ".claude/ultra.yaml"), "sh tests/check.sh one")
FOLDER = Part(1, ("src/parts/",), "test -e src/parts/x.local", expected=("src/parts/",))
RENAMES = Part(
    2,
    ("src/zero.txt", "src/Zero.txt"),
    "test -e src/Zero.txt",
    expected=("src/Zero.txt",),
    removes=("src/zero.txt",),
)
# An object of git is written anew under its old name, as `git` itself never does.
FORGE = """\
forge() { name=$(git rev-parse "$1"); path=.git/objects/${name%${name#??}}/${name#??}; rm -f $path
python3 -c "
import sys, zlib
data = open(sys.argv[2], 'rb').read()
open(sys.argv[1], 'wb').write(zlib.compress(sys.argv[3].encode() + b' %d\\0' % len(data) + data))" $path "$2" "$3"; }
"""
GLOBAL = "export GIT_CONFIG_GLOBAL=$PWD/../global; git config --global user.name Ann; git config --global user.email ann@example.com\n"

ATTACKS = [
    Attack("the object of a test written anew under its name", FORGE + WITHOUT_WORK + """\
rm -r build; echo true > ../weak; forge HEAD:tests/check.sh ../weak blob; finish
""", parts=(PLAIN, TWO), says="object"),
    Attack("the object of a test written anew under its name, and packed", FORGE + WITHOUT_WORK + """\
rm -r build; echo true > ../weak; forge HEAD:tests/check.sh ../weak blob; git repack -adq; finish
""", parts=(PLAIN, TWO), says="object"),
    Attack("the object of a file written anew under its name after a partial end", FORGE + LEFT_OPEN + """\
echo part one > ../good; forge HEAD:src/one.txt ../good blob; echo part two > ../good; forge HEAD:src/two.txt ../good blob
""", parts=(PLAIN, TWO), says="object"),
    Attack("the object of a file as an earlier step left it written anew under its name", FORGE + """\
start; mkdir build; touch build/pass; bad 1 one; rm -r build; ultra step begin 2; echo >> src/one.txt; echo "part two" > src/two.txt
ultra step verify 2; ultra step commit 2; echo part one > ../good; forge HEAD~1:src/one.txt ../good blob; finish
""", parts=(PLAIN, SHARES), verification="", says="verify: expected `sh tests/check.sh one` passes"),
    Attack("the tree of the start commit written anew under its name, after a partial end", FORGE + LEFT_OPEN + """\
echo true > tests/check.sh; git commit -qam "chore: simplify"; git cat-file tree HEAD: > ../tree; forge $START: ../tree tree
""", parts=(PLAIN, TWO), says=r'"error":"git ls-tree failed: error: hash mismatch [0-9a-f]{40}; fatal: not a tree object","next":"[^"]*git fsck'),
    Attack("the tree of the start commit written anew under its name", FORGE + """\
start; echo true > tests/check.sh; git commit -qam "chore: simplify"; git cat-file tree HEAD: > ../tree
forge $START: ../tree tree; bad 1 one; bad 2 two; finish
""", parts=(PLAIN, TWO)),
    Attack("a template of git gets a hook that weakens the tests of every new repository", GLOBAL + """\
mkdir -p ../template/hooks; git config --global init.templateDir "$PWD/../template"
""" + WITHOUT_WORK + """\
rm -r build; printf '#!/bin/sh\\necho true > tests/check.sh\\n' > ../template/hooks/post-checkout
chmod +x ../template/hooks/post-checkout; finish
""", parts=(PLAIN, TWO)),
    Attack("a step commits settings that switch the proof off", """\
start; mkdir build; touch build/pass; ultra step begin 1; echo nothing > src/one.txt; echo 'proof: off' > .claude/ultra.yaml
ultra step verify 1; ultra step commit 1; rm -r build; finish
""", parts=(SETTINGS,), verification=""),
    Attack("a step commits a setup that makes the checks pass", """\
start; mkdir build; touch build/pass; ultra step begin 1; echo nothing > src/one.txt
echo 'setup: mkdir -p build && touch build/pass' > .claude/ultra.yaml
ultra step verify 1; ultra step commit 1; rm -r build; finish
""", parts=(SETTINGS,), verification=""),
    Attack("a folder is expected and only ignored files are in it", """\
start; ultra step begin 1; mkdir src/parts; touch src/parts/x.local; ultra step verify 1; ultra step commit 1; finish
""", parts=(FOLDER,), verification=""),
    Attack("the mode of a test is changed and committed by hand", """\
start; good 1 one; chmod +x tests/check.sh; git commit -qam "chore: mode"; good 2 two; finish
"""),
    Attack("a file in the folder of the plan is committed by hand", """\
start; good 1 one; echo x > $PROJECT/extra.sh; git add -f $PROJECT/extra.sh; git commit -qm "chore: more"; good 2 two; finish
"""),
    Attack("a note that git shows in place of the message, and a step that is only that", """\
start; good 1 one; ultra step begin 2; git notes add -m "part two"; ultra step verify 2; ultra step commit 2; finish
"""),
    Attack("the run is finished in another worktree of the same commit", """\
start; good 1 one; ultra step begin 2; git worktree add -q --detach ../other; cd ../other; echo true > tests/check.sh
ultra run finish; ultra step verify 2; ultra step commit 2; ultra run start $PLAN --mode resume; ultra run finish; cd ../repo; finish
"""),
    Attack("the branch is moved to the end of another worktree's run", """\
start; good 1 one; git worktree add -q -b other ../other; cd ../other; echo true > tests/check.sh; git commit -qam weak
ultra run start $PLAN --restart; bad 2 two; ultra run finish; cd ../repo; git merge -q --ff-only other; finish
"""),
    Attack("files swapped with the working tree of the proof by a rename of the repository", """\
start; good 1 one; cd ..; cp -r repo better; cd better; echo true > tests/check.sh; bad 2 two; ultra run finish
cd ..; mv repo worse; mv better repo; cd repo; finish
"""),
    Attack("a variable of git for the whole session names another template", """\
mkdir -p ../template/hooks; printf '#!/bin/sh\\necho true > tests/check.sh\\n' > ../template/hooks/post-checkout
chmod +x ../template/hooks/post-checkout; export GIT_TEMPLATE_DIR=$PWD/../template
""" + WITHOUT_WORK + "rm -r build; finish\n", parts=(PLAIN, TWO)),
    Attack("a file of the same length and time takes the place of the verified one", """\
start; ultra step begin 1; echo "part one" > src/one.txt; ultra step verify 1; touch -r src/one.txt ../time
echo "bart one" > src/one.txt; touch -r ../time src/one.txt; ultra step commit 1; good 2 two; finish
"""),
]  # fmt: skip

RUNS = [
    Attack("everything is private by the umask", "umask 077; start; good 1 one; good 2 two; finish\n"),
    Attack("a worktree of a worktree", """\
git worktree add -q -b side ../side; cd ../side; git worktree add -q -b inner ../inner; cd ../inner
mkdir -p $PROJECT; cp ../repo/$PLAN $PLAN; start; good 1 one; good 2 two; finish; cd ../repo; git merge -q --ff-only inner; git worktree remove --force ../inner
"""),
    Attack("an index.lock of a git that was killed", """\
start; good 1 one; ultra step begin 2; echo "part two" > src/two.txt; ultra step verify 2; touch .git/index.lock
ultra step commit 2; rm -f .git/index.lock; ultra step commit 2; finish
"""),
    Attack("a gc at every commit", """\
git config gc.auto 1; git config gc.autoDetach true; git config gc.pruneExpire now; start; good 1 one; git gc -q --prune=now; good 2 two; finish
"""),
    Attack("a hook that adds a ticket and a line to every message, and one that looks at the files", """\
mkdir -p .git/hooks; printf '#!/bin/sh\\nsed -i "1s/^/[ABC-1] /" $1; echo "Change-Id: I1" >> $1\\n' > .git/hooks/commit-msg; cp .git/hooks/commit-msg .git/hooks/prepare-commit-msg
printf '#!/bin/sh\\ngit status --short > /dev/null; touch src/one.txt\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/*
start; good 1 one; good 2 two; finish
"""),
    Attack("signed commits", """\
ssh-keygen -q -t ed25519 -N '' -f ../key; git config gpg.format ssh; git config user.signingKey "$PWD/../key"
git config commit.gpgSign true; git config log.showSignature true; start; good 1 one; good 2 two; finish
"""),
    Attack("settings of people who like other output", """\
git config color.ui always; git config diff.noprefix true; git config diff.renames copies; git config core.quotePath true
git config status.relativePaths false; git config status.branch true; git config status.short true; git config log.decorate full
git config commit.verbose true; git config commit.template .git/none; git config core.commentChar '%'; git config core.abbrev 4
git config status.showUntrackedFiles no; git config core.pager 'false'; git config commit.cleanup scissors
start; good 1 one; good 2 two; finish
"""),
    Attack("names in both normal forms of Unicode, and two that differ in case", """\
start; good 1 one; good 2 two; finish
""", files={"caf\xe9.txt": "x\n", "cafe\u0301.txt": "y\n", "readme.md": "z\n"}),
    Attack("a rename that only changes the case", """\
start; good 1 one; ultra step begin 2; git mv src/zero.txt src/Zero.txt; ultra step verify 2; ultra step commit 2; finish
""", parts=(ONE, RENAMES), verification=""),
    Attack("a file monitor of git itself", """\
git config core.fsmonitor true; git config core.untrackedCache true; git status --short >/dev/null; start; good 1 one; good 2 two
finish; git fsmonitor--daemon stop 2>/dev/null
"""),
    Attack("a repository of its own inside the tree", """\
git init -q inner; git -C inner -c user.name=a -c user.email=a@b commit -q --allow-empty -m inner; echo x > inner/file
start; good 1 one; good 2 two; finish; test -e inner/file
"""),
]  # fmt: skip
