"""Things that are not files where the plan expects files."""

from tests.attacks.arena import TWO, Attack
from tests.attacks.oracle import Part

THERE = Part(1, ("src/one.txt",), "test -e src/one.txt")
ROUTE = Part(1, ("src/[id].txt",), "ls src/i.txt")
SCRIPT = Part(1, ("src/one.sh",), "test -e src/one.sh")

ATTACKS = [
    Attack("a folder where a file is expected", """\
start; ultra step begin 1; mkdir src/one.txt; touch src/one.txt/x
ultra step verify 1; ultra step commit 1; good 2 two; finish
""", parts=(THERE, TWO), verification=""),
    Attack("an empty folder where a file is expected", """\
start; ultra step begin 1; mkdir src/one.txt
ultra step verify 1; ultra step commit 1; good 2 two; finish
""", parts=(THERE, TWO), verification=""),
    Attack("a FIFO where a file is expected", """\
start; ultra step begin 1; mkfifo src/one.txt
ultra step verify 1; ultra step commit 1; good 2 two; finish
""", parts=(THERE, TWO), verification=""),
    Attack("a symbolic link to a file outside", """\
echo part one > ../one; start; ultra step begin 1; ln -s ../../one src/one.txt
ultra step verify 1; ultra step commit 1; good 2 two; finish
"""),
    Attack("a symbolic link to an ignored file", """\
start; ultra step begin 1; mkdir -p build; echo part one > build/one; ln -s ../build/one src/one.txt
ultra step verify 1; ultra step commit 1; good 2 two; finish
"""),
    Attack("a symbolic link to nothing", """\
start; ultra step begin 1; ln -s nowhere src/one.txt
ultra step verify 1; ultra step commit 1; good 2 two; finish
""", parts=(Part(1, ("src/one.txt",), "test -L src/one.txt"), TWO), verification=""),
    Attack("a name with brackets is taken for a pattern", """\
start; ultra step begin 1; echo x > src/i.txt
ultra step verify 1; ultra step commit 1; good 2 two; finish
""", parts=(ROUTE, TWO), verification=""),
    Attack("a nested repository where a file is expected", """\
start; ultra step begin 1; mkdir src/one.txt; git -C src/one.txt init -q; git -C src/one.txt -c user.name=a -c user.email=a@b commit -q --allow-empty -m x
ultra step verify 1; ultra step commit 1; good 2 two; finish
""", parts=(THERE, TWO), verification=""),
    Attack("a name that differs in case", """\
start; ultra step begin 1; echo part one > src/ONE.txt
ultra step verify 1; ultra step commit 1; good 2 two; finish
""", parts=(Part(1, ("src/one.txt",), "ls src/ | grep -qi one.txt"), TWO), verification=""),
    Attack("the folder of the file is a link to the outside", """\
mkdir ../far; start; ultra step begin 1; ln -s ../far lib; echo part one > lib/one.txt
ultra step verify 1; ultra step commit 1; good 2 two; finish
""", parts=(Part(1, ("lib/one.txt",), "test -f lib/one.txt"), TWO), verification=""),
    Attack("more files expected than the plan names", """\
start; good 1 one; good 2 two; finish
""", parts=(Part(1, ("src/one.txt",), "sh tests/check.sh one", least=3), TWO), says="min_file_count", verification="false"),
]  # fmt: skip
