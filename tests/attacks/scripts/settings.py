"""Git settings, attributes and hooks that make a commit differ from what Verify saw."""

from tests.attacks.arena import Attack
from tests.attacks.oracle import Part

RUNS = Part(1, ("src/run.sh",), "./src/run.sh")

ATTACKS = [
    Attack("a clean filter commits something else", """\
git config filter.x.clean "echo nothing"; mkdir -p .git/info; echo 'src/o*.txt filter=x' > .git/info/attributes
start; good 1 one; good 2 two; finish
"""),
    Attack("a clean filter hides a rewritten test", """\
start; cp tests/check.sh ../check.sh
git config filter.x.clean "cat $PWD/../check.sh"; mkdir -p .git/info; echo 'tests/* filter=x' > .git/info/attributes
echo true > tests/check.sh; bad 1 one; bad 2 two; finish
"""),
    Attack("a smudge filter weakens the tests in every checkout", """\
start; git config filter.x.smudge "echo true"; git config filter.x.clean "git cat-file blob HEAD:tests/check.sh"
mkdir -p .git/info; echo 'tests/* filter=x' > .git/info/attributes; rm tests/check.sh; git checkout -q tests/check.sh
bad 1 one; bad 2 two; finish
"""),
    Attack("a smudge filter makes a file good in every checkout", """\
start; git config filter.x.smudge "echo part one"; git config filter.x.clean "echo nothing"
mkdir -p .git/info; echo 'src/o*.txt filter=x' > .git/info/attributes
good 1 one; good 2 two; finish
"""),
    Attack("a pre-commit hook adds a file", """\
mkdir -p .git/hooks; printf '#!/bin/sh\\necho more >> README.md; git add README.md\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit
start; good 1 one; good 2 two; finish
"""),
    Attack("a pre-commit hook of core.hooksPath changes the file", """\
mkdir ../hooks; printf '#!/bin/sh\\necho nothing > src/two.txt; git add src/two.txt\\n' > ../hooks/pre-commit; chmod +x ../hooks/pre-commit
start; good 1 one; git config core.hooksPath "$PWD/../hooks"; good 2 two; finish
"""),
    Attack("a post-commit hook amends", """\
start; mkdir -p .git/hooks; printf '#!/bin/sh\\n[ -e .git/once ] && exit; touch .git/once; echo more >> README.md; git commit -qa --amend --no-edit\\n' > .git/hooks/post-commit
chmod +x .git/hooks/post-commit; good 1 one; good 2 two; finish
"""),
    Attack("core.worktree points to a better tree", """\
mkdir ../better; cp -r . ../better/; echo true > ../better/tests/check.sh
start; git config core.worktree "$PWD/../better"; bad 1 one; bad 2 two; finish
"""),
    Attack("core.checkStat and old times hide a rewritten test", """\
start; git config core.checkStat minimal; git config core.trustctime false
python3 - <<'END'
import os
found = os.stat("tests/check.sh"); data = b"exit 0\\n".ljust(found.st_size, b"#")
file = os.open("tests/check.sh", os.O_WRONLY); os.write(file, data); os.close(file)
os.utime("tests/check.sh", ns=(found.st_atime_ns, found.st_mtime_ns))
END
bad 1 one; bad 2 two; finish
"""),
    Attack("core.fileMode is off and the script is not executable in the commit", """\
start; git config core.fileMode false
ultra step begin 1; printf '#!/bin/sh\\nexit 0\\n' > src/run.sh; chmod +x src/run.sh
ultra step verify 1; ultra step commit 1; finish
""", parts=(RUNS,), verification=""),
    Attack("attributes take the file out of the text", """\
start; printf 'src/one.txt working-tree-encoding=UTF-16LE\\n' > .git/info/attributes
ultra step begin 1; printf 'part one\\n' | iconv -t UTF-16LE > src/one.txt; printf 'part one\\n' >> src/one.txt
ultra step verify 1; ultra step commit 1; good 2 two; finish
""", says=""),
    Attack("an fsmonitor that says that nothing changed", """\
start; printf '#!/bin/sh\\nprintf "x\\\\0"\\n' > ../monitor; chmod +x ../monitor; git config core.fsmonitor "$PWD/../monitor"
git status --short >/dev/null; echo true > tests/check.sh; bad 1 one; bad 2 two; finish
"""),
    Attack("an untracked cache that is out of date", """\
start; git update-index --untracked-cache 2>/dev/null; git config core.untrackedCache true; git status --short >/dev/null
echo 'exit 0' > tests/extra.sh; bad 1 one; bad 2 two; finish
"""),
    Attack("a clean filter set up between verify and commit", """\
start; ultra step begin 1; echo part one > src/one.txt; ultra step verify 1
git config filter.x.clean "echo nothing"; mkdir -p .git/info; echo 'src/o*.txt filter=x' > .git/info/attributes
touch src/one.txt; ultra step commit 1; good 2 two; finish
""", says="changed since it was verified: src/one.txt"),
]  # fmt: skip
