"""What committed scripts are, by their bytes."""

from __future__ import annotations

from tests.kit.table import each
from ultra_runtime.proof.content import OTHERS, is_for_bash, syntax_problem

FOR_BASH = (
    b"",
    b"echo a\n",
    b"#!/bin/sh\n",
    b"#!/usr/bin/env bash\n",
    b"#! /bin/dash -e\n",
    b"# zsh\n",
    b"echo\n#!/bin/zsh\n",
)
FOR_OTHERS = [
    line % name
    for name in OTHERS
    for line in (b"#!/bin/%s\n", b"#!/usr/bin/env %s", b"#! /opt/a/%s5 -f\nx\n")
]


@each([*((text, True) for text in FOR_BASH), *((text, False) for text in FOR_OTHERS)])
def test_the_first_line_alone_says_which_shell_reads_a_script(text: bytes, expected: bool) -> None:
    assert is_for_bash(text) == expected


@each([
    (b"echo a\n", True), (b"ls !(x)\n", False), (b"shopt -s extglob\nls !(x)\n", True),
    (b"if true\n", False), (b"shopt -s extglob\nif true\n", False),
])  # fmt: skip
def test_bash_reads_a_script_with_what_it_turns_on(text: bytes, expected: bool) -> None:
    assert (syntax_problem(text) == "") == expected
