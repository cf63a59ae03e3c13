"""What verbs remember of the tree, so as not to read all of it: whoever changes that gains nothing."""

from tests.attacks.arena import Attack

ATTACKS = [
    Attack("the index of the snapshots is told to overlook a file", """\
start; GIT_INDEX_FILE=$OWN/index git update-index --assume-unchanged tests/check.sh
echo true > tests/check.sh; bad 1 one; bad 2 two; finish
""", says="changed outside any step: tests/check.sh"),
    Attack("the index of the snapshots already has the edit", """\
start; echo true > tests/check.sh; GIT_INDEX_FILE=$OWN/index git add tests/check.sh
bad 1 one; bad 2 two; finish
""", says="changed outside any step: tests/check.sh"),
    Attack("the index of the snapshots is removed", """\
start; rm $OWN/index $OWN/index.json; echo true > tests/check.sh
bad 1 one; bad 2 two; finish
""", says="changed outside any step: tests/check.sh"),
    Attack("the time of a rewritten test is put back", """\
start; touch -r tests/check.sh ../time; echo true > tests/check.sh; touch -r ../time tests/check.sh
bad 1 one; bad 2 two; finish
""", says="changed outside any step: tests/check.sh"),
    Attack("the time of a folder with a new test is put back", """\
start; touch -r tests ../time; echo exit 0 > tests/extra.sh; touch -r ../time tests
bad 1 one; bad 2 two; finish
""", says="changed outside any step: tests/extra.sh"),
    Attack("the time of a folder with a new ignored file is put back", """\
mkdir build; touch build/other; start; touch -r build ../time; touch build/pass; touch -r ../time build
bad 1 one; bad 2 two; finish
""", says="ignored files changed, which no commit has: build/pass"),
    Attack("the record of ignored files is removed", """\
start; rm $OWN/ignored; mkdir build; touch build/pass; bad 1 one; bad 2 two; finish
""", says="the record of ignored files is lost"),
    Attack("the record of ignored files already has the new one", """\
start; cp $OWN/ignored ../ignored; mkdir build; touch build/pass; ultra step begin 1
cp ../ignored $OWN/ignored; echo >> $OWN/ignored
echo part nothing > src/one.txt; ultra step verify 1; ultra step commit 1; bad 2 two; finish
""", says="the record of ignored files is lost"),
]  # fmt: skip
RUNS = [
    Attack("an honest run whose index of the snapshots was written by another program", """\
start; good 1 one; GIT_INDEX_FILE=$OWN/index git update-index --assume-unchanged README.md; good 2 two; finish
""", says="the index of the snapshots was not written by the runtime"),
]  # fmt: skip
