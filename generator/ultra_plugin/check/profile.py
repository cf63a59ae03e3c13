"""Decide which problems fail a build: the profile of a plugin, and the codes that it allows or denies.

What the client calls an error fails in both profiles. `strict` also fails on every warning.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from ultra_plugin.check.codes import CODES
from ultra_plugin.document import line_of, nearest
from ultra_plugin.errors import Problem
from ultra_plugin.model import PluginSettings, Suite, SuiteSettings
from ultra_plugin.source import SourceTree


@dataclass(slots=True)
class Verdict:
    """The problems that fail a build, and those that are only reported."""

    errors: list[Problem] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)

    def add(
        self, problems: Iterable[Problem], suite: SuiteSettings, plugin: PluginSettings | None = None
    ) -> None:
        """Sort problems by the profile of a plugin, or of the suite."""
        profile = (plugin.profile if plugin else None) or suite.profile
        allowed = {*suite.allow, *(plugin.allow if plugin else ())}
        denied = {*suite.deny, *(plugin.deny if plugin else ())}
        for problem in problems:
            if problem.severity == "error" or problem.code in denied:
                self.errors.append(replace(problem, severity="error"))
            elif problem.code not in allowed:
                (self.errors if profile == "strict" else self.warnings).append(problem)


def code_name_problems(tree: SourceTree, suite: Suite) -> Iterator[Problem]:
    """Yield the codes under `allow:` and `deny:` that do not exist or are in both."""
    settings = [("suite.yaml", suite.settings.allow, suite.settings.deny)]
    settings += [(one.file, one.settings.allow, one.settings.deny) for one in suite.plugins]
    for path, allow, deny in settings:
        for key, codes in (("allow", allow), ("deny", deny)):
            for code in codes:
                if code not in CODES:
                    line, message = line_of(tree.read(path), key), f"no check has the code '{code}'"
                    yield tree.problem(path, line, "unknown-code", message, nearest(code, CODES))
                elif key == "deny" and code in allow:
                    line, message = line_of(tree.read(path), key), f"'{code}' is both allowed and denied"
                    yield tree.problem(path, line, "unknown-code", message, "remove one of them")
