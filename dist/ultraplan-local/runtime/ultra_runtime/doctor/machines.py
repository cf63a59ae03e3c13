"""Check the machines that sessions run on: what a worker needs is there on each of them, before a token is spent."""

from __future__ import annotations

from ultra_runtime.answer import RefusedError
from ultra_runtime.checkout.settings import read_settings
from ultra_runtime.doctor.client_version import is_too_old
from ultra_runtime.doctor.one_check import FAIL, OK, WARN, Check
from ultra_runtime.engines.choosing import engine_named
from ultra_runtime.engines.engine import said
from ultra_runtime.engines.hub_address import hub_address
from ultra_runtime.files.git import find_git
from ultra_runtime.files.root import current_folder
from ultra_runtime.rendered import launcher, names
from ultra_runtime.tables.fields import settings_fields
from ultra_runtime.tables.limits import CHECKOUT_MEGABYTES
from ultra_runtime.words import one_line, shell_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.engines.engine import MachineAnswer

HUB_SECONDS = 60.0
SETUP: str = settings_fields.WORKER_SETUP
# Only the kind of login is told, never the login.
ASKED = """
for name in git python3 tar mktemp setsid base64; do command -v $name >/dev/null || echo "TOLD lacks $name"; done
python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' || echo "TOLD lacks Python 3.9 or newer, as python3"
folder=$(mktemp -d "${{TMPDIR:-/tmp}}/{launcher}-doctor-XXXXXXXX") || echo "TOLD lacks a folder for temporary files that it may write"
echo "TOLD room $(df -Pm "$folder" | awk 'END {{ print $4 }}')"
cd "$folder" && git init --quiet . && commit=$(git -c user.name=x -c user.email=x@x commit-tree -m x "$(git mktree </dev/null)")
GIT_TERMINAL_PROMPT=0 git push --quiet --dry-run {hub} "$commit:refs/{launcher}/wave/doctor/session-0/attempt-0" || echo "TOLD lacks the hub: it cannot fetch from it and push to it"
cd / && rm -rf "$folder"
if command -v claude >/dev/null; then echo "TOLD client $(claude --version </dev/null)"; else echo "TOLD lacks claude, the client"; fi
if [ -n "$ANTHROPIC_API_KEY$ANTHROPIC_AUTH_TOKEN$CLAUDE_CODE_OAUTH_TOKEN" ]; then echo "TOLD login by a variable"
elif [ -s "${{CLAUDE_CONFIG_DIR:-$HOME/.claude}}/.credentials.json" ]; then echo "TOLD login by a file"; fi
echo "TOLD end"
"""


def check_machines(on: str) -> list[Check]:
    """Run every check of an engine, its hub and its machines."""
    try:
        git = find_git(current_folder())
        settings = read_settings(git.root)
        engine = engine_named(on, settings)
        hub = hub_address(git, settings.hub)
        text = f"{settings.worker_setup}\n" + ASKED.format(hub=shell_word(hub), launcher=launcher())
        done = git.done("ls-remote", "--quiet", hub, f"refs/{launcher()}/none", seconds=HUB_SECONDS)
        answers = engine.ask_all(text)
    except RefusedError as problem:
        return [Check(on, FAIL, problem.error, problem.next_step)]
    checks = [Check("hub", OK, one_line(hub, 200))]
    if done.status:
        checks = [Check("hub", FAIL, f"{one_line(hub, 200)}: {said(done)}", "check `hub` in the settings")]
    if not answers:
        checks.append(Check(on, FAIL, "it has no machine", "check the settings of the engine"))
    return [*checks, *(check for answer in answers for check in _machine(answer))]


def _machine(answer: MachineAnswer) -> list[Check]:
    name = one_line(answer.machine, 80)
    rows = [
        row[5:] for row in answer.done.out.decode("utf-8", "replace").splitlines() if row.startswith("TOLD ")
    ]
    if "end" not in rows:
        return [
            Check(
                name, FAIL, f"it does not answer: {said(answer.done)}", "make it reachable, or leave it out"
            )
        ]
    told = {row.partition(" ")[0]: row.partition(" ")[2] for row in rows}
    checks = [
        Check(name, FAIL, f"it lacks {one_line(row[6:], 200)}", f"install it there, or make `{SETUP}` provide it")
        for row in rows if row.startswith("lacks ")
    ]  # fmt: skip
    version = (told.get("client", "").split() or [""])[0]
    if version and is_too_old(version):
        words = f"its client {one_line(version, 40)} is older than {names().oldest_client}"
        checks.append(Check(name, FAIL, words, "run there: claude update"))
    if "login" not in told:
        words = "no login of its client was found"
        checks.append(Check(name, WARN, words, f"log in there, or give the key in `{SETUP}` from a file"))
    room = told.get("room", "")
    if room.isdigit() and int(room) < CHECKOUT_MEGABYTES:
        words = f"it has {room} MB left for temporary files"
        checks.append(Check(name, FAIL, words, f"free some space there, or set TMPDIR in `{SETUP}`"))
    words = (
        f"git, Python, the hub, and Claude Code {one_line(version, 40)}, login {told.get('login', 'unknown')}"
    )
    return checks or [Check(name, OK, words)]
