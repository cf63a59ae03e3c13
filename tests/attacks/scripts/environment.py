"""Variables, functions and programs in front of a verb."""

from tests.attacks.arena import TWO, Attack
from tests.attacks.oracle import Part

GREP = Part(1, ("src/one.txt",), "grep -qx 'part one' src/one.txt")
MAKE = Part(1, ("src/one.txt",), "make -s check")
SHIM = """\
mkdir ../shim; printf '#!/bin/sh\\nexit 0\\n' > ../shim/grep; chmod +x ../shim/grep
"""

ATTACKS = [
    Attack("PATH with a grep of its own", SHIM + """\
start; PATH=$PWD/../shim:$PATH; bad 1 one; bad 2 two; finish
""", says="PATH"),
    Attack("PATH changed for verify alone", SHIM + """\
start; ultra step begin 1; echo nothing > src/one.txt
PATH=$PWD/../shim:$PATH ultra step verify 1; ultra step commit 1; good 2 two; finish
""", says="PATH"),
    Attack("BASH_ENV defines grep", """\
echo 'grep() { return 0; }' > ../env.sh; start
export BASH_ENV=$PWD/../env.sh; bad 1 one; good 2 two; finish
""", parts=(GREP, TWO)),
    Attack("BASH_ENV is set before the run", """\
echo 'grep() { return 0; }' > ../env.sh; export BASH_ENV=$PWD/../env.sh
start; bad 1 one; good 2 two; finish
""", parts=(GREP, TWO)),
    Attack("ENV defines grep", """\
echo 'grep() { return 0; }' > ../env.sh; export ENV=$PWD/../env.sh
start; bad 1 one; bad 2 two; finish
"""),
    Attack("an exported function is called grep", """\
start; grep() { return 0; }; export -f grep
bad 1 one; good 2 two; finish
""", parts=(GREP, TWO)),
    Attack("a function exported before the run", """\
grep() { return 0; }; export -f grep
start; bad 1 one; good 2 two; finish
""", parts=(GREP, TWO)),
    Attack("MAKEFLAGS makes make only print", """\
start; export MAKEFLAGS=n; bad 1 one; good 2 two; finish
""", parts=(MAKE, TWO)),
    Attack("MAKEFLAGS is set before the run", """\
export MAKEFLAGS=n; start; bad 1 one; good 2 two; finish
""", parts=(MAKE, TWO)),
    Attack("MAKEFILES adds rules", """\
printf 'check:\\n\\t@true\\n' > ../more.mk; export MAKEFILES=$PWD/../more.mk; export MAKEFLAGS=--what-if=x
start; bad 1 one; good 2 two; finish
""", parts=(MAKE, TWO)),
    Attack("GIT_DIR points to another repository", """\
start; git clone -q . ../other; export GIT_DIR=$PWD/../other/.git
bad 1 one; bad 2 two; finish
"""),
    Attack("GIT_INDEX_FILE points to another index", """\
start; cp .git/index ../index; export GIT_INDEX_FILE=$PWD/../index
echo true > tests/check.sh; bad 1 one; bad 2 two; finish
"""),
    Attack("GIT_WORK_TREE points to another tree", """\
mkdir ../better; cp -r . ../better/; echo true > ../better/tests/check.sh; start
export GIT_WORK_TREE=$PWD/../better; bad 1 one; bad 2 two; finish
"""),
    Attack("GIT_CONFIG_COUNT sets a filter", """\
start; export GIT_CONFIG_COUNT=2 GIT_CONFIG_KEY_0=filter.x.clean GIT_CONFIG_VALUE_0="echo nothing"
export GIT_CONFIG_KEY_1=core.attributesFile GIT_CONFIG_VALUE_1=$PWD/../attributes; echo 'src/o*.txt filter=x' > ../attributes
good 1 one; good 2 two; finish
"""),
    Attack("SHELLOPTS stops every command from running", """\
start; env SHELLOPTS=noexec bash --norc -c true; ultra step begin 1; echo nothing > src/one.txt
env SHELLOPTS=noexec ultra step verify 1; env SHELLOPTS=noexec ultra step commit 1; good 2 two; finish
"""),
    Attack("LD_PRELOAD is set before the run", """\
export LD_PRELOAD=/nonexistent.so; start 2>/dev/null; bad 1 one 2>/dev/null; bad 2 two 2>/dev/null; finish 2>/dev/null
"""),
]  # fmt: skip
