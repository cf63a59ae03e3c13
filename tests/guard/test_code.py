"""Programs in other languages: their tokens, their calls, and the paths that they change."""

from __future__ import annotations

from tests.kit.table import each
from ultra_runtime.guard.follow.code import (
    MAX_ARGUMENTS,
    MAX_TOKENS,
    NAME,
    NUMBER,
    SHELL,
    SIGN,
    STRING,
    look,
    tokens_of,
)
from ultra_runtime.guard.follow.code_paths import changed_paths
from ultra_runtime.guard.follow.hosts import sed_commands


def spelled(code: str, language: str) -> str:
    """Return tokens as one text: names and numbers as they are, strings in quotes, shell texts in backquotes."""
    forms = {NAME: "{}", NUMBER: "{}n", STRING: "'{}'", SHELL: "`{}`", SIGN: "{}"}
    return " ".join(forms[kind].format(text) for kind, text in tokens_of(code, language))


@each(
    [
        ("python", "ab_1 = 12", "ab_1 = 12n"),
        ("python", "a\t=\r b", "a = b"),
        ("python", "a\nb", "a \n b"),
        ("python", "'a\"b' \"c'd\"", "'a\"b' 'c'd'"),
        ("python", "'a\\'b' c", "'a'b' c"),
        ("python", "'a\\\\' b", "'a\\' b"),
        ("python", "'a\\\\\\'b' c", "'a\\'b' c"),
        ("python", "'''a'b\n''' c", "'a'b\n' c"),
        ("python", '"""a"b""" c', "'a\"b' c"),
        ("node", "'''a'", "'' 'a'"),
        ("python", "a # b\nc", "a \n c"),
        ("python", "a # b", "a"),
        ("node", "a # b", "a # b"),
        ("node", "a // b\nc", "a \n c"),
        ("node", "a // b", "a"),
        ("python", "a // b", "a / / b"),
        ("php", "a # b\nc // d\ne", "a \n c \n e"),
        ("python", "'open", "'open'"),
        ("python", "'open\\'", "'open''"),
        ("perl", "`a b` c", "`a b` c"),
        ("ruby", "`a`", "`a`"),
        ("php", "`a`", "`a`"),
        ("node", "`a`", "'a'"),
        ("python", "`a`", "'a'"),
        ("perl", "q{a b} c", "'a b' c"),
        ("perl", "qq(a) qx[b] q<c> q|d|", "'a' `b` 'c' 'd'"),
        ("perl", "qw(a b) c", "'a' 'b' c"),
        ("perl", "q{open", "'open'"),
        ("perl", "q = 1", "q = 1n"),
        ("perl", "q, q; q) q", "q , q ; q ) q"),
        ("perl", "qq=1", "qq = 1n"),
        ("perl", "qr{a}", "qr { a }"),
        ("ruby", "q{a}", "q { a }"),
        ("ruby", "%x(a b) c", "`a b` c"),
        ("ruby", "%x[a] %x{b} %x<c>", "`a` `b` `c`"),
        ("ruby", "%x a", "% x a"),
        ("ruby", "%w(a)", "% w ( a )"),
        ("perl", "%x(a)", "% x ( a )"),
    ]
)
def test_tokens(language: str, code: str, expected: str) -> None:
    assert spelled(code, language) == expected


def test_tokens_and_arguments_have_a_limit() -> None:
    assert len(tokens_of("a " * (MAX_TOKENS + 5), "python")) == MAX_TOKENS
    for count, found in ((MAX_ARGUMENTS - 3, ["x"]), (MAX_ARGUMENTS - 2, [])):
        assert look(f"system({'1 ' * count}'x')", "python").texts == found


@each(
    [
        ("python", "os.system('x')", ["x"]),
        ("python", "os.system('x', 'y')", ["x", "xy"]),
        ("python", "os.system ( 'x' ); 'y'", ["x"]),
        ("python", "os.system('x') + 'y'", ["x"]),
        ("python", "os.system(f('x'), 'y')", ["x", "xy"]),
        ("python", "f([os.system('x'), 'y'])", ["x"]),
        ("python", "os.system = 'x'", []),
        ("python", "os.system.x('y')", []),
        ("python", "def system(x): 'y'", []),
        ("node", "function exec(x) { 'y' }", []),
        ("perl", "sub system { 'x' }", []),
        ("perl", "system 'x'; 'y'", ["x"]),
        ("perl", "system 'x'\n'y'", ["x"]),
        ("perl", "system('x' . 'y')", ["x", "xy"]),
        ("python", "c = 'x'; os.system(c)", ["x"]),
        ("python", "c = 1; os.system(c)", []),
        ("python", "c == 'x'; os.system(c)", []),
        ("python", "for c in ['x']: os.system(c)", ["x"]),
        ("node", "for (c of ('x')) execSync(c)", ["x"]),
        ("python", "for c in 'x': os.system(c)", []),
        ("python", "in ['x']; os.system(c)", []),
        ("python", "from os import system as s; s('x')", ["x"]),
        ("python", "from os import path as s; s('x')", []),
        ("python", "import subprocess; subprocess.run('x')", ["x"]),
        ("python", "import subprocess; subprocess.call('x')", ["x"]),
        ("python", "run('x'); call('x')", []),
        ("node", "Deno.run('x')", ["x"]),
        ("node", "new Deno.Command('x')", ["x"]),
        ("node", "new Command('x')", []),
        ("node", "exec('x'); spawn('x')", []),
        ("node", "require('child_process').exec('x')", ["child_process", "x"][1:]),
        ("node", "child_process.spawn('x')", ["x"]),
        ("python", "pty.spawn('x')", ["x"]),
        ("node", "Bun.spawn('x')", ["x"]),
        ("node", "execSync; exec('x')", ["x"]),
        ("perl", "exec('x')", ["x"]),
        ("php", "exec('x');", ["x"]),
        ("lua", "exec('x')", ["x"]),
        ("python", "exec('x')", []),
        ("osascript", 'do shell script "x"', ["x"]),
        ("python", "script('x')", []),
        ("python", "os.system('a' + 'b')", ["ab"]),
        ("python", "os.system('a' + 'b' + 'c')", ["abc"]),
        ("python", "os.system('a' + b)", ["a"]),
        ("python", "os.system('a' +", ["a"]),
        ("python", "getattr(os, 'system')('x')", ["x"]),
        ("python", "getattr(os, f('a'))('x')", []),
        ("python", "os['system']('x')", ["x"]),
        ("python", "f()['system']('x')", ["x"]),
        ("python", "['system']('x')", []),
        ("python", "os['system']", []),
        ("python", "os['system'] ['x']", []),
        ("python", "os.system('%s b' % 'a')", ["%s b", "%s ba", "a b"]),
        ("python", "os.system('{} {}'.format('a', 'b'))", ["{} {}", "{} {}ab", "a b"]),
        ("python", "os.system('-'.join('a', 'b'))", ["-", "-ab", "a-b"]),
        ("awk", '"x" | getline', ["x"]),
        ("awk", '"x" | other', []),
        ("awk", 'print "y" | "x"', ["x"]),
        ("awk", 'print "a" "b" | "sh"', ["sh", "ab"]),
        ("awk", 'printf "a" | " sh "', [" sh ", "a"]),
        ("awk", 'x = "c"; print "a" | "sh"', ["sh", "a"]),
        ("python", "'x' | getline", []),
        ("perl", "open(F, 'x |')", ["x "]),
        ("perl", "open(F, '| x')", [" x"]),
        ("perl", "open(F, 'x')", []),
        ("python", "open('x |')", []),
        ("perl", "`x`", ["x"]),
    ]
)
def test_texts_for_a_shell(language: str, code: str, expected: list[str]) -> None:
    assert look(code, language).texts == expected


@each(
    [
        ("python", "rmtree('x')", ["code_remove"]),
        ("python", "rmtree", []),
        ("python", "rmtree; (1)", []),
        ("ruby", "rm_rf 'x'", ["code_remove"]),
        ("ruby", "rm_rf", []),
        ("perl", "remove_tree $x", ["code_remove"]),
        ("perl", "remove_tree;", []),
        ("python", "rm_rf x", []),
        ("python", "from shutil import rmtree as r; r('x')", ["code_remove"]),
        ("python", "from shutil import rmtree as r; r", []),
        ("python", "from shutil import rmtree as r; s('x')", []),
        ("node", "rm(x, {recursive: true, force: true})", ["code_remove"]),
        ("node", "rm(x, {recursive: true})", []),
        ("node", "rm(x, {force: true})", []),
        ("node", "rm(x, 'recursive force')", []),
        ("ruby", "rm_r(x, force: true)", ["code_remove"]),
        ("ruby", "rm_r(x)", []),
        ("python", "os.chmod('x', 0o777)", ["code_mode"]),
        ("node", "chmodSync('x', '777')", ["code_mode"]),
        ("python", "os.chmod('x', 511)", ["code_mode"]),
        ("perl", "chmod 0777, 'x'", ["code_mode"]),
        ("python", "os.chmod('x', 0o755)", []),
        ("awk", "chmod(777)", []),
        ("python", "os.kill(-1, 9)", ["code_kill"]),
        ("perl", "kill 9, -1", ["code_kill"]),
        ("python", "os.kill(1, 9)", []),
        ("python", "os.kill(x-1, 9)", []),
        ("python", "os.kill(-2, 9)", []),
        ("python", "kill", []),
        ("python", "while 1: os.fork()", ["code_fork"]),
        ("python", "for x in y: os.fork()", ["code_fork"]),
        ("ruby", "until x; fork", ["code_fork"]),
        ("ruby", "loop { Kernel.fork }", ["code_fork"]),
        ("ruby", "loop { Process.fork }", ["code_fork"]),
        ("node", "while (1) child_process.fork()", ["code_fork"]),
        ("node", "while (1) x.fork()", []),
        ("perl", "fork while 1", ["code_fork"]),
        ("perl", "fork until 0", ["code_fork"]),
        ("perl", "fork; while (1)", []),
        ("python", "os.fork()", []),
        ("python", "while 1: fork", []),
        ("python", "while 1: 'fork'", []),
        ("python", "fork() while", []),
        ("python", "fork; while 1: os.fork()", ["code_fork"]),
        ("perl", "redo; fork", ["code_fork"]),
        ("python", "exec(b64decode('x'))", ["decoded_text"]),
        ("python", "x = b64decode('x'); exec(x)", ["decoded_text"]),
        ("python", "x = b64decode('x'); exec('y')", []),
        ("python", "x = b64decode('x'); y.exec(x)", []),
        ("python", "os.system(b64decode('x'))", ["decoded_text"]),
        ("python", "x = b64decode('x'); os.system(x)", []),
        ("node", "eval(Buffer.from(x, 'base64'))", ["decoded_text"]),
        ("node", "eval(Buffer.from(x, 'hex'))", []),
        ("node", "eval(x, 'base64')", []),
        ("node", "new Function(atob('x'))", ["decoded_text"]),
        ("node", "y = atob('x'); f(eval)", ["decoded_text"]),
        ("node", "f(eval)", []),
        ("python", "exec(urlopen('x'))", ["fetched_text"]),
        ("python", "x = urlopen('x'); exec(x)", ["fetched_text"]),
        ("python", "x = urlopen('x'); exec('y')", []),
        ("python", "exec(x.get('http://a'))", ["fetched_text"]),
        ("python", "exec(x.get('https://a'))", ["fetched_text"]),
        ("python", "exec(x.get('ftp://a'))", []),
        ("python", "os.system(urlopen('x'))", []),
        ("node", "fetch(x).then(eval)", ["fetched_text"]),
        ("node", "fetch(x).then(f)", []),
        ("python", "print('rmtree')", []),
    ]
)
def test_what_a_program_does_itself(language: str, code: str, expected: list[str]) -> None:
    assert look(code, language).rules == expected


@each(
    [
        ("python", "print('a', 'b'); x('c')", ["a", "b"], "printed"),
        ("ruby", "puts 'a'\n'b'", ["a"], "printed"),
        ("node", "console.log('a')", ["a"], "printed"),
        ("python", "open('a', 'w')", ["a"], "writes"),
        ("python", "open('a', 'a')", ["a"], "writes"),
        ("python", "open('a', 'r')", [], "writes"),
        ("python", "open('a')", [], "writes"),
        ("python", "open('w')", [], "writes"),
        ("perl", "open(F, '>', 'a')", ["a"], "writes"),
        ("perl", "open(F, '<', 'a')", [], "writes"),
        ("perl", "open(F, '>')", [], "writes"),
        ("perl", "open(F, '-|', 'a', 'b')", ["a"], "texts"),
        ("perl", "open(F, '|-', 'a')", ["a"], "texts"),
        ("perl", "open(F, '-|')", [], "texts"),
        ("perl", "open(F, '-|', 'a', 'b')", [["a", "b"]], "commands"),
        ("perl", "open(F, '-|')", [], "commands"),
        ("python", "open('a', 'r+')", ["a"], "writes"),
        ("python", "open('a', 'ascii')", [], "writes"),
        ("perl", "open(F, '>a')", ["a"], "writes"),
        ("perl", "open(F, '>> a')", ["a"], "writes"),
        ("perl", "open(F, '<a')", [], "writes"),
        ("awk", 'print "x" > "a"', ["a"], "writes"),
        ("awk", 'print "x"; "a"', [], "writes"),
        ("python", "eval('a', 'b')", ["a"], "codes"),
        ("python", "exec('a')", ["a"], "codes"),
        ("node", "Function('a')", ["a"], "codes"),
        ("python", "os.system('a')", [], "codes"),
        ("node", "x.eval('a')", [], "codes"),
    ]
)
def test_what_a_program_prints_writes_and_runs(
    language: str, code: str, expected: list[object], where: str
) -> None:
    assert getattr(look(code, language), where) == expected


def test_commands_and_what_comes_from_outside() -> None:
    assert look("subprocess.run(['a', 'b'])", "python").commands == [["a", "b"]]
    assert look("subprocess.run(['a'])", "python").commands == []
    assert (look("b64decode", "python").decodes, look("urlopen", "python").fetches) == (True, True)
    assert look("'b64decode'", "python").decodes
    assert (look("x", "python").decodes, look("x", "python").fetches) == (False, False)


@each(
    [
        ("python", "open('a', 'w')", ["a"]),
        ("python", "open('a', mode='x')", ["a"]),
        ("python", "open('a')", []),
        ("python", "open('a', 'rb')", []),
        ("perl", "open(F, '>', 'a')", ["a"]),
        ("perl", "open(F, '+<', 'b')", ["b"]),
        ("perl", "open(F, '<', 'w')", []),
        ("python", "open('b', 'r+')", ["b"]),
        ("python", "open('b', 'r', encoding='ascii')", []),
        ("python", "open('b', 'wb', encoding='utf-8')", ["b"]),
        ("python", "p = 'a'; open(p, 'w')", ["a"]),
        ("python", "p = ('a'); open(p, 'w')", ["a"]),
        ("python", "p += 'a'; open(p, 'w')", []),
        ("python", "p.q = 'a'; open(q, 'w')", ["a"]),
        ("python", "p = Path('a'); p.write_text('x')", ["a"]),
        ("python", "p = pathlib.Path('a'); p.unlink()", ["a"]),
        ("python", "p = a.b.Path('a'); p.unlink()", ["a"]),
        ("python", "p = f('a'); p.unlink()", []),
        ("python", "p = Path(x); p.unlink()", []),
        ("python", "Path('a').unlink()", ["a"]),
        ("python", "Path('a').read_text()", []),
        ("python", "x('a').unlink()", []),
        ("python", "q.unlink()", []),
        ("python", "unlink('a')", []),
        ("perl", "unlink('a')", ["a"]),
        ("php", "rename('a', 'b');", ["a", "b"]),
        ("perl", "remove('a')", []),
        ("python", "os.remove('a')", ["a"]),
        ("python", "x.remove('a')", []),
        ("python", "shutil.copy('a', 'b')", ["b"]),
        ("python", "shutil.move('a', 'b')", ["a", "b"]),
        ("python", "shutil.rmtree('a')", ["a"]),
        ("python", "copytree('a', 'b')", ["b"]),
        ("node", "fs.writeFileSync('a', 'b')", ["a"]),
        ("node", "renameSync('a', 'b')", ["a", "b"]),
        ("ruby", "File.write('a', 'b')", ["a"]),
        ("ruby", "IO.write('a', 'b')", ["a"]),
        ("python", "os.chdir('d'); open('a', 'w')", ["d/a"]),
        ("python", "run(x, cwd='d')", ["d/"]),
        ("node", "exec(x, {cwd: 'd'})", ["d/"]),
        ("node", "cwd('d')", []),
        ("python", "os.chdir('d'); Path('a').touch()", ["d/a"]),
        ("python", "os.chdir('d'); os.remove('a'); rmtree('b')", ["d/a", "d/b"]),
        ("python", "'unlink'", []),
        ("python", "('a').unlink()", []),
        ("python", "= 'a'; open(x, 'w')", []),
        ("python", "('a')", []),
        ("python", "Path('a')", []),
    ]
)
def test_paths_that_a_program_changes(language: str, code: str, expected: list[str]) -> None:
    assert changed_paths(code, language) == expected


@each(
    [
        ("p", []),
        ("e x", [("e", "x")]),
        ("1e x", [("e", "x")]),
        ("/a/e x", [("e", "x")]),
        ("/e x/p", []),
        ("\\,a,e x", [("e", "x")]),
        ("/a\\/b/e x", [("e", "x")]),
        ("s/a/b/e", [("e", "")]),
        ("s/a/b/ge", [("e", "")]),
        ("s/a/b/;e x", [("e", "x")]),
        ("s/a/b/}e x", [("e", "x")]),
        ("s/a/b/\ne x", [("e", "x")]),
        ("s/e/w/", []),
        ("s/a/b/w x y", [("w", "x y")]),
        ("s/a/b/w x\ne y", [("w", "x"), ("e", "y")]),
        ("s/a/b/ew x", [("e", ""), ("w", "x")]),
        ("y/a/b/e", []),
        ("y/a/b/;w x", [("w", "x")]),
        ("s/a\\/b/c/e", [("e", "")]),
        ("w x\np", [("w", "x")]),
        ("W x", [("w", "x")]),
        ("a e x", []),
        ("i w x", []),
        ("c w x\ne y", [("e", "y")]),
        (": e\ne y", [("e", "y")]),
        ("b e", []),
        ("t e", []),
        ("T e", []),
        ("r e", []),
        ("R e", []),
        ("# e x", []),
        ("p;e x", [("e", "x")]),
        ("$!{p;e x", [("e", "x")]),
        ("1,3~2+0 e x", [("e", "x")]),
        ("e", [("e", "")]),
        ("s/a", []),
        ("s", []),
        ("/a", []),
        ("\\", []),
    ]
)
def test_commands_of_sed(script: str, expected: list[tuple[str, str]]) -> None:
    assert sed_commands(script) == expected
