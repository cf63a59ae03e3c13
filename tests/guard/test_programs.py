"""Bash itself is the oracle for whole programs: the calls of `show` that bash makes are those that the guard sees."""

from __future__ import annotations

import subprocess
from pathlib import Path

from ultra_runtime.guard.follow.watch import watch

# One program a line, without branches that bash does not take: the guard follows those as well.
PROGRAMS = r"""
IFS=:; x=a:b::c; show $x; show "$x"
IFS=:; x=:a:; show $x
IFS=': '; x='a: b c:d'; show $x
IFS=; x='a b'; show $x
IFS=,; x='a b,c d'; show $x
IFS=$'\n'; x=$'a b\nc d\n'; show $x
IFS=:; set -- a b c; show "$*"; show "$@"; show $*
IFS=; set -- a b; show "$*"
unset IFS; x='a  b'; show $x
x='  a  b  '; show $x; show "$x"; show q$x; show ${x}q; show q$x"r"
x=; show $x; show "$x"; show q$x; show a $x b; show "$x"$x
x='a b'; y=$x; show "$y"; show $y$y; show "$y"$y
x=a; show ${x}b $x.b "$x"b '$x' \$x "\$x" "\\$x" "a\b" 'c\d' e\f
show `echo a b` "`echo a b`" "$(echo a b)" $(echo a b)
show "`echo \"q\"`" "`echo '$x'`" "$(echo ")" )" "`echo \\\\a`"
show $(echo "$(echo a; echo b)") "$(echo a; echo b)" "$(printf 'a\n\n')"
show $((1+2)) "$((2*3))" $((1))$((2)) $[1+2] $[2*(1+1)]x "$[1]]" $[1]$[2]
x=3; show $((x+1)) $(( x * (2 + 1) )) $((-x))
show {a,b}c {1..3} x{,y} "{a,b}" {a,b}{c,d} {a,{b,c}}d \{a,b\} {,} a{b
show {3..1} {a..c} {1..5..2} {01..3} {-1..1} {c..a} {1..1} {a..a} {5..1..2} {10..8} {-2..-1} {1..a} {1..2..x} {1...3}
x=(a 'b c' d); show "${x[@]}"; show ${x[@]}; show "${x[*]}"; show ${x[1]}; show "${x[-1]}"; show $x
x=(a 'b c' d); show "${x[@]:1}"; show "${x[@]:1:1}" ${x[@]: -1}; show "${x[@]:0:2}"; show "${x[0]:0:1}"
x=(a); x+=(b c); show "${x[@]}"; x[1]=z; show "${x[@]}"; x[-1]=y; show "${x[@]}"
x=([0]=a [2]=c); show "${x[0]}" "${x[2]}"
x=a; x+=b; show $x; x=(a b); x+=c; show "${x[@]}"
x=(a b); x=c; show "${x[0]}"
x=(ab cd); show ${x:-q} ${x#a} ${x^^} ${x:1} ${x/a/q} ${x:+y} "${x%b}"; y=(); show "${y:-q}" "${y[0]:-r}"
declare -a x=(a b); show "${x[1]}"
set -- a 'b c' d; show "$@"; show $1 "$2" $3 $4 "$5"; show $@; show "x$@y"; show ${2} ${@:2} "${@:1:1}"; show ${!#}
set -- a b c d e f g h i j k; show ${10} ${11} $10; shift; show $1; shift 3; show $1
set -- -a b; show "$@"; set a b; show "$@"; set -e x; show "$@"
set -o pipefail; set a; show "$@"; set +o pipefail b; show "$@"
f() { show "$@"; }; f a 'b c'
f() { local x=in; show $x; }; x=out; f; show $x
f() { x=in; }; x=out; f; show $x
f() { local x=1; g; show $x; }; g() { show $x; x=2; }; x=0; f; show $x
f() { local x; x=1; }; x=0; f; show $x
f() { set -- q; show $1; }; set -- p; f r; show $1
f() { show $1; shift; show $1; }; f a b; f c
f() { echo out; }; show $(f); x=$(f); show "$x"; f | { read y; show $y; }
f() { read x; show "$x"; }; f <<< in; echo pipe | f
x=out; (x=in; show $x); show $x
x=out; { x=in; }; show $x
x=out; x=in true; show $x
x=out; x=in eval 'show $x'; show $x
x=a y=b; show $x $y
x=a; y=$x$x; x=b; show $y
x=rm; show ${x:0:1} ${x: -1} ${x#r} ${x%m} ${x/r/s} ${x^^} ${x^} ${x:+y} ${x:-y}
x=aXbXc; show ${x#*X} ${x##*X} ${x%X*} ${x%%X*} ${x//X/-} ${x/X/} ${x/#a/q} ${x/%c/q} ${x,,} ${x@U} ${x@L} ${x@u}
x=; : ${x:=a}; show $x; : ${x:=b}; show $x; y=; : ${y=c}; show "$y"
x=y; y=z; show ${!x}; declare -n r=y; show $r; r=q; show $y
x=; show ${x:-a} "${x-a}" ${x:+b} "${x+b}"
echo 'a b c' | { read x y; show "$x"; show "$y"; }
read x <<< ' a b '; show "$x"; read x y <<< 'a'; show "$x" "$y"; read x y z <<< 'a b c d'; show "$z"
IFS=: read x y z <<< a:b:c:d; show "$x" "$y" "$z"
IFS=: read x y <<< a:b; show "$x" "$y"; IFS=: read x <<< a:b; show "$x"; IFS=: read -a x <<< a:b; show "${x[@]}"
IFS=', ' read x y <<< ' a , b '; show "$x" "$y"; IFS=', ' read x y <<< 'a,b , c '; show "$x" "$y"; IFS=' ' read x <<< ' a b  '; show "$x"
IFS=: read x y z <<< a::b; show "$x" "$y" "$z"; IFS= read x <<< ' a b '; show "$x"; IFS= read x y <<< 'a b'; show "$x" "$y"
IFS=:; x='a b::c'; set -- $x; show $3; show "$1"; x=b:; show a$x"c"; x=:b; show a$x; x=' : '; show a$x"b"
x=0; ((x++)); show $x; ((++x)); show $x; ((x += 3)); show $x; ((x--)); show $x; ((x*=2)); show $x; let x-=1; show $x; : $((x=2)); show $x
x=5; ((x%=3)); show $x; ((x==9)); show $x; ((x<=9)); show $x; ((x>=9)); show $x; ((x!=9)); show $x; ((y=x+1, z=y+1)); show $y $z
show $((1,2)) $(()) $(( )); x=a; ((x)); show $x; n=1; a=(b c); show ${a[n]} ${a[n-1]} ${a[$n]}
read -d : x <<< a:b; show "$x"; read -r x <<< 'a b'; show "$x"; read <<< 'a b'; show "$REPLY"
read -a x <<< 'a b c'; show "${x[1]}"; read -ra x <<< 'a b'; show "${x[@]}"
exec {n}<<< five; read -u $n x; show "$x"; echo six > f; exec {m}< f; read y <&$m; show "$y"; show {n} {n}x
read -u 3 x 3<<< three; show "$x"; exec 4<<< four; read -u 4 x; show "$x"
mapfile -t x <<< $'a\nb'; show "${x[@]}"; mapfile -t <<< c; show "${MAPFILE[0]}"; readarray -t y < <(echo d; echo e); show "${y[1]}"
for x in a 'b c' $(echo d e); do show "$x"; done
set -- a b; for x in "$@"; do show $x; done
for x in {1..3}; do show $x; done
printf -v x %s-%s a b; show "$x"; printf -v x '%s ' a b; show "$x"; printf -vx q; show $x
x=$(cat <<< in); show "$x"
echo a > f; echo b >> f; show $(cat f) $(< f); : > f; show "$(cat f)"
echo a >| f; show $(<f); echo b &> f; show $(<f); echo c &>> f; show $(<f); echo d 1> f; show $(<f); echo e >&1 > f; show $(<f)
{ echo a; echo b; } > f; show $(<f); (echo c) > f; show $(<f); if true; then echo d; fi > f; show $(<f)
mkdir -p d; cd d; echo a > f; cd ..; show $(<d/f); show $(cd d; cat f); (cd d; show $(<f)); show $(cat ./d/f d/../d/f)
show $(echo a | tr a b | tr b c)
show $(cat <(echo a) <(echo b)); cat < <(echo c) > f; show $(<f)
x=1; (( x = x + 2 )); show $x; let y=x*2; show $y; let 'z = 1' w=2; show $z $w; ((a=1,b=2)); show $a $b
case a in a) show yes;; esac; case ab in a*) show star;; esac
[[ a == a ]] && show yes; [ a = a ] && show yes; true && show and; false || show or; ! false && show not
if true; then show then; fi
eval 'show a'; eval show 'b c'; eval "show 'b c'"; eval show \"d e\"; eval -- show f
x='show a'; $x; x=show; $x b; "$x" c; y='a b'; $x $y "$y"; \show d; 's'how e; s"h"ow f
echo 'show a' > s; . ./s; source ./s
builtin eval 'show b'; command eval show c
show a # show b
show 'a;b' "c|d" e\;f g\&h
show $'a\tb' $'\x41' $'\101' $'\'' $'a\'b' $'\u41' $'\cA' $"loc"
show a"b"'c'd\ e "f"$(echo g)'h'
show !a \! '!' "a!"
show a=b "$(x=c; echo $x)" x=d
x=5 y=$((x+1)); show $y
x=; show ${x:-$(echo a b)} "${x:-$(echo a b)}" ${x:-a}${x:-b}
x=; show "${x:-a}b}" "$(echo "}")" "${x:-"a b"}"
x='*'; show "$x" '*' \*
z=; show "" '' a"" ""$z; show $z; show "$z"
time show a; ! show b; { show c; }; (show d); { show e; } | cat
function f { show a; }; f; function g() { show b; }; g; h () ( show c ); h; i() if true; then show d; fi; i
for ((i=0; i<1; i++)); do show loop; done
show a 2>&1; show b > /dev/null; show c >&2; show d 2> /dev/null < /dev/null; > f show e; 2>&1 show f
export x=a; readonly y=b; declare z=c; typeset w=d; show $x $y $z $w; declare x+=b; show $x; export -n x; show $x
a=b; a=c c=d show e; show $a
x=a; x=b y=$x; show $x $y
(show a);show b;(show c)&&show d;(echo e)>f;show $(<f);{ show g;};show h;if true;then show i;fi;show j
(echo a)|{ read x;show $x;};x=$(echo b)c;show $x;f(){ show d;};f;for y in e;do show $y;done;show f;case g in g)show h;;esac;show i
(show a)& wait;show b;((x=1));show $x;[[ a == a ]]&&show c;((1))&&show d;! (false)&&show e;x=(1 2);show ${x[1]};show f
x=a; unset x; show "${x:-gone}"; f() { show f; }; f; unset -f f
x=a; x=$(echo $x$x); show $x; x=$(x=q; echo $x); show $x
x=1; y=$((x=2)); show $(($x+$x)); show $((2#101)) $((0x10)) $((010)) $((7/2)) $((-7%3))
x=abc; show ${x:1} ${x:1:1} ${x::2} ${x:0:-1} ${x: -2:1} "${x:3}" "${x:9}"
x=a.b.c; show ${x%.*} ${x%%.*} ${x#*.} ${x##*.} ${x%.c} ${x#a.} ${x%z} ${x/./} ${x//./}
f() { show "$1"; [ "$1" = b ] || f b; }; f b
printf '%s\n' a b > f; { read x; show $x; } < f; show $(head -n 1 f) $(tail -n 1 f)
x='a b'; set -- $x; show $1; set -- "$x"; show "$1"; set --; show "${1:-none}"
x=show; y=x; ${!y} a; ${x:-no} b; ${q:-show} c; $(echo show) d; `echo show` e
cd /; cd - > /dev/null; show a; pushd / > /dev/null; popd > /dev/null; show b
echo show a | bash_text; show b
exec 3> f; echo a >&3; exec 3>&-; show b
{ show a; show b; } > f; (show c; show d) | cat; if show e; then show g; fi > f
"""
# Of these the guard sees more: what may have been before, and what may come later.
MORE = r"""
f=a; g() { show g $1; }; g=b; unset f g h; show "$f" "$g"; g c
f=show; h() { show h; }; unset f h; $f a; h
f=a; g() { show g $1; }; g=b; unset -f f g h; show "$f" "$g"; g c
f=show; h() { show h; }; unset -f f h; $f a; h
f=a; g() { show g $1; }; g=b; unset -v f g h; show "$f" "$g"; g c
f=show; h() { show h; }; unset -v f h; $f a; h
f=a; g() { show g $1; }; g=b; unset -n f g h; show "$f" "$g"; g c
f=show; h() { show h; }; unset -n f h; $f a; h
f=a; g() { show g $1; }; g=b; unset -ff f g h; show "$f" "$g"; g c
f=show; h() { show h; }; unset -ff f h; $f a; h
f=a; g() { show g $1; }; g=b; unset -- f g h; show "$f" "$g"; g c
f=show; h() { show h; }; unset -- f h; $f a; h
f() { show one; }; g() { f; show two; }; f() { show three; }; g
trap 'show late' EXIT
for x in a b; do for y in c d; do show $x$y; done; done
printf 'a\nb\n' > f; while read x; do show "$x"; done < f
printf 'a\nb\n' | while read x; do show "$x"; done
printf 'a b\nc d\n' | while read x y; do show "$y" "$x"; done
while read x; do show $x; done <<< $'a\nb'
x=a; if true; then x=b; fi; show $x
x=a; if false; then x=b; fi; show $x
x=a; true && x=b; show $x; false || x=c; show $x
x=a; case q in q) x=b;; esac; show $x
x=a; for y in 1; do x=b; done; show $x; until true; do x=c; done; show $x
f() { show a; }; if true; then f() { show b; }; fi; f
f() { show a; }; if false; then f() { show b; }; fi; f
set -- a; if true; then set -- b; fi; show $1 $*; set -- c; show "$@"
set -- a; if false; then set -- b; fi; show $1; show "$@"
x=a; if false; then x=b; elif true; then x=c; else x=d; fi; y=$x; show $y; x=e; show $x
x=$(if true; then echo a; else echo b; fi); show $x
x=a; if true; then x=b; fi; y=q; if true; then y=r; fi; show $x $y
x=a; if true; then unset x; x=b; fi; z=$x; if true; then z=$z$x; fi; show $z
"""
# Programs of several lines.
LONGER = [
    'x=a; show "b\\\nc" d\\\ne "$(echo f\\\ng)"',
    "x=q; x=$(cat << E\na $x b\nE\n); show \"$x\"",
    'x=v; cat << E > f\na $x \\$x `echo c` $(echo d) "q" \\\\\nE\nshow "$(cat f)"',
    "x=v; cat << 'E' > f\na $x `c` \\$x\nE\nshow \"$(cat f)\"",
    'x=v; cat << "E" > f\na $x\nE\nshow "$(cat f)"',
    'cat <<- E > f\n\ta\n\t b\n\t\tE\nshow "$(cat f)"',
    'cat << A << B > f\n1\nA\n2\nB\nshow "$(cat f)"',
    'cat << A > f; cat << B > g\n1\nA\n2\nB\nshow "$(cat f g)"',
    'cat << E | tr a b > f\na\nE\nshow "$(cat f)"',
    "f() {\n  show a\n  show b\n}\nf\nshow c",
    "if true\nthen\n  show a\nfi\nfor x in b c\ndo\n  show $x\ndone",
    "case a in\n  a|b)\n    show ab\n    ;;\nesac",
    "case a in\n  (a) show p ;;\nesac; show q",
    "show a &&\nshow b ||\ntrue\nshow c |\ncat",
    "show a; # 'not\nshow b #'",
    "x='a\nb'; show $x; show \"$x\"",
    "x=(a # one\n b\n c); show \"${x[@]}\"",
    "read x << E\na b\nE\nshow \"$x\"",
    "show $(( 1 +\n 2 )) \"$(\necho a\n)\"",
    "{ cat << E\na\nE\n} > f; show $(<f)",
    "show \"$(cat << E\n)\nE\n)\"",
    "show a\\\n  b \\\n  c",
    "f () {\n  cat << E\nin $1\nE\n}\nshow \"$(f q)\"",
    "bash << 'E' > f\necho in\nE\nshow $(cat f)",
    "eval 'show a\nshow b'",
    "printf 'show a\\nshow b\\n' > s; . ./s; bash ./s",
    "[[ -n a &&\n  ( b == b ) ]] && show a",
]  # fmt: skip
MOST = 4  # values that a variable may have besides those that it has
SHOW = "show() { printf '%s\\0' \"$@\"; printf 'END\\0'; } >> \"$LOG\"; export -f show; bash_text() { :; }"


EXACT = [*PROGRAMS.strip().splitlines(), *LONGER]
ALL = [*EXACT, *MORE.strip().splitlines()]


def by_bash(folder: Path) -> list[list[list[str]]]:
    """Return the calls that bash makes, program by program, all in one process."""
    (folder / "log").touch()
    texts = [
        f"(mkdir {at}; cd {at}\n{row}\n) > /dev/null 2>&1\nprintf 'ROW\\0' >> \"$LOG\""
        for at, row in enumerate(ALL)
    ]
    env = {"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin", "LOG": str(folder / "log")}
    subprocess.run(
        ["bash", "--norc", "-c", "\n".join([SHOW, *texts])],
        cwd=folder,
        capture_output=True,
        check=True,
        env=env,
    )
    found: list[list[list[str]]] = []
    for row in (folder / "log").read_text().split("ROW\0")[:-1]:
        found.append([call.split("\0")[:-1] for call in row.split("END\0")[:-1]])
    return found


def by_guard(row: str) -> list[list[str]]:
    """Return the calls that the guard sees."""
    return [words[1:] for words in watch(row).commands() if words[0] == "show"]


def shown(calls: list[list[str]]) -> list[list[str]]:
    """Return calls as a log of bash has them: printf without arguments prints an empty one."""
    return [call or [""] for call in calls]


def is_within(calls: list[list[str]], others: list[list[str]]) -> bool:
    """Tell whether calls are among others, in their order."""
    rest = iter(others)
    return all(call in rest for call in calls)


def test_the_calls_are_those_of_bash(tmp_path: Path) -> None:
    truth = by_bash(tmp_path)
    assert len(truth) == len(ALL)
    seen = [shown(by_guard(row)) for row in ALL]
    size = len(EXACT)
    assert not [row for row in zip(EXACT, truth[:size], seen[:size], strict=True) if row[1] != row[2]]
    more = list(zip(ALL[size:], truth[size:], seen[size:], strict=True))
    assert not [row for row in more if not is_within(row[1], row[2])]
    assert not [row for row in more if len({*map(tuple, row[2])}) > len({*map(tuple, row[1])}) + MOST]
