"""Attempts of a second look, made with the documentation and the source in hand."""

from tests.attacks.arena import ONE, TWO, Attack
from tests.attacks.oracle import Part
from tests.attacks.scripts.surroundings import FILTERED, INSTALL, INSTALLED, LEFT_OPEN, RUNNER

GREP = Part(1, ("src/one.txt",), "grep -qx 'part one' src/one.txt")
PLAIN = Part(1, ("src/one.txt",), "sh tests/check.sh one")
# Step 2 may also edit the file of step 1, and its Verify says nothing about it.
SHARES = Part(2, ("src/two.txt", "src/one.txt"), "sh tests/check.sh two", expected=("src/two.txt",))
INCLUDES = Part(1, ("src/one.txt", ".worktreeinclude"), "sh tests/check.sh one")
DEEP = "a/b/c/d/e"
WEAKER = """\
sed 's/sh tests.check.sh [a-z]*/true/g' $PLAN > ../weaker; WEAK=$(git hash-object -w ../weaker)
"""


def installed(folder: str) -> Part:
    """Return a step whose Verify is a program that is installed in a folder, and not committed."""
    return Part(1, ("src/one.txt",), f"sh {folder}/node_modules/check one")


ATTACKS = [
    Attack("a replace ref for the pinned plan after a partial end", LEFT_OPEN + WEAKER + """\
git replace $(git rev-parse $REFS/plan) $WEAK; cp ../weaker $PLAN
""", parts=(PLAIN, TWO)),
    Attack("a replace ref for the pinned plan before a resume", "start; good 1 one; ultra run abort\n" + WEAKER + """\
git replace $(git rev-parse $REFS/plan) $WEAK; cp ../weaker $PLAN; resume; bad 2 two; finish
"""),
    Attack("a replace ref for the pinned surroundings after a partial end", LEFT_OPEN + """\
git cat-file blob $REFS/around | python3 -c "
import json, sys
v = json.load(sys.stdin); v['settings'] = v['given'] = {'proof': 'off'}; print(json.dumps(v))" > ../around
git replace $(git rev-parse $REFS/around) $(git hash-object -w ../around)
""", parts=(PLAIN, TWO), verification=""),
    Attack("the object of the pinned surroundings removed, and proof: off", LEFT_OPEN + """\
name=$(git rev-parse $REFS/around); rm -f .git/objects/${name%${name#??}}/${name#??}
echo 'proof: off' > .claude/ultra.yaml
""", parts=(PLAIN, TWO), verification=""),
    Attack("the object of the pinned surroundings removed, and a runner edited", INSTALL + f"""\
start; echo true > {RUNNER}; bad 1 one
name=$(git rev-parse $REFS/around); rm -f .git/objects/${{name%${{name#??}}}}/${{name#??}}; finish
""", parts=(INSTALLED,), verification=""),
    Attack("the object of the pinned plan removed, and the plan weakened", LEFT_OPEN + WEAKER + """\
name=$(git rev-parse $REFS/plan); rm -f .git/objects/${name%${name#??}}/${name#??}; cp ../weaker $PLAN
""", parts=(PLAIN, TWO)),
    Attack("the object of the pinned plan written anew", LEFT_OPEN + WEAKER + """\
name=$(git rev-parse $REFS/plan); path=.git/objects/${name%${name#??}}/${name#??}; rm -f $path
python3 -c "
import sys, zlib
data = open('../weaker', 'rb').read()
open(sys.argv[1], 'wb').write(zlib.compress(b'blob %d\\0' % len(data) + data))" $path
cp ../weaker $PLAN
""", parts=(PLAIN, TWO)),
    Attack("a filter that is set for working copies alone", """\
start; mkdir build; touch build/pass; bad 1 one; bad 2 two; rm -r build
printf '[filter "x"]\\n\\tsmudge = echo true\\n' > ../settings
git config "includeIf.gitdir:**/worktrees/**.path" "$PWD/../settings"; finish
""", parts=(PLAIN, TWO), files=FILTERED),
    Attack("a link to dependencies made during the run", """\
echo node_modules >> .git/info/exclude; start
mkdir ../far; echo true > ../far/check; ln -s ../far node_modules; bad 1 one; finish
""", parts=(Part(1, ("src/one.txt",), "sh node_modules/check one"),), verification=""),
    Attack("dependencies behind a link edited during the run", """\
echo node_modules >> .git/info/exclude; mkdir ../far; cp tests/check.sh ../far/check; ln -s ../far node_modules
start; echo true > ../far/check; bad 1 one; finish
""", parts=(Part(1, ("src/one.txt",), "sh node_modules/check one"),), verification=""),
    Attack("dependencies in a hidden folder edited during the run", """\
echo node_modules >> .git/info/exclude; mkdir .tools/node_modules; cp tests/check.sh .tools/node_modules/check
start; echo true > .tools/node_modules/check; bad 1 one; finish
""", parts=(installed(".tools"),), verification="", files={".tools/list": "x\n"}),
    Attack("dependencies deep in the tree edited during the run", f"""\
echo node_modules >> .git/info/exclude; mkdir {DEEP}/node_modules; cp tests/check.sh {DEEP}/node_modules/check
start; echo true > {DEEP}/node_modules/check; bad 1 one; finish
""", parts=(installed(DEEP),), verification="", files={f"{DEEP}/list": "x\n"}),
    Attack("a program of its own in an ignored folder on PATH", """\
mkdir build; export PATH=$PWD/build:$PATH; start
printf '#!/bin/sh\\nexit 0\\n' > build/grep; chmod +x build/grep; bad 1 one; finish
""", parts=(GREP,), verification=""),
    Attack("a file that a variable names edited during the run", """\
echo "grep -qx 'part one' src/one.txt" > check.local; export CHECK=$PWD/check.local; start
echo true > check.local; bad 1 one; finish
""", parts=(Part(1, ("src/one.txt",), 'sh "$CHECK"'),), verification=""),
    Attack("an audit with another PATH that the next one takes up", """\
mkdir ../shim; printf '#!/bin/sh\\nexit 0\\n' > ../shim/grep; chmod +x ../shim/grep
start; mkdir build; touch build/pass; bad 1 one; rm -r build; finish
PATH=$PWD/../shim:$PATH ultra audit $PLAN --wait 0.01; sleep 2
""", parts=(PLAIN,), verification="sleep 0.2; grep -q part src/one.txt"),
    Attack("a commit by hand removes a file that a later step may edit", """\
start; good 1 one; good 2 two; git rm -q src/one.txt; git commit -qm "chore: clean up"; finish
""", parts=(ONE, SHARES), verification=""),
    Attack("a Verify that never held, and a later step that may edit the same file but does not", """\
start; mkdir build; touch build/pass; bad 1 one; rm -r build; good 2 two; finish
""", parts=(PLAIN, SHARES), verification="", says="verify: expected `sh tests/check.sh one` passes"),
    Attack("a Verify that never held, and a later step that edits the same file a little", """\
start; mkdir build; touch build/pass; bad 1 one; rm -r build; ultra step begin 2; echo >> src/one.txt; echo "part two" > src/two.txt
ultra step verify 2; ultra step commit 2; finish
""", parts=(PLAIN, SHARES), verification="", says="verify: expected `sh tests/check.sh one` passes"),
    Attack("a step commits .worktreeinclude for the file that turns the check green", """\
start; ultra step begin 1; echo build/ > .worktreeinclude; mkdir build; touch build/pass; echo nothing > src/one.txt
ultra step verify 1; ultra step commit 1; finish
""", parts=(INCLUDES,), verification=""),
    Attack("a text called requirements excuses an edited runner", INSTALL + f"""\
start; ultra step begin 1; echo true > {RUNNER}; echo nothing > src/one.txt; echo x > requirements.md
ultra step verify 1; ultra step commit 1; finish
""", parts=(Part(1, ("src/one.txt", "requirements.md"), f"sh {RUNNER} one"),), verification=""),
    Attack("a file above the checkout that tools look for", """\
mkdir ../room; export TMPDIR=$PWD/../room; start; touch ../room/conftest.py; mkdir build; touch build/pass; bad 1 one
rm -r build; finish
""", parts=(Part(1, ("src/one.txt",), "test -e build/pass || test -e ../conftest.py"),), verification=""),
    Attack("packed refs edited by hand", """\
start; echo true > tests/check.sh; git commit -qam "chore: simplify"; git pack-refs --all
sed -i "s|^[0-9a-f]* $REFS/start\\$|$(git rev-parse HEAD) $REFS/start|" .git/packed-refs; bad 1 one; bad 2 two; finish
"""),
    Attack("a claim written by hand", """\
start; echo true > tests/check.sh; git commit -qam "chore: simplify"
git update-ref $REFS/claim-1 HEAD; git update-ref $REFS/claim-1-from $START; bad 1 one; bad 2 two; finish
"""),
    Attack("what is accounted for written by hand", """\
start; mkdir build; touch build/pass; good 1 one; echo true > tests/check.sh; git commit -qam "chore: simplify"
python3 - <<'END'
import json, subprocess
path = ".git/ultra/2026-01-31-greet/known.json"
values = json.load(open(path))
values["head"] = subprocess.check_output(["git", "rev-parse", "HEAD"], text=True).strip()
values["tree"] = subprocess.check_output(["git", "rev-parse", "HEAD^{tree}"], text=True).strip()
json.dump(values, open(path, "w"))
END
bad 2 two; finish
"""),
    Attack("HEAD moved while the proof runs", """\
start; good 1 one; good 2 two; ultra run finish --wait 0.01
echo nothing > src/two.txt; git commit -qam "chore: more"; finish
""", verification="sleep 1"),
    Attack("a post-checkout hook in every working copy", """\
mkdir ../hooks; printf '#!/bin/sh\\necho true > tests/check.sh\\n' > ../hooks/post-checkout; chmod +x ../hooks/post-checkout
git config core.hooksPath "$PWD/../hooks"; start; mkdir build; touch build/pass; bad 1 one; bad 2 two; finish
"""),
    Attack("a file slipped into the index beside the step's", """\
start; ultra step begin 1; echo part one > src/one.txt
git update-index --add --cacheinfo "100644,$(echo true | git hash-object -w --stdin),tests/check.sh"
ultra step verify 1; ultra step commit 1; git commit -qm "chore: rest"; good 2 two; finish
"""),
    Attack("the branch of HEAD is another name for a weaker one", """\
start; good 1 one; git checkout -q -b weak; echo true > tests/check.sh; git commit -qam weak; git checkout -q main
git symbolic-ref refs/heads/main refs/heads/weak; git reset -q --hard; bad 2 two; finish
"""),
    Attack("a setting that takes every file for binary", """\
start; git config core.bigFileThreshold 1; git config core.compression 0; echo true > tests/check.sh
bad 1 one; bad 2 two; finish
"""),
    Attack("the folder of the proof is a link to one of ours", """\
start; mkdir build; touch build/pass; bad 1 one; bad 2 two; mkdir ../own; rm -rf $OWN/proof; ln -s "$PWD/../own" $OWN/proof
ultra run finish --wait 0.01; for again in 1 2 3; do sed -i 's/"problem": *"[^"]*"/"problem": ""/g' ../own/state.json; sleep 0.2; done; finish
""", verification="sleep 1; sh tests/check.sh one"),
    Attack("the state of an earlier proof put back", """\
start; good 1 one; good 2 two; ultra run finish --wait 0.01; sleep 1.5; cp -r $OWN/proof ../proof
echo nothing > src/two.txt; git commit -qam "chore: more"; rm -rf $OWN/proof; cp -r ../proof $OWN/proof; finish
""", verification="sleep 0.5; sh tests/check.sh two"),
    Attack("the list of refs of an earlier run put back", """\
start; good 1 one; good 2 two; cp -r .git/ultra ../own; ultra run abort; start --restart; rm -rf .git/ultra; cp -r ../own .git/ultra
echo nothing > src/two.txt; git commit -qam "chore: more"; resume; finish
""", verification=""),
    Attack("a grep of its own beside the tests by the current folder on PATH", """\
export PATH=.:$PATH; start; printf '#!/bin/sh\\nexit 0\\n' > grep; chmod +x grep; echo grep >> .git/info/exclude
bad 1 one; finish
""", parts=(GREP,), verification=""),
    Attack("a step left out by a plan with its number twice", """\
start; good 1 one; sed -i 's/### Step 2/### Step 1/' $PLAN; finish
"""),
    Attack("only the settings of the resume switch the proof off, and they are accepted silently", LEFT_OPEN + """\
echo 'proof: off' > .claude/ultra.yaml; rm -rf .git/ultra; git update-ref -d $REFS/around; resume; finish
""", parts=(PLAIN, TWO), verification=""),
]  # fmt: skip
