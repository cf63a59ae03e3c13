"""Commands of the plan that leave the clean checkout, or change it for those that follow."""

from tests.attacks.arena import TWO, Attack
from tests.attacks.oracle import Part
from tests.attacks.scripts.checkout import WITHOUT_WORK

# A formatter is no test: it passes whatever it finds, and what it finds is right afterwards.
FORMATS = Part(1, ("src/one.txt",), "sed -i 's/ *$//' src/*.txt")
FIXES = Part(
    1, ("src/one.txt",), "{ [ ! -e src/two.txt ] || echo 'part two' > src/two.txt; } && sh tests/check.sh one"
)
PRINTS = Part(2, ("src/two.txt",), "grep -q part src/two.txt")
WRECKS = Part(
    1,
    ("src/one.txt",),
    'sh tests/check.sh one && case $PWD in "$BESIDE"/*) ;; *) rm -r tests; ln -s /etc tests; rm README.md; mkdir README.md;'
    " git rm -q --cached src/zero.txt; echo new > src/new; git add src/new; git commit -qm more; esac",
)
STANDS = Part(
    2, ("src/two.txt",), "sh tests/check.sh two && test -f README.md && git ls-files | grep -q zero"
)


def elsewhere(path: str) -> Part:
    """Return a step whose Verify names the user's tree by a path."""
    return Part(1, ("src/one.txt",), f"cd {path} && sh tests/check.sh one")


SPELLED = 'sed -i "s|ROOT|$PWD|" $PLAN\n'

ATTACKS = [
    Attack("Verify of one step repairs the file of another one in the checkout", """\
start; good 1 one; mkdir build; touch build/pass; bad 2 two; rm -r build; finish
""", parts=(FIXES, TWO), verification="", says="step 2: verify"),
    Attack("a formatter as Verify makes up for what is committed unformatted", """\
start; good 1 one; ultra step begin 2; echo "part two  " > src/two.txt; ultra step verify 2; ultra step commit 2; finish
""", parts=(FORMATS, PRINTS), verification="! grep -n ' $' src/*.txt", says="grep -n"),
    *(
        Attack(f"Verify names the working tree as {path}", SPELLED + WITHOUT_WORK + "finish\n",
            parts=(elsewhere(path), TWO), verification="", says="what it needs is not committed")
        for path in ("ROOT", "'ROOT'", "ROOT/", "~/repo", "$HOME/repo", '"${HOME}/repo/src/.."')
    ),
]  # fmt: skip

RUNS = [
    Attack("a Verify that wrecks the checkout after its test", "start; good 1 one; good 2 two; finish\n",
        parts=(WRECKS, STANDS)),
]  # fmt: skip
