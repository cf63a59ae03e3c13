"""Changes of what the clean checkout takes from around the commit: filters, included files, dependencies, settings."""

from tests.attacks.arena import TWO, Attack
from tests.attacks.oracle import Part
from tests.attacks.scripts.checkout import ONE, WITHOUT_WORK

FILTERED = {".gitattributes": "tests/* filter=x\n"}
RUNNER = "node_modules/.bin/check"
# A test runner that is installed, and not committed.
INSTALLED = Part(1, ("src/one.txt",), f"sh {RUNNER} one")
# A task runner that remembers what has passed, by the files that it was told about.
PASSED = "node_modules/.cache/$(cksum < src/one.txt | tr -d ' ')"
REMEMBERED = Part(
    1, ("src/one.txt",), f"[ -e {PASSED} ] || {{ sh tests/check.sh one && mkdir -p {PASSED}; }}"
)
INSTALL = f"""\
echo node_modules/ >> .git/info/exclude; mkdir -p node_modules/.bin; cp tests/check.sh {RUNNER}
"""
LEFT_OPEN = "start; mkdir build; touch build/pass; bad 1 one; bad 2 two; rm -r build; finish\n"

ATTACKS = [
    Attack("committed attributes get a smudge filter during the run", WITHOUT_WORK + """\
git config filter.x.smudge "echo true"; finish
""", parts=(ONE, TWO), files=FILTERED, says="conversion.*filter.x.smudge"),
    Attack("committed attributes get a smudge filter after a partial end", LEFT_OPEN + """\
git config filter.x.smudge "echo true"
""", parts=(ONE, TWO), files=FILTERED, says="conversion.*filter.x.smudge"),
    Attack("a filter of the user does something else during the run", """\
git config filter.x.smudge cat
""" + WITHOUT_WORK + """\
git config filter.x.smudge "echo true"; finish
""", parts=(ONE, TWO), files=FILTERED, says="conversion.*filter.x.smudge"),
    Attack("an uncommitted .worktreeinclude written during the run", WITHOUT_WORK + """\
echo build/ > .worktreeinclude; finish
""", parts=(ONE, TWO), says="was edited|outside any step|not committed"),
    Attack("an uncommitted .worktreeinclude written before a resume", WITHOUT_WORK + """\
finish; echo build/ > .worktreeinclude; resume; finish
""", parts=(ONE, TWO), says="worktreeinclude was edited since the run started"),
    Attack("a file that .worktreeinclude names written during the run", """\
echo build/ > .worktreeinclude
""" + WITHOUT_WORK + "finish\n", parts=(ONE, TWO), says="dependencies.*build/pass"),
    Attack("an installed test runner edited during the run", INSTALL + f"""\
start; echo true > {RUNNER}; bad 1 one; finish
""", parts=(INSTALLED,), verification="sh tests/check.sh one || true", says="dependencies.*node_modules"),
    Attack("an installed test runner edited while the proof runs, and put back", INSTALL + f"""\
start; echo true > {RUNNER}; bad 1 one; ultra run finish --wait 0.01; sleep 1.5; cp tests/check.sh {RUNNER}; finish
""", parts=(INSTALLED,), verification="sleep 0.5", says="dependencies.*node_modules"),
    Attack("a dependency added during the run", INSTALL + """\
start; mkdir node_modules/loose; echo x > node_modules/loose/index.js; bad 1 one; finish
""", parts=(Part(1, ("src/one.txt",), "test -e node_modules/loose/index.js"),), verification="", says="dependencies.*node_modules"),
    Attack("a task runner keeps in a cache among the dependencies that the tests have passed", INSTALL + """\
start; mkdir build; touch build/pass; bad 1 one; rm -r build; finish
""", parts=(REMEMBERED,), verification=""),
    Attack("proof: off written after a partial end", LEFT_OPEN + """\
echo 'proof: off' > .claude/ultra.yaml
""", parts=(ONE, TWO), verification=""),
    Attack("proof: off written before a resume", LEFT_OPEN + """\
echo 'proof: off' > .claude/ultra.yaml; resume; finish
""", parts=(ONE, TWO), verification="", says="ultra.yaml was edited since the run started"),
    Attack("a setup written before a resume", LEFT_OPEN + """\
echo 'setup: mkdir build && touch build/pass' > .claude/ultra.yaml; resume; finish
""", parts=(ONE, TWO), says="ultra.yaml was edited since the run started"),
    Attack("an installed test runner edited during the run, which then starts over", INSTALL + f"""\
start; echo true > {RUNNER}; bad 1 one; finish; start --restart; ultra step begin 1; ultra step verify 1; ultra step commit 1; finish
""", parts=(INSTALLED,), verification="", says="cannot be completed unless the user accepts it"),
    Attack("a setup written before the run starts over", LEFT_OPEN + """\
echo 'setup: mkdir build && touch build/pass' > .claude/ultra.yaml; start --restart; mkdir build; touch build/pass; bad 1 one; bad 2 two; finish
""", parts=(ONE, TWO), says="ultra.yaml was edited since the run started"),
    Attack("no place for a checkout at a resume", """\
mkdir ../room; export TMPDIR=$PWD/../room
start; mkdir build; touch build/pass; bad 1 one; ultra run abort; rmdir ../room; resume; bad 2 two; finish
""", parts=(ONE, TWO), verification="", says="clean checkout; found .*room"),
    Attack("the job of the proof written by somebody else", WITHOUT_WORK + """\
ultra run finish --wait 0.01
for again in 1 2 3 4 5; do python3 - <<'END'
import json, pathlib
path = pathlib.Path(".git/ultra/2026-01-31-greet/proof/job.json")
values = json.loads(path.read_text()); values["settings"] = {"proof": "off"}; path.write_text(json.dumps(values))
process = path.with_name("process.json"); process.write_text("{}")
END
sleep 0.2; done; finish
""", parts=(ONE, TWO), verification="sleep 2"),
]  # fmt: skip

RUNS = [
    Attack("the same dependencies installed again", INSTALL + f"""\
start; rm -r node_modules; mkdir -p node_modules/.bin; cp tests/check.sh {RUNNER}; good 1 one; finish
""", parts=(ONE,), verification="test -e node_modules/.bin/check || true"),
    Attack("a dependency added with the file that declares it", INSTALL + """\
start; ultra step begin 1; mkdir node_modules/loose; echo x > node_modules/loose/index.js; echo '{}' > package.json
ultra step verify 1; ultra step commit 1; finish
""", parts=(Part(1, ("package.json",), "test -e package.json"),), verification="", says="node_modules changed during the run"),
    Attack("a cache in the folder of dependencies", INSTALL + """\
start; mkdir node_modules/.cache; echo x > node_modules/.cache/x; good 1 one; finish
""", parts=(ONE,), verification="mkdir -p node_modules/.tmp; ls -a > node_modules/.tmp/tsconfig.tsbuildinfo"),
    Attack("a dependency added with the file that declares it, before the run starts over", INSTALL + """\
start; ultra step begin 1; mkdir node_modules/loose; echo x > node_modules/loose/index.js; echo '{}' > package.json
ultra step verify 1; ultra step commit 1; ultra run abort; start --restart; ultra step begin 1; echo '{ }' > package.json
ultra step verify 1; ultra step commit 1; finish
""", parts=(Part(1, ("package.json",), "test -e package.json"),), verification=""),
    Attack("settings that the user changes and accepts for a run that starts over", """\
start; good 1 one; ultra run abort; printf 'limits:\\n  attempts: 5\\n' > .claude/ultra.yaml
start --restart --accept-settings-change; good 1 one; good 2 two; finish
""", says="accepted, changed since the run started: `limits`"),
    Attack("settings that the user changes and accepts", """\
start; good 1 one; ultra run abort; printf 'limits:\\n  attempts: 5\\n' > .claude/ultra.yaml
resume --accept-settings-change; good 2 two; finish
""", says="accepted, changed since the run started: `limits`"),
]  # fmt: skip
