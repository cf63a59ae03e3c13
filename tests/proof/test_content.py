"""What committed scripts are, by their bytes, and where a command of the proof is tried."""

from __future__ import annotations

import itertools
from typing import Any

from tests.kit.table import each
from ultra_runtime.proof.content import OTHERS, is_for_bash, syntax_problem
from ultra_runtime.proof.run_all import Commands

Ended = tuple[str, list[str]]

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


class Row(Commands):
    """Commands that end as they are told, in a checkout and in the working tree."""

    def __init__(self, there: Ended, here: Ended) -> None:
        self.job = {"log": "proof"}
        self.ended = {"copy": there, "": here}

    def _run_one(self, name: str, one: dict[str, Any], root: str) -> dict[str, Any]:
        problem, lacks = self.ended[root]
        return {"problem": problem, "lacks": lacks, "log": name, "passes_here": False}


ENDS: list[Ended] = [("", []), ("exit status 1", []), ("", ["3 passed"]), ("exit status 1", ["3 passed"])]


@each(itertools.product(ENDS, ENDS, (True, False)))
def test_what_fails_in_the_checkout_is_tried_here_too(there: Ended, here: Ended, compare: bool) -> None:
    row = Row(there, here)._row(1, {"compare": compare, "commits": ()}, "copy")
    assert row["passes_here"] == (compare and there != ENDS[0] and here == ENDS[0])
    assert (row["problem"], row["lacks"], row["log"]) == (*there, "proof-1.log")
