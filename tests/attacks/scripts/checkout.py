"""Ways to make the clean checkout less clean, or to do without it."""

from tests.attacks.arena import TWO, Attack
from tests.attacks.oracle import Part

ONE = Part(1, ("src/one.txt",), "sh tests/check.sh one")
IMPORTS = Part(1, ("src/one.txt",), "python3 -c 'import helper'")
HIDDEN = '[submodule "lib"]\n\tpath = lib\n\turl = ./lib\n\tignore = all\n'
# Two steps that pass in the working tree alone, by an ignored file.
WITHOUT_WORK = "start; mkdir build; touch build/pass; bad 1 one; bad 2 two\n"

ATTACKS = [
    Attack("a smudge filter set up before the end makes the files good", WITHOUT_WORK + """\
git config filter.x.smudge "sed s/nothing/part\\ one/"; git config filter.y.smudge "sed s/nothing/part\\ two/"
mkdir -p .git/info; printf 'src/one.txt filter=x\\nsrc/two.txt filter=y\\n' > .git/info/attributes; rm -r build; finish
""", parts=(ONE, TWO)),
    Attack("a smudge filter set up before the end weakens the tests", WITHOUT_WORK + """\
git config filter.x.smudge "echo true"; mkdir -p .git/info; echo 'tests/* filter=x' > .git/info/attributes; finish
""", parts=(ONE, TWO)),
    Attack("a file of attributes outside names the smudge filter", WITHOUT_WORK + """\
git config filter.x.smudge "echo true"; echo 'tests/* filter=x' > ../attributes
git config core.attributesFile "$PWD/../attributes"; finish
""", parts=(ONE, TWO)),
    Attack("a filter that fails in every checkout", """\

""" + WITHOUT_WORK + """\
git config filter.x.clean cat; git config filter.x.smudge false; git config filter.x.required true; finish
""", parts=(ONE, TWO), files={".gitattributes": "tests/* filter=x\n"}, says="clean checkout; found the commit"),
    Attack("a setup that the steps break", """\
echo 'setup: test ! -e src/two.txt' > .claude/ultra.yaml
""" + WITHOUT_WORK + "finish\n", parts=(ONE, TWO), says="the setup command failed"),
    Attack("no place for a checkout at the end", """\
mkdir ../room; export TMPDIR=$PWD/../room
""" + WITHOUT_WORK + "rmdir ../room; finish\n", parts=(ONE, TWO), says="clean checkout; found .*room"),
    Attack("a submodule that diffs are told to ignore", """\
start; good 1 one
git update-index --add --cacheinfo "160000,$START,lib"; git commit -q --allow-empty -m "chore: lib"; good 2 two; finish
""", files={".gitmodules": HIDDEN}, says="lib"),
    Attack("a variable leads imports back to the working tree", """\
mkdir lib; touch lib/helper.py; export PYTHONPATH=$PWD/lib; start; good 1 one; good 2 two; finish
""", parts=(IMPORTS, TWO), verification="", says="working tree"),
    Attack("the state of the proof written by somebody else", WITHOUT_WORK + """\
ultra run finish --wait 0.01
for again in 1 2 3 4 5; do python3 - <<'END'
import json, pathlib
folder = pathlib.Path(".git/ultra/2026-01-31-greet/proof")
commands = json.loads((folder / "job.json").read_text())["commands"]
row = {"problem": "", "lacks": [], "log": "x", "passes_here": False}
state = {"proof": "clean checkout", "required": False, "notes": [], "copy": "", "done": True}
state["rows"] = [{"command": one["command"], **row} for one in commands]
(folder / "state.json").write_text(json.dumps(state))
END
sleep 0.2; done; finish
""", parts=(ONE, TWO), verification="sleep 2; sh tests/check.sh one"),
]  # fmt: skip
