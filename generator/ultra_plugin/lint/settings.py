"""Read .ultra-check.yaml, which says what a check of a folder leaves out and how severe each code is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import yaml

from ultra_plugin.check.codes import CODES
from ultra_plugin.document import nearest
from ultra_plugin.errors import Problem, Severity, UltraError

FILE = ".ultra-check.yaml"
LEVELS = ("error", "warning", "off")
_KEYS = ("select", "ignore", "severity", "paths", "baseline")


@dataclass(frozen=True, slots=True)
class Settings:
    """Which codes count, and how much."""

    select: tuple[str, ...] = ()
    """Codes, or beginnings with `*`; empty for all."""
    ignore: tuple[str, ...] = ()
    severity: Mapping[str, str] = field(default_factory=dict)
    """Code -> error, warning or off."""
    paths: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Pattern of paths below the plugin -> codes to ignore there."""
    baseline: Path | None = None

    def sorted_out(self, problem: Problem) -> Problem | None:
        """Return a problem with its severity, or None if the settings leave it out."""
        level = self.severity.get(problem.code)
        is_left_out = _matches(problem.code, self.ignore) or level == "off"
        if is_left_out or (self.select and not _matches(problem.code, self.select)):
            return None
        for pattern, codes in self.paths.items():
            if fnmatchcase(problem.path, pattern) and _matches(problem.code, codes):
                return None
        severity: Severity | None = "error" if level == "error" else "warning" if level == "warning" else None
        return replace(problem, severity=severity) if severity else problem

    def merged(self, other: Settings) -> Settings:
        """Return these settings with those of the command line, which win."""
        return Settings(
            other.select or self.select,
            (*self.ignore, *other.ignore),
            {**self.severity, **other.severity},
            self.paths,
            other.baseline or self.baseline,
        )


def read_settings(folder: Path, named: Path | None = None) -> Settings:
    """Read the file that a call names, or the nearest one in the folder and above, up to its repository."""
    path = named or _nearest_file(folder)
    if path is None:
        return Settings()
    try:
        value = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UltraError(f"{path}: {error.strerror}.") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        line = getattr(getattr(error, "problem_mark", None), "line", 0) + 1
        raise UltraError(f"{path}:{line}: is not YAML; fix it.") from None
    return _settings(path, value if value is not None else {})


def checked_codes(place: str, words: Iterable[str]) -> tuple[str, ...]:
    """Return codes and patterns of codes, each known."""
    codes = tuple(word.strip() for word in words if word.strip())
    for code in codes:
        if not any(_matches(known, (code,)) for known in CODES):
            raise UltraError(f"{place}: no check has the code '{code}' ({nearest(code, CODES)}).")
    return codes


def checked_levels(place: str, pairs: Mapping[str, Any]) -> dict[str, str]:
    """Return code -> level, each known."""
    checked_codes(place, pairs)
    for code, level in pairs.items():
        # YAML reads `off` as false.
        if (level is not False) and level not in LEVELS:
            raise UltraError(
                f"{place}: the severity of '{code}' must be error, warning or off, not '{level}'."
            )
    return {code: "off" if level is False else str(level) for code, level in pairs.items()}


def _nearest_file(folder: Path) -> Path | None:
    for place in (folder.absolute(), *folder.absolute().parents):
        if (place / FILE).is_file():
            return place / FILE
        if (place / ".git").exists():
            return None
    return None


def _settings(path: Path, value: object) -> Settings:
    if not isinstance(value, dict):
        raise UltraError(f"{path}: must be a mapping of {', '.join(_KEYS)}.")
    for key in value:
        if key not in _KEYS:
            raise UltraError(f"{path}: unknown key '{key}' ({nearest(str(key), _KEYS)}).")
    severity, paths = value.get("severity") or {}, value.get("paths") or {}
    if not isinstance(severity, dict) or not isinstance(paths, dict):
        raise UltraError(f"{path}: 'severity' and 'paths' must be mappings.")
    baseline = value.get("baseline")
    return Settings(
        checked_codes(str(path), _words(path, "select", value.get("select"))),
        checked_codes(str(path), _words(path, "ignore", value.get("ignore"))),
        checked_levels(str(path), severity),
        {str(one): checked_codes(str(path), _words(path, "paths", codes)) for one, codes in paths.items()},
        path.parent / str(baseline) if baseline else None,
    )


def _words(path: Path, key: str, value: object) -> list[str]:
    words = [] if value is None else [value] if isinstance(value, str) else value
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise UltraError(f"{path}: '{key}' must be a list of codes.")
    return words


def _matches(code: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(code, pattern) for pattern in patterns)
