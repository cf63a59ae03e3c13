"""Strategies that write shell text: words that bash can print back, and whole programs."""

from __future__ import annotations

from hypothesis import strategies as st

NAMES = ("a", "b", "list", "EMPTY", "spaced")
SETTING = "a=one; b='two words'; EMPTY=; spaced=' x  y '; list=(l1 'l 2' '')"

PLAIN = st.text("abcXYZ019_./:-%@=^", min_size=1, max_size=6)
ANY_TEXT = st.text(
    st.characters(min_codepoint=32, max_codepoint=0x17F, exclude_characters="\x7f\x80"), max_size=8
) | st.text("ab \t\n'\"\\$`{},;&|()<>*?[]#!~", max_size=8)


def _single(text: str) -> str:
    return "'" + text.replace("'", "") + "'"


def _double(text: str) -> str:
    for char in '\\"$`':
        text = text.replace(char, "\\" + char)
    return '"' + text.replace("!", "") + '"'


def _escaped(text: str) -> str:
    return "".join("\\" + char for char in text if char != "\n")


_ANSI = st.lists(
    st.sampled_from(
        [
            "a",
            "Z",
            " ",
            "\\n",
            "\\t",
            "\\\\",
            "\\'",
            '\\"',
            "\\x41",
            "\\x7a",
            "\\101",
            "\\7",
            "\\x9",
            "\\u0041",
            "\\u41",
            "\\U00000041",
            "\\U0001f600",
            "\\e",
            "\\cA",
        ]
    )
    | st.sampled_from(["$", "`", '"', "{", ",", ";"]),
    max_size=6,
).map(lambda pieces: "$'" + "".join(pieces) + "'")

_NAME = st.sampled_from(("a", "b", "EMPTY", "spaced"))
_VARIABLE = st.one_of(
    _NAME.map("${}''".format),
    _NAME.map("${{{}}}".format),
    _NAME.map("${{{}:-other}}".format),
    _NAME.map("${{{}-other}}".format),
    _NAME.map("${{{}:+given}}".format),
    _NAME.map("${{{}:1:2}}".format),
    _NAME.map("${{{}^^}}".format),
    _NAME.map("${{{}/o/0}}".format),
    _NAME.map("${{{}%e}}".format),
    _NAME.map("${{{}#o}}".format),
    st.just("${list[@]}"),
    st.just("${list[1]}"),
)
_SUBSTITUTION = st.sampled_from(
    ["$(echo hi)", "`echo hi`", "$(printf '%s' 'a b')", "$(echo $(echo deep))", "$(printf 'x%s' 1 2)"]
)

_PIECE = st.one_of(
    PLAIN,
    ANY_TEXT.map(_single),
    ANY_TEXT.map(_double),
    ANY_TEXT.map(_escaped),
    _ANSI,
    _VARIABLE,
    _VARIABLE.filter(lambda made: not made.endswith("''")).map('"{}"'.format),
    _SUBSTITUTION,
    _SUBSTITUTION.map('"{}"'.format),
    st.just("\\\n"),
    st.just('""'),
)
_BRACES = st.recursive(
    st.text("ab1", max_size=2),
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3).map(lambda items: "{" + ",".join(items) + "}")
        | st.tuples(st.text("xy", max_size=1), inner, st.text("xy", max_size=1)).map("".join)
    ),
    max_leaves=5,
) | st.sampled_from(
    ["{1..4}", "{a..d}", "{3..1}", "{01..03}", "{1..9..3}", "{a}", "{}", "{a,b", "a,b}", "{1..x}", "{,}"]
)

WORD = st.lists(_PIECE, min_size=1, max_size=4).map("".join) | st.tuples(_BRACES, PLAIN | st.just("")).map(
    "".join
)

_COMMAND_WORD = st.sampled_from(
    ["ls", "echo", "cat f", "printf '%s\\n' x", "true", "[ -f x ]", "A=1 env", "x=2", ":"]
)
_SIMPLE = st.tuples(
    _COMMAND_WORD,
    st.lists(
        st.sampled_from(["-l", "'q r'", '"$a"', "${b:-c}", "$((1 + 2))", "{x,y}", "a\\ b", "*.txt", "~"]),
        max_size=3,
    ),
    st.sampled_from(["", "", "", " > f", " 2>&1", " < f", " <<< 'it'", " &> f", " 2>/dev/null", " >> f"]),
).map(lambda made: " ".join([made[0], *made[1]]) + made[2])


def _compound(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Build bigger programs out of smaller ones."""
    two = st.tuples(inner, inner)
    return st.one_of(
        st.tuples(inner, st.sampled_from(["; ", " && ", " || ", " | ", "\n", " & ", " |& "]), inner).map(
            "".join
        ),
        inner.map("( {} )".format),
        inner.map("{{ {}; }}".format),
        inner.map("! {}".format),
        inner.map("echo $({})".format),
        inner.map('echo "in $({}) out"'.format),
        inner.map("cat <({})".format),
        inner.map("{} &".format),
        inner.map("f() {{ {}; }}".format),
        inner.map("function g {{ {}; }}".format),
        inner.map("f() ( {} )".format),
        two.map(lambda made: f"if {made[0]}; then {made[1]}; fi"),
        two.map(lambda made: f"if {made[0]}\nthen\n {made[1]}\nelse\n :\nfi > out"),
        two.map(lambda made: f"while {made[0]}; do {made[1]}; done < f"),
        inner.map(lambda made: f"for x in a 'b c' $d; do {made}; done"),
        inner.map(lambda made: f"for ((i=0; i<3; i++)); do {made}; done"),
        inner.map(lambda made: f"for x; do {made}; done"),
        two.map(lambda made: f"case $x in\n a|b) {made[0]} ;;\n (c) {made[1]};;\n *) ;;\nesac"),
        inner.map(lambda made: f"case x in (esac) {made};& y) ;; esac"),
        inner.map(lambda made: f"[[ -n $x && ( a == b* || c =~ ^d ) ]] && {made}"),
        inner.map(lambda made: f"(( x > 1 )) && {made}"),
        inner.map(lambda made: f"time {made}"),
        inner.map(lambda made: f"# it's a comment ( ` \"\n{made}"),
        inner.map(lambda made: f"cat <<EOF\nit's $({made}) \"\nEOF\n{made}"),
        inner.map(lambda made: f"cat <<'EOF' | {made}\nit's ` $( \"\nEOF\n"),
        inner.map(lambda made: f"cat <<-A <<B\n\tx'\n\tA\ny`{'echo z'}`\nB\n{made}"),
        inner.map(lambda made: f'x="$(cat <<E\n){made}\nE\n)"'),
        inner.map(lambda made: f"arr=(a 'b c' $({made}))"),
        inner.map(lambda made: f"coproc {{ {made}; }}"),
        inner.map(lambda made: f"select x in a b; do {made}; done"),
        inner.map(lambda made: f"until {made}\ndo\n:\ndone"),
    )


PROGRAM = st.recursive(_SIMPLE, _compound, max_leaves=6)

SOUP = st.lists(
    st.sampled_from(
        [
            "a", "rm", "-rf", "x=1", " ", " ", "\n", ";", ";;", "&", "&&", "|", "||", "|&", "(", ")", "((", "))", "{", "}",
            "<", ">", ">>", "<<E\n", "<<-E\n", "\nE\n", "<<<", "<(", ">(", "&>", "2>&1", "'", '"', "`", "\\", "\\\n", "$",
            "$(", "$((", "${", "}", "${x:-", "$'", "$x", "#", "!", "[[", "]]", "[", "]", "if", "then", "fi", "else",
            "while", "do", "done", "for", "in", "case", "esac", "function", "f()", "time", "coproc", "*", "?", "~",
            "{a,b}", "eval", "bash", "-c", "|bash", "curl", "@(", "+(", "a=(", "é", "\u2028", "\ue000", "\x01",
        ]
    ),
    max_size=40,
).map("".join)  # fmt: skip
