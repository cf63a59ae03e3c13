"""Run the rendered runtime on the examples of the policy and the fixtures of the contracts.

Every example of a rule must get its verdict, and every fixture the one code in its name. All calls
run in one process that reads only the bundle and a temporary folder.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from ultra_plugin.check.fixtures import Answer, Call, fixture_calls, fixture_problems
from ultra_plugin.check.protocol import FIXTURES
from ultra_plugin.errors import Problem
from ultra_plugin.model import Bundle, Suite
from ultra_plugin.per_plugin import MARK
from ultra_plugin.policy import COMMANDS, ENVIRONMENT, PACKS, PATHS
from ultra_plugin.rules import Policy, Rule
from ultra_plugin.source import SourceTree

RUNTIME = "runtime/"
_PACKAGE = f"{RUNTIME}ultra_runtime"
_LONGEST = 300
"""Seconds after which the runtime counts as hanging."""
_KEPT = ("PATH", "LD_LIBRARY_PATH", "SYSTEMROOT")
"""Environment variables that an interpreter may need; the runtime does not see the rest."""
_PASSES: tuple[Answer, ...] = ({"verdict": "allow", "rule": ""}, {"said": False})
_RUNNER = """\
import importlib, io, json, os, sys
sys.path.insert(0, sys.argv[1])
from ultra_runtime.__main__ import main
calls, answers, out = json.loads(sys.stdin.read()), [], sys.stdout
for words, given, folder in calls:
    os.chdir(folder)
    if words[0] == "-m":
        ask = getattr(importlib.import_module("ultra_runtime." + words[1]), words[2])
        answers.append([{"said": bool(ask(json.loads(line)))} for line in given.splitlines()])
        continue
    with open(sys.argv[2], "wb+") as file:
        file.write(given.encode())
        file.seek(0)
        os.dup2(file.fileno(), 0)
    sys.stdout = io.StringIO()
    main(words)
    answers.append([json.loads(line) for line in sys.stdout.getvalue().splitlines()])
out.write(json.dumps(answers))
"""
"""Calls of verbs, and with -m of functions without a verb: one text per line in, one answer per line out."""

Wanted = tuple[str, str, Answer]
"""A rule, one of its examples, and the expected answer."""


def trial_digest(tree: SourceTree, bundles: Sequence[Bundle]) -> str:
    """Return a digest of all inputs of the trial."""
    total = hashlib.sha256(tree.digest([*tree.files(FIXTURES), *tree.files("policy")]).encode())
    for bundle in bundles:
        for path, file in bundle.files.items() if bundle.has_runtime else ():
            if path.startswith(RUNTIME):
                total.update(f"{path}\0".encode() + file.content)
    return total.hexdigest()


def trial_problems(tree: SourceTree, suite: Suite, bundles: Sequence[Bundle]) -> list[Problem]:
    """Return every example and fixture with a wrong result; the bundle with most of the runtime runs first."""
    problems = list(fixture_problems(tree, suite))
    with tempfile.TemporaryDirectory(prefix="ultra-trial-") as name:
        place = Path(name).resolve()
        (place / "home").mkdir()
        calls = [*_policy_calls(tree, suite.policy, place)] if suite.policy else []
        calls += fixture_calls(tree, suite, place)
        for bundle in sorted(bundles, key=lambda one: -len(one.files)):
            able = [
                call for call in calls if all(f"{_PACKAGE}/{name}" in bundle.files for name in call.modules)
            ]
            calls = [call for call in calls if call not in able]
            launcher = next(one.launcher for one in suite.plugins if one.settings.name == bundle.name)
            problems += _tried(tree, bundle, launcher, able, place) if able else ()
    return problems


def _tried(
    tree: SourceTree, bundle: Bundle, launcher: str, calls: Sequence[Call], place: Path
) -> Iterator[Problem]:
    """Run the calls in the runtime of a bundle and yield the problems of the answers."""
    for path, file in bundle.files.items():
        if path.startswith(RUNTIME):
            target = place / bundle.name / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(file.content)
    asked = json.dumps(
        [(call.words, call.given.replace(MARK, launcher), call.folder or str(place)) for call in calls]
    )
    runtime, given = str(place / bundle.name / RUNTIME), str(place / "given")
    environment = {name: os.environ[name] for name in _KEPT if name in os.environ}
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-B", "-c", _RUNNER, runtime, given],
            input=asked,
            capture_output=True,
            text=True,
            check=False,
            timeout=_LONGEST,
            env={**environment, "HOME": str(place / "home"), "CLAUDE_PLUGIN_DATA": str(place / "data")},
        )
        said = done.stderr.strip().splitlines()[-1:] or (
            [f"exit {done.returncode}"] if done.returncode else []
        )
    except subprocess.TimeoutExpired:
        said = [f"no answer after {_LONGEST} seconds"]
    if said:
        message = f"the runtime of {bundle.name} cannot run: {said[0]}"
        yield tree.problem("runtime", 0, "trial", message, "fix the runtime, then check again")
        return
    for call, answers in zip(calls, json.loads(done.stdout), strict=True):
        yield from call.problems(answers)


def _policy_calls(tree: SourceTree, policy: Policy, place: Path) -> Iterator[Call]:
    """Yield the calls that try every example of the policy."""
    (place / "repo").mkdir()
    where = {"cwd": str(place / "repo"), "repo_root": str(place / "repo"), "home": str(place / "home")}
    commands, paths = _examples(policy.commands), _examples(policy.paths)
    packs = [
        ("check-command", "command", f"{PACKS}/{name}.yaml", _examples(pack.rules), {"packs": name})
        for name, pack in policy.packs.items()
    ]
    for verb, key, path, examples, more in (
        ("check-command", "command", COMMANDS, commands, {}),
        ("check-path", "path", PATHS, paths, where),
        *packs,
    ):
        given = "".join(json.dumps({key: text, **more}) + "\n" for *_, text in examples)
        wanted: list[Wanted] = [
            (
                rule,
                text,
                {"verdict": verdict, "rule": rule} if kind == "match" else {"verdict": "allow", "rule": ""},
            )
            for rule, verdict, kind, text in examples
        ]
        module = f"verbs/{verb.replace('-', '_')}.py"
        yield Call((module,), (verb, "--batch", "--json"), _compared(tree, path, wanted), given)
    seen: list[Wanted] = [(rule, text, {"said": True}) for rule, _, kind, text in commands if kind == "match"]
    yield _asked(tree, COMMANDS, "guard/first_look.py", "may_match", seen)
    lists = (("dropped", policy.environment.dropped), ("varying", policy.environment.varying))
    for name, variables in lists:
        tried: list[Wanted] = [
            (name, text, {"said": kind == "match"})
            for kind, texts in variables.examples.items()
            for text in texts
        ]
        yield _asked(tree, ENVIRONMENT, "run/state/environment.py", f"is_{name}", tried)
    if secrets := policy.secret_files:
        names = [(kind, name) for kind, texts in secrets.examples.items() for name in texts]
        known: list[Wanted] = [("secret_files", name, {"said": kind == "match"}) for kind, name in names]
        yield _asked(tree, PATHS, "files/secret_files.py", "may_hold_secrets", known)


def _examples(rules: Iterable[Rule]) -> list[tuple[str, str, str, str]]:
    """Return the examples of rules: rule, verdict, match or pass, text."""
    return [
        (r.id, r.verdict, kind, text) for r in rules for kind, texts in r.examples.items() for text in texts
    ]


def _asked(tree: SourceTree, path: str, module: str, function: str, wanted: Sequence[Wanted]) -> Call:
    """Return a call that asks a function of the runtime about every example."""
    given = "".join(json.dumps(text) + "\n" for _, text, _ in wanted)
    name = module.removesuffix(".py").replace("/", ".")
    return Call((module,), ("-m", name, function), _compared(tree, path, wanted, f" in {module}"), given)


def _compared(
    tree: SourceTree, path: str, wanted: Sequence[Wanted], where: str = ""
) -> Callable[[list[Answer]], Iterator[Problem]]:
    """Return the function that yields each example with a wrong answer."""

    def problems(answers: list[Answer]) -> Iterator[Problem]:
        if len(answers) != len(wanted):
            told = str(answers[0].get("error", answers[0])) if answers else "nothing"
            yield tree.problem(path, 0, "example", f"the examples cannot be run: {told}", "fix the policy")
            return
        for (rule, text, right), answer in zip(wanted, answers, strict=True):
            got = {key: answer.get(key) for key in right}
            if got != right:
                message = f"the example {text!r} of '{rule}' must get {_shown(right)}, but gets {_shown(got)}{where}"
                kind = "pass" if right in _PASSES else "match"
                line = _line(tree, path, rule, kind, text)
                yield tree.problem(path, line, "example", message, "fix the rule or the example")

    return problems


def _shown(answer: Answer) -> str:
    if "said" in answer:
        return "yes" if answer["said"] else "no"
    return f"{answer['verdict']}" + (f" ({answer['rule']})" if answer["rule"] else "")


def _line(tree: SourceTree, path: str, rule: str, kind: str, text: str) -> int:
    """Return the line of an example, or of its rule if the example is written with escapes."""
    lines = tree.text(path).splitlines()
    heads = [
        number
        for number, line in enumerate(lines)
        if line.lstrip("- ").startswith(("id:", "secret_files:", "dropped:", "varying:"))
    ]
    start = next((n for n in heads if lines[n].lstrip("- ") in (f"id: {rule}", f"{rule}:")), 0)
    end = next((number for number in heads if number > start), len(lines))
    first = next(
        (number for number in range(start, end) if lines[number].lstrip().startswith(f"{kind}:")), start
    )
    return 1 + next((number for number in range(first, end) if text and text in lines[number]), start)
