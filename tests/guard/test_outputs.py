"""The programs themselves are the oracle for what they print: where the guard knows an output, it is theirs."""

from __future__ import annotations

import itertools
import subprocess
from pathlib import Path

from ultra_runtime.guard.follow.watch import watch
from ultra_runtime.guard.shell.marks import known

FILES = "printf 'one:1:x\\ntwo:2:y\\nthree:3:z\\n' > f; printf 'a\\tb\\tc\\nd\\te\\tf\\n' > g; echo last > h"
ECHOES = [
    f"echo {flags} {words}"
    for flags, words in itertools.product(
        ("", "-n", "-e", "-E", "-ne", "-en", "-eE", "-Ee", "-n -e", "-e -E", "-E -e", "-x", "-", "--", "-nx", "-n -x"),
        ("a b", "'a\\tb\\n'", "'\\x41\\0101\\0'", "'a\\cb' c", "'a  b'   c", "'\\u41\\u00e9\\U41z\\x4142'", "'\\\\n\\q\\'"),
    )
]  # fmt: skip
FORMS = [
    f"printf {form} {words}"
    for form, words in itertools.product(
        (
            "'%s'",
            "'%s\\n'",
            "'%s-%s;'",
            "-- '%s.'",
            "'a%%b'",
            "'%c'",
            "'%b|'",
            "'\\x41\\102%s\\n'",
            "'%s%c'",
            "x",
        ),
        ("", "a", "a b", "a b c", "'a\\tb' '\\0101'", "''"),
    )
] + [
    f"printf '{form}' {words}"
    for form in ("%d", "%i,", "%x", "%X.", "%o", "%u")
    for words in ("7", "255 8", "10 11 12")
]
# A width is not followed; it changes no word.
CUTS = [
    f"cut {what} {source}"
    for what in (
        "-c1", "-c2", "-c2-3", "-c-2", "-c2-", "-b1-2", "-c 1", "-d: -f1", "-d: -f2", "-d: -f2-", "-d: -f-2", "-d : -f 2-3",
        "--characters=2", "--delimiter=: --fields=2", "--bytes=1-2",
    )
    for source in ("f", "< f")
] + ["cut -f1 g", "cut -f2- g", "cut -f1-2 < g", "cut -f3 g"]  # fmt: skip
ENDS = [
    f"{name} {count} {source}"
    for name in ("head", "tail")
    for count in ("-n 1", "-n1", "-1", "-n 2", "-2", "-n 9", "-n 3")
    for source in ("f", "< f", "f | cat")
]
SETS = [
    f"printf 'Hello, World\\nabc-xyz\\n' | tr {sets}"
    for sets in (
        "a-z A-Z", "A-Za-z N-ZA-Mn-za-m", "lo 01", "abc x", "abc xy", "'[:lower:]' '[:upper:]'", "'[:upper:]' '[:lower:]'",
        "-d l", "-d a-z", "-d '[:space:]'", "--delete lo", "'\\n' ' '", "a- xy", "'\\154' L", "x-z a", "-d 'a-'", "e e",
        "-d -", "ll ab", "-d '[:upper:]'", "-- '-a' xy", "-d -- '-l'", "-d 'l-'",
    )
]  # fmt: skip
EDITS = [
    f"printf 'one one\\ntwo\\n\\none' | sed {script}"
    for script in (
        "s/one/1/", "s/one/1/g", "s|one|1|", "'s,o,0,g'", "s/^/x/", "'s/^/rm /'", "-e s/one/1/ -e s/two/2/",
        "--expression=s/two/2/", "s/absent/x/", "s/one//", "s/o/0/", "'s/^/x/;'",
    )
]  # fmt: skip
PASTED = [
    f"paste {words}" for words in ("-d: f g", "-d ' ' h h", "h h", "-d, h - < h", "--delimiters=. h h", "g")
]
OTHERS = [
    "cat f", "cat f h", "cat - < f", "cat f - < h", "cat /dev/stdin < f", "cat < f", "cat f | rev", "rev < g", "tee x < f",
    "tee x < f > /dev/null; cat x", "tee -a h < f > /dev/null; cat h", "basename /a/b/c", "basename a", "basename /a/b/",
    "cp f x; cat x", "mv f x; cat x", "install f x > /dev/null; cat x", "ln f x; cat x", "cp /dev/stdin x < f; cat x", "dd if=f of=x > /dev/null; cat x",
    "dd of=x < f > /dev/null; cat x", "cp -t . f; cat f", "cat f > x; cat f >> x; cat x", "sponge x < /dev/null > /dev/null; cat f", "sort -o x h > /dev/null; cat h",
    "{ echo a; echo b; } > x; cat x", "(echo a) > x; cat x", "echo a | tee x; cat x", "cat f | head -n 2 | tail -n 1 | cut -d: -f2",
    "split -b 9 h x > /dev/null; cat h", "split -l 9 f > /dev/null; cat xaa", "sort -o x h > /dev/null; cat x",
    "echo -n", "printf ''", "cat h h h", "cat <<< word", "cat << E\nline\nE", "cat <<- E\n\tline\n\tE", "echo a >&1", "echo a >&2",
    "echo a > /dev/null", "echo a > /dev/stdout", "echo a 2> x", "echo a 1> x; cat x", "true", ":", "false", "test a", "sleep 0",
]  # fmt: skip
ROWS = [*ECHOES, *FORMS, *CUTS, *ENDS, *SETS, *EDITS, *PASTED, *OTHERS]


def program(row: str) -> str:
    """Return a program that shows what a command prints, with the newlines at its end."""
    return f'{FILES}; show "$({row}\necho .)"'


def by_programs(folder: Path) -> list[str]:
    """Return what the commands print, all in one process, each in a folder of its own."""
    show = "show() { printf '%s\\0' \"$1\"; }"
    texts = [f"(mkdir {at}; cd {at}\n{program(row)}) 2>&-" for at, row in enumerate(ROWS)]
    done = subprocess.run(
        ["bash", "--norc", "-c", "\n".join([show, *texts])],
        cwd=folder, capture_output=True, check=True, env={"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    return done.stdout.decode().split("\0")[:-1]


def by_guard(row: str) -> str:
    """Return what the guard says that a command prints."""
    (shown,) = [words[1:] for words in watch(program(row)).commands() if words[0] == "show"]
    return shown[0]


def test_what_is_printed_is_what_the_programs_print(tmp_path: Path) -> None:
    truth = by_programs(tmp_path)
    assert len(truth) == len(ROWS)
    seen = list(map(by_guard, ROWS))
    assert not [row for row in zip(ROWS, truth, seen, strict=True) if row[1] != row[2]]
    assert all(map(known, seen))
