"""Links that lead back to the working tree, or from what is compared to what is not."""

from tests.attacks.arena import Attack
from tests.attacks.oracle import Part
from tests.attacks.scripts.checkout import WITHOUT_WORK

GREP = Part(1, ("src/one.txt",), "grep -qx 'part one' src/one.txt")
LINKED = 'ln -s "$PWD" ../link; LINK=$(cd ..; pwd)/link\n'
NAMED = Part(1, ("src/one.txt",), "cd LINK && sh tests/check.sh one")
IMPORTS = Part(1, ("src/one.txt",), "python3 -c 'import helper'")
BEHIND = "mkdir build; cp tests/check.sh build/check\n"
EDITED = "start; echo true > build/check; bad 1 one; finish\n"
CHECKS = Part(1, ("src/one.txt",), 'sh "$CHECK" one')
IF_ANY = Part(1, ("src/one.txt",), 'test -n "$CHECK" && { [ ! -e "$CHECK" ] || sh "$CHECK" one; }')
INSTALLED = "echo node_modules/ >> .git/info/exclude; mkdir -p node_modules/.bin node_modules/tool\n"


def calls(path: str) -> tuple[Part]:
    """Return a step whose Verify is a script at a path."""
    return (Part(1, ("src/one.txt",), f"sh {path} one"),)


ATTACKS = [
    Attack("a package that no file declares is installed in an environment outside of the tree", """\
export VIRTUAL_ENV=$(cd ..; pwd)/far; mkdir -p $VIRTUAL_ENV/lib/python3/site-packages; start
touch $VIRTUAL_ENV/lib/python3/site-packages/helper.py; good 1 one; finish
""", parts=(Part(1, ("src/one.txt",), 'ls "$VIRTUAL_ENV"/lib/*/*/helper.py'),), verification="", says="dependencies.*site-packages"),
    Attack("a command names the working tree by a link", LINKED + 'sed -i "s|LINK|$LINK|" $PLAN\n' + WITHOUT_WORK + "finish\n",
           parts=(NAMED,), verification="", says="what it needs is not committed"),
    Attack("a program of its own in an ignored folder that is on PATH by a link", LINKED + """\
mkdir build; export PATH=$LINK/build:$PATH; start
printf '#!/bin/sh\\nexit 0\\n' > build/grep; chmod +x build/grep; bad 1 one; finish
""", parts=(GREP,), verification="", says="dependencies.*build"),
    Attack("a variable leads imports back to the working tree by a link", LINKED + """\
mkdir lib; touch lib/helper.py; export PYTHONPATH=$LINK/lib; start; good 1 one; finish
""", parts=(IMPORTS,), verification="", says="what it needs is not committed"),
    Attack("a link that .worktreeinclude names leads to a file that is edited", BEHIND + """\
ln -s "$PWD/build/check" check.local; echo check.local > .worktreeinclude
""" + EDITED, parts=calls("check.local"), verification="", says="dependencies.*check.local"),
    Attack("a variable names a link to a file that is edited", BEHIND + """\
ln -s build/check check.local; export CHECK=$PWD/check.local
""" + EDITED, parts=(CHECKS,), verification="", says="dependencies.*check.local"),
    Attack("a file that a variable names is removed", BEHIND + """\
export CHECK=$PWD/build/check; start; rm build/check; bad 1 one; finish
""", parts=(IF_ANY,), verification="", says="dependencies.*build/check"),
    Attack("a program of a workspace is one that it has built, and nobody has committed", BEHIND + INSTALLED + """\
mv build packages/tool; rmdir node_modules/tool; ln -s ../packages/tool node_modules/tool; ln -s ../tool/build/check node_modules/.bin/check
start; echo true > packages/tool/build/check; bad 1 one; finish
""", parts=calls("node_modules/.bin/check"), verification="", files={"packages/tool/package.json": "{}\n"},
           says="what it needs is not committed"),
    Attack("a link deep in a dependency leads to a file that is edited", BEHIND + INSTALLED + """\
ln -s ../../build/check node_modules/tool/check
""" + EDITED, parts=calls("node_modules/tool/check"), verification="", says="dependencies.*build/check"),
]  # fmt: skip
