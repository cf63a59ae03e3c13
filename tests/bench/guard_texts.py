"""Texts to measure the guard with: ordinary shell code, and the rates on the tables of the tests and on real scripts."""

from __future__ import annotations

import os
from collections import Counter

from tests.guard.judged import verdict_for
from tests.guard.policy_tables import policy
from tests.guard.test_disguises import ROWS, tricky
from ultra_runtime.guard.first_look import may_match

ORDINARY = """\
# Build and test part {n} of the project.
build_{n}() {{
  local target="$1" mode=${{2:-release}}
  if [ ! -d "build/$target" ]; then
    mkdir -p "build/$target"
  fi
  case "$mode" in
    debug) flags="-g -O0" ;;
    release) flags="-O2" ;;
    *) echo "unknown mode: $mode" >&2; return 1 ;;
  esac
  for source in src/{n}/*.c; do
    gcc $flags -c "$source" -o "build/$target/$(basename "${{source%.c}}").o" || return 1
  done
  (cd "build/$target" && ar rcs "lib{n}.a" *.o && ls -l > files.txt)
}}
build_{n} part{n} debug && echo "part {n} built" | tee -a build/log.txt
git diff --stat HEAD~{n} -- src/{n} | tail -n 1
if ! grep -q "version={n}" config/settings.ini; then
  sed -e "s/version=.*/version={n}/" config/settings.ini > config/settings.new
  mv config/settings.new config/settings.ini
fi
python3 tools/report.py --part {n} --format json < build/log.txt | jq -r '.items[] | .name' | sort -u
while read -r name value; do
  export "PART_$name=$value"
done < config/part{n}.txt
cat > build/part{n}.md <<EOF
# Part {n}
Built from $(git rev-parse --short HEAD) with $flags.
EOF
"""
PLACES = ("/usr/bin", "/usr/sbin", "/etc", "/usr/share", "/usr/lib", "/var/lib/dpkg/info")
LONGEST = 250_000
SHELLS = (b"/sh", b"/bash", b"/dash", b" sh", b" bash", b"sh -e", b"sh -eu", b"sh -u")


def ordinary(size: int) -> str:
    """Return ordinary shell code of about that size."""
    each = len(ORDINARY)
    return "".join(ORDINARY.format(n=n) for n in range(1, size // each + 1))


def scripts() -> dict[str, str]:
    """Return the shell scripts that the packages of this machine have installed, by path."""
    found: dict[str, str] = {}  # text -> the first path
    for place in PLACES:
        for folder, _, names in os.walk(place):
            for path in (os.path.join(folder, name) for name in sorted(names)):
                text = _script(path)
                if text:
                    found.setdefault(text, path)
    return {path: text for text, path in found.items()}


def _script(path: str) -> str:
    """Return the text of a shell script, or nothing for any other file."""
    if os.path.islink(path) or not os.path.isfile(path):
        return ""
    try:
        with open(path, "rb") as file:
            first = file.readline(100).rstrip()
            if not first.startswith(b"#!") or not first.endswith(SHELLS):
                return ""
            return (first + b"\n" + file.read(LONGEST)).decode()
    except (OSError, UnicodeDecodeError):
        return ""


def rates() -> list[tuple[str, str]]:
    """Return what the guard catches of the disguises, and what it says of harmless commands and real scripts."""
    table = policy()
    total: Counter[str] = Counter(tier for tier, _, _ in ROWS)
    caught = Counter(
        tier for tier, _, text in ROWS if may_match(text) and verdict_for(text, table).verdict == "block"
    )
    rows = [
        (f"disguises, {tier}", f"{caught[tier]} of {count} stopped ({100 * caught[tier] / count:.1f} %)")
        for tier, count in total.items()
    ]
    harmless = tricky("tricky.txt")
    alarms = [text for text in harmless if verdict_for(text, table).verdict != "allow"]
    rows.append(("tricky and harmless", f"{len(alarms)} of {len(harmless)} stopped: {'; '.join(alarms)}"))
    real = scripts()
    rules = Counter(
        verdict.rule for text in real.values() if (verdict := verdict_for(text, table)).verdict == "block"
    )
    stopped = ", ".join(f"{rule} {count}" for rule, count in rules.most_common()) or "none"
    rows.append((f"{len(real)} scripts of this machine's packages", f"stopped by rule: {stopped}"))
    return rows
