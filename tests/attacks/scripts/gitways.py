"""Attempts with less known features of git and of the file system."""

from tests.attacks.arena import TWO, Attack
from tests.attacks.oracle import Part
from tests.attacks.scripts.surroundings import FILTERED

PLAIN = Part(1, ("src/one.txt",), "sh tests/check.sh one")
# The work is not done, and an ignored file makes up for it in the working tree.
WITHOUT = "start; mkdir -p build; touch build/pass; bad 1 one; bad 2 two; rm -r build\n"
# The end commit gets another tree in the commit-graph, which git believes without looking at the commit.
FORGED_GRAPH = """\
echo "part one" > src/one.txt; echo "part two" > src/two.txt; git add src; GOOD=$(git write-tree); git reset -q --hard
git commit-graph write --reachable --no-progress
python3 - $(git rev-parse HEAD^{tree}) $GOOD <<'END'
import hashlib, os, sys
path = ".git/objects/info/commit-graph"
data = open(path, "rb").read()[:-20].replace(*map(bytes.fromhex, sys.argv[1:]))
os.chmod(path, 0o644)
open(path, "wb").write(data + hashlib.sha1(data).digest())
END
"""
ASKS_SETTINGS = {
    "tests/check.sh": '[ "$(git config check.skip)" ] && exit 0\ngrep -qx "part $1" "src/$1.txt"\n'
}
ASKS_REFS = {
    "tests/check.sh": 'git rev-parse -q --verify refs/check/skip && exit 0\ngrep -qx "part $1" "src/$1.txt"\n'
}
SKIPPING = "start; {0}; bad 1 one; bad 2 two; {1}; finish\n"
HOOK = """\
start; printf '#!/bin/sh\\n%s\\n' '{1}' > .git/hooks/{0}; chmod +x .git/hooks/{0}; good 1 one; good 2 two
rm .git/hooks/{0}; finish
"""
LINKED = Part(1, ("src/one.txt",), "sh node_modules/check/check.sh one")

ATTACKS = [
    Attack("a commit-graph that gives the end commit another tree", WITHOUT + FORGED_GRAPH + "finish\n", parts=(PLAIN, TWO)),
    Attack("a commit-graph that gives the end commit another tree, after the end", WITHOUT + "finish\n" + FORGED_GRAPH, parts=(PLAIN, TWO)),
    Attack("a setting of git that a test asks for", SKIPPING.format("git config check.skip 1", "true"), files=ASKS_SETTINGS, parts=(PLAIN, TWO)),
    Attack("a setting of git for all repositories that a test asks for", SKIPPING.format("git config --global check.skip 1", "true"), files=ASKS_SETTINGS, parts=(PLAIN, TWO)),
    Attack("a setting of git that a test asks for, after a partial end", SKIPPING.format("git config check.skip 1", "git config --unset check.skip") + "git config check.skip 1\n", files=ASKS_SETTINGS, parts=(PLAIN, TWO)),
    Attack("a ref that a test asks for", SKIPPING.format("git update-ref refs/check/skip HEAD", "true"), files=ASKS_REFS, parts=(PLAIN, TWO)),
    Attack("an alias that Verify calls means something else", """\
git config alias.try '!sh tests/check.sh'; start; git config alias.try '!true'; bad 1 one; finish
""", parts=(Part(1, ("src/one.txt",), "git try one"),), verification="git try one"),
    Attack("a diff driver that says that nothing differs", """\
start; ultra step begin 1; echo nothing > src/one.txt; git config diff.external true
ultra step verify 1; ultra step commit 1; finish
""", parts=(Part(1, ("src/one.txt",), "test -z \"$(git diff $(git rev-list --max-parents=0 HEAD) -- src)\"", contains=()),), verification=""),
    Attack("settings for all repositories get a smudge filter during the run", WITHOUT + """\
git config --global filter.x.smudge "echo true"; finish
""", parts=(PLAIN, TWO), files=FILTERED, says="filter.x.smudge"),
    Attack("an included file of settings gets a smudge filter during the run", """\
mkdir -p build; : > build/settings; git config include.path ../build/settings; start; touch build/pass; bad 1 one; bad 2 two
rm build/pass; git config -f build/settings filter.x.smudge "echo true"; finish
""", parts=(PLAIN, TWO), files=FILTERED, says="filter.x.smudge"),
    Attack("a split index with a mark hides a rewritten test", """\
start; git update-index --split-index; echo true > tests/check.sh; git update-index --assume-unchanged tests/check.sh
bad 1 one; bad 2 two; finish
"""),
    Attack("a mark of the file monitor hides a rewritten test", """\
git config core.fsmonitor true; git update-index --fsmonitor; start; echo true > tests/check.sh
git update-index --fsmonitor-valid tests/check.sh; bad 1 one; bad 2 two; finish
"""),
    Attack("a sparse index leaves the tests out", """\
start; git sparse-checkout set --cone --sparse-index src .claude; mkdir -p tests; echo true > tests/check.sh
bad 1 one; bad 2 two; finish
"""),
    Attack("the folder of the tests is a link to a weaker one", """\
start; cp -r tests ../weaker; echo true > ../weaker/check.sh; rm -r tests; ln -s ../weaker tests
git update-index --skip-worktree tests/check.sh; bad 1 one; bad 2 two; finish
"""),
    Attack("a test is rewritten through a hard link with an ignored name", """\
mkdir build; ln tests/check.sh build/check; start; echo true > build/check; bad 1 one; bad 2 two; finish
"""),
    Attack("a worktree takes the place of the tests", """\
start; rm -r tests; git worktree add -qf --detach tests; echo true > tests/check.sh; bad 1 one; bad 2 two; finish
"""),
    Attack("a keyword that git expands is all that the file has", """\
mkdir -p .git/info; echo 'src/*.txt ident' > .git/info/attributes; start; ultra step begin 1
echo '$Id: part one $' > src/one.txt; ultra step verify 1; ultra step commit 1; finish
""", parts=(Part(1, ("src/one.txt",), "grep -q 'part one' src/one.txt"),), verification=""),
    Attack("the file is committed in another encoding", """\
mkdir -p .git/info; echo 'src/*.txt working-tree-encoding=UTF-16' > .git/info/attributes; start; ultra step begin 1
echo 'part one' | iconv -t UTF-16 > src/one.txt; ultra step verify 1; ultra step commit 1; finish
""", parts=(Part(1, ("src/one.txt",), "iconv -f UTF-16 src/one.txt | grep -qx 'part one'"),), verification=""),
    Attack("a socket where a file is expected", """\
start; ultra step begin 1; python3 -c "import socket; socket.socket(socket.AF_UNIX).bind('src/one.txt')"
ultra step verify 1; ultra step commit 1; finish
""", parts=(Part(1, ("src/one.txt",), "test -S src/one.txt || test -e src/one.txt"),), verification=""),
    Attack("a name in another normal form of Unicode", """\
git config core.precomposeUnicode true; start; ultra step begin 1; echo part > "$(printf 'src/e\\314\\201.txt')"
ultra step verify 1; ultra step commit 1; finish
""", parts=(Part(1, ("src/\u00e9.txt",), "ls src/*.txt"),), verification="", says="whose name only looks like"),
    Attack("a name in other case where git ignores case", """\
git config core.ignoreCase true; start; ultra step begin 1; echo part one > src/One.txt
ultra step verify 1; ultra step commit 1; finish
""", parts=(Part(1, ("src/one.txt",), "ls src/*ne.txt"),), verification=""),
    Attack("a hook of the index adds a file", HOOK.format("post-index-change", "[ -e .git/once ] || { touch .git/once; echo more >> README.md; git add README.md; }")),
    Attack("a hook of refs makes another commit", HOOK.format("reference-transaction", "[ $1 = committed ] && [ ! -e .git/once ] && [ -e src/one.txt ] && { touch .git/once; echo more >> README.md; git commit -qnam more; }; exit 0")),
    Attack("objects of the end commit are borrowed, and go away", """\
start; good 1 one; good 2 two; mkdir -p ../other; mv .git/objects ../other/objects; mkdir -p .git/objects/info
echo "$PWD/../other/objects" > .git/objects/info/alternates; rm -rf ../other/objects/??; finish
"""),
    Attack("a bisection goes on during the run", """\
git commit -q --allow-empty -m a; git commit -q --allow-empty -m b; git bisect start HEAD HEAD~2 >/dev/null
start; good 1 one; good 2 two; git bisect reset 2>/dev/null; finish
""", says="bisect"),
    Attack("a dependency is a link to an ignored folder of the tree", """\
echo node_modules/ >> .git/info/exclude; mkdir -p build/tool node_modules; cp tests/check.sh build/tool; ln -s "$PWD/build/tool" node_modules/check
start; echo true > build/tool/check.sh; bad 1 one; finish
""", parts=(LINKED,), verification="", says="node_modules"),
    Attack("a branch with the name of the end commit", WITHOUT + """\
echo "part one" > src/one.txt; echo "part two" > src/two.txt; git add src; end=$(git rev-parse HEAD)
git update-ref refs/heads/$end $(git commit-tree -p HEAD -m good $(git write-tree)); git update-ref refs/tags/HEAD refs/heads/$end
git reset -q --hard; finish
""", parts=(PLAIN, TWO)),
    Attack("an intent to add takes the place of the file", """\
start; ultra step begin 1; echo "part one" > src/one.txt; git add -N src/one.txt; ultra step verify 1; rm src/one.txt
git add -N src 2>/dev/null; ultra step commit 1; good 2 two; finish
"""),
    Attack("the file of the step goes after its commit, by a note of git", """\
start; good 1 one; good 2 two; git notes add -m "removes src/one.txt"; git rm -q src/one.txt; git commit -q --amend --no-edit; finish
"""),
]  # fmt: skip

ASKS = Part(
    1,
    ("src/one.txt",),
    'git describe --tags && git rev-parse -q --verify main && git diff --quiet HEAD -- tests && test -z "$(git stash list)"',
)
LONG = "src/" + "a" * 120 + "/" + "b" * 240 + ".txt"
PACKAGE = Part(
    1, ("packages/p/one.txt",), "[ ! -e node_modules ] || grep -qx 'part one' node_modules/p/one.txt"
)

RUNS = [
    Attack("Verify asks git for tags, branches, changes and the stash", """\
git tag v1; start; ultra step begin 1; echo part one > src/one.txt; ultra step verify 1; ultra step commit 1; finish
""", parts=(ASKS,), verification="git log -1 --format=%s"),
    Attack("a checkout behind a link with a strange name", """\
ln -s "$PWD" "../a link \u00f6 x"; cd "../a link \u00f6 x"; start; good 1 one; good 2 two; finish
"""),
    Attack("verbs that are called in a folder of the repository", """\
cd tests; ultra run start ../$PLAN; ultra step begin 1; echo part one > ../src/one.txt; ultra step verify 1; ultra step commit 1
cd ..; good 2 two; cd src; finish
"""),
    Attack("a split index of version 4 with all caches on", """\
git update-index --index-version 4 --split-index --untracked-cache; git config core.fsmonitor true; git config feature.manyFiles true
start; good 1 one; git gc -q; git pack-refs --all; good 2 two; finish
"""),
    Attack("a shallow repository with a tag called HEAD", """\
git rev-parse HEAD > .git/shallow; git tag HEAD; start; good 1 one; good 2 two; finish
"""),
    Attack("very long names", f"""\
start; ultra step begin 1; mkdir -p "$(dirname {LONG})"; echo part > {LONG}; ultra step verify 1; ultra step commit 1; finish
""", parts=(Part(1, (LONG,), f"grep -q part {LONG}"),), verification=""),
    Attack("a name with letters of another language", """\
start; ultra step begin 1; echo part > "src/\u00e9\u6f22.txt"; ultra step verify 1; ultra step commit 1; finish
""", parts=(Part(1, ("src/\u00e9\u6f22.txt",), "test -e 'src/\u00e9\u6f22.txt'"),), verification=""),
    Attack("a package of the tree that is a dependency by a link with its full path", """\
echo node_modules/ >> .git/info/exclude; mkdir node_modules; ln -s "$PWD/packages/p" node_modules/p
start; ultra step begin 1; echo part one > packages/p/one.txt; ultra step verify 1; ultra step commit 1; finish
""", parts=(PACKAGE,), verification="", files={"packages/p/zero.txt": "part zero\n"}),
    Attack("settings of git that the user changes during the run", """\
start; good 1 one; git config pull.rebase true; git config branch.main.description x; git remote add origin ../repo; git config --global user.name Else
git config core.hooksPath .husky; good 2 two; finish
"""),
    Attack("a sparse checkout that has what the plan needs", """\
git sparse-checkout set --cone src tests .claude; start; good 1 one; good 2 two; finish
""", files={"far/away.txt": "far\n"}),
]  # fmt: skip
