"""The tutorial shows what the verbs say, word for word."""

from __future__ import annotations

import re

from tests.architect.test_architecture import APP, CLAIM, FIXTURES, NOTES, architect, overview
from tests.kit.calls import Ultra
from tests.kit.files import write_tree
from tests.kit.names import PROJECT
from tests.kit.repository import git

__all__ = ["architect"]


def test_the_recorded_answers_are_what_the_verbs_say(architect: Ultra) -> None:
    page = (architect.bundle / "docs/TUTORIAL.md").read_text()
    shown = re.findall(r"^```console\n\$ architect (.*)\n((?:.*\n)*?)```$", page, re.MULTILINE)

    def put(kind: str, text: str) -> tuple[str, str]:
        told = architect.say("put", kind, "--project", PROJECT, given=text)
        return f"put {kind} --project {PROJECT}", told.out + told.err

    def check() -> tuple[str, str]:
        told = architect.say("architecture", "check", PROJECT)
        return f"architecture check {PROJECT}", told.out + told.err

    said = [put("overview", overview(CLAIM.replace("handle", "serve")))]
    put("overview", overview())
    said.append(put("gaps", (FIXTURES / "gaps/GAPS_INCOMPLETE.md").read_text()))
    said.append(check())
    for number in range(3):
        text = APP.replace("handle", "serve") if number == 2 else APP
        write_tree(architect.folder, {"src/app.py": text, "count.txt": str(number)})
        git(architect.folder, "add", "src", "count.txt")
        git(architect.folder, "commit", "--quiet", "--message", f"Change {number}")
    said.append(check())
    assert shown == said
    written = (architect.folder / NOTES).read_text()
    request, table, diagram = re.findall(r"^```(?:markdown|mermaid)\n((?:.*\n)*?)```$", page, re.MULTILINE)
    assert request == (FIXTURES / "overview/project/request.md").read_text()
    assert table in written
    assert f"```mermaid\n{diagram}```" in written
