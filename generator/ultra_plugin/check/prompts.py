"""Check what prompts and docs say about the runtime: verbs, flags, guides and codes that do not exist."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ultra_plugin.document import nearest
from ultra_plugin.errors import Problem
from ultra_plugin.model import Bundle, Suite, Verb

# A call begins a code span or a line of code; prose may use the launcher's name freely.
_SPAN = r"(?<!`)`(?:\$ )?%s ([^`\n]+)`"
_INDENTED = r"(?: {4,}|\t)(?:\$ )?%s (\S.*)$"
_FENCED = r"\s*(?:\$ )?%s (\S.*)$"
_FENCE = re.compile(r" *(`{3,}|~{3,})")
_CODE = re.compile(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b")
_WORD = re.compile(r"[a-z][a-z-]*")


def prompt_problems(suite: Suite, launcher: str, bundle: Bundle) -> Iterator[Problem]:
    """Yield every unknown verb, flag, guide and code."""
    if not launcher:
        return
    codes = {code for contract in suite.contracts.values() for code in contract.codes} | {*suite.common_codes}
    # Others use SECRET_ too: a README may name the variable SECRET_KEY.
    prefixes = tuple({f"{code.partition('_')[0]}_" for code in codes} - {"SECRET_"})
    for path, file in bundle.files.items():
        if not path.endswith(".md"):
            continue
        fence = ""
        for number, line in enumerate(file.text.split("\n"), 1):
            if mark := _FENCE.match(line):
                fence = "" if fence and mark.group(1).startswith(fence) else fence or mark.group(1)
            elif f"{launcher} " in line:
                for call in _calls(launcher, line, bool(fence)):
                    yield from _call_problems(suite, bundle, path, number, call)
            for word in _CODE.findall(line) if "_" in line else ():
                if word.startswith(prefixes) and word not in codes:
                    message = f"unknown code {word}"
                    yield Problem(path, number, "dangling-code", message, nearest(word, codes))


def _calls(launcher: str, line: str, is_code: bool) -> list[str]:
    calls: list[str] = re.findall(_SPAN % re.escape(launcher), line)
    if match := re.match((_FENCED if is_code else _INDENTED) % re.escape(launcher), line):
        calls.append(match.group(1))
    return calls


def _call_problems(suite: Suite, bundle: Bundle, path: str, line: int, call: str) -> Iterator[Problem]:
    verb = _verb(suite, call)
    if verb is None:
        word = call.split()[0]
        if _WORD.fullmatch(word):
            yield Problem(path, line, "dangling-verb", f"unknown verb '{word}'", nearest(word, suite.verbs))
        return
    for flag in re.findall(r"(?<![\w-])--[a-z][a-z-]*", call):
        if flag not in verb.flags:
            message = f"the verb '{verb.name}' has no flag {flag}"
            yield Problem(path, line, "dangling-flag", message, nearest(flag, verb.flags))
    if verb.name == "guide":
        yield from _guide_problems(bundle, path, line, call.split()[1:])


def _verb(suite: Suite, call: str) -> Verb | None:
    words = call.split()
    return suite.verbs.get(" ".join(words[:2])) or suite.verbs.get(words[0])


def _guide_problems(bundle: Bundle, path: str, line: int, words: list[str]) -> Iterator[Problem]:
    names = [word for word in words if _WORD.fullmatch(word)]
    if len(names) != len(words) or not names:
        return  # a usage line such as `guide COMMAND [PHASE]`
    if names[0] == "agent" and len(names) == 2:
        if f"agents/{names[1]}.md" not in bundle.files:
            agents = [
                file[len("agents/") : -len(".md")] for file in bundle.files if file.startswith("agents/")
            ]
            remedy = nearest(names[1], agents or ["none"])
            yield Problem(path, line, "dangling-guide", f"unknown agent '{names[1]}'", remedy)
        return
    target = f"guides/{'/'.join(names)}"
    if f"{target}.md" not in bundle.files and not any(file.startswith(f"{target}/") for file in bundle.files):
        guides = [
            file[len("guides/") : -len(".md")].replace("/", " ")
            for file in bundle.files
            if file.startswith("guides/")
        ]
        message = f"unknown guide '{' '.join(names)}'"
        yield Problem(path, line, "dangling-guide", message, nearest(" ".join(names), guides or ["none"]))
