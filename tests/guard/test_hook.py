"""The hook in real processes and real repositories: who is stopped, where, and what happens when it breaks."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.guard.scene import PLAN, Scene
from tests.kit.files import write_tree
from tests.kit.names import LAUNCHER, NAME, PROJECT
from ultra_plugin.check.client import TOOLS
from ultra_runtime.guard.hook import SKILL, SPAWNING

REMOVE = "rm -rf src"
AGENT = f"{NAME}:plan-critic"


# -- the guard table


@pytest.mark.parametrize("guard", ["", "run", "ask", "always", "nonsense", "ALWAYS"])
def test_in_a_run_commands_and_paths_are_denied(scene: Scene, guard: str) -> None:
    scene.start_run()
    for told in (
        scene.bash(REMOVE, guard=guard),
        scene.bash(REMOVE, guard=guard, agent_id="a1", agent_type=AGENT),
        scene.write(scene.repo / ".env", guard=guard),
        scene.write(scene.folder / "elsewhere.txt", guard=guard),
    ):
        assert told.decision == "deny"


@pytest.mark.parametrize("tool", SPAWNING)
def test_in_a_run_no_agent_is_started(scene: Scene, tool: str) -> None:
    given = {"description": "look", "prompt": "rm -rf src; ultra put brief", "subagent_type": "Explore"}
    for guard in ("run", "ask", "always"):
        assert scene.call(tool, given, guard=guard).silent
    scene.start_run(session="another")
    assert scene.call(tool, given).silent
    scene.start_run()
    for guard in ("", "ask", "always"):
        told = scene.call(tool, given, guard=guard)
        assert (told.decision, "rule run_agent: " in told.reason) == ("deny", True)
    assert "do the step here" in told.reason
    assert scene.call(tool, given, guard="off").silent


def test_every_tool_of_the_client_that_starts_agents_is_known(bundle: Path) -> None:
    """A tool that a new client brings has to be put into one of the two lists."""
    harmless = {
        "AskUserQuestion", "Bash", "CronCreate", "CronDelete", "CronList", "Edit", "EnterPlanMode", "EnterWorktree",
        "ExitPlanMode", "ExitWorktree", "Glob", "Grep", "LSP", "ListAgents", "ListMcpResourcesTool", "Monitor",
        "NotebookEdit", "PowerShell", "PushNotification", "REPL", "Read", "ReadMcpResourceTool",
        "ReportFindings", "ScheduleWakeup", "SendUserFile", "SendUserMessage", "Skill",
        "StructuredOutput", "TaskCreate", "TaskGet", "TaskList", "TaskStop", "TaskUpdate", "TodoWrite", "ToolSearch",
        "WebFetch", "WebSearch", "Write",
    }  # fmt: skip
    assert harmless | set(SPAWNING) == TOOLS
    hooks = json.loads((bundle / "hooks/hooks.json").read_text())["hooks"]
    matchers = {name for group in hooks["PreToolUse"] for name in group["matcher"].split("|")}
    assert {*SPAWNING, SKILL} <= matchers


SKILLS = {
    ".claude/skills/plain/SKILL.md": "---\nname: plain\n---\n\ncontext: fork\n---\n",
    ".claude/skills/forked/SKILL.md": "---\nname: forked\ncontext: fork\n---\n\nLook.\n",
    ".claude/skills/quoted/SKILL.md": "---\n'context' : \"fork\"\n---\n",
    ".claude/commands/typed.md": "Look.\n",
    ".claude/commands/agent.md": "---\ncontext: fork\n---\n",
    ".claude/skills/both/SKILL.md": "Look.\n",
    ".claude/commands/both.md": "---\ncontext: fork\n---\n",
}


def test_in_a_run_no_skill_is_run_as_an_agent(scene: Scene) -> None:
    """A skill may fork; one whose text the guard does not find is not known to stay here."""
    write_tree(scene.repo, SKILLS)
    write_tree(
        scene.home,
        {
            ".claude/skills/mine/SKILL.md": "Look.\n",
            ".claude/skills/away/SKILL.md": "---\ncontext: fork\n---\n",
        },
    )
    (scene.repo / "src/deep").mkdir(parents=True, exist_ok=True)
    here = ["plain", "/typed", "mine", f"{NAME}:ultraexecute-local"]
    agents = [
        "forked",
        "quoted",
        "agent",
        "both",
        "away",
        "of-the-client",
        "other:skill",
        "../skills/plain",
        "",
    ]

    def refused(name: object, cwd: Path, guard: str = "") -> bool:
        told = scene.call("Skill", {"skill": name}, cwd=cwd, guard=guard)
        assert told.silent or (told.decision, "rule run_agent: " in told.reason) == ("deny", True)
        return not told.silent

    for guard in ("run", "ask", "always"):
        assert not any(refused(name, scene.repo, guard) for name in [*here, *agents])
    scene.start_run()
    for cwd in (scene.repo, scene.repo / "src/deep"):
        assert [name for name in [*here, *agents] if refused(name, cwd)] == agents
    assert refused(7, scene.repo)
    assert not refused("forked", scene.repo, "off")


def test_hooks_that_git_is_told_to_use_are_protected(scene: Scene) -> None:
    scene.start_run()
    assert scene.write("tools/hooks/pre-commit").silent
    scene.git("config", "core.hooksPath", "tools/hooks")
    for told in (
        scene.write("tools/hooks/pre-commit"),
        scene.bash("echo x > tools/hooks/pre-push"),
        scene.bash("rm tools/hooks/pre-push"),
    ):
        assert "rule hook_script" in told.reason
    assert scene.write("tools/other").silent
    (scene.home / ".gitconfig").write_text("[core]\n\thooksPath = ~/hooks\n")
    assert "rule hook_script" in scene.write(scene.home / "hooks/pre-commit").reason


def test_the_plan_behind_a_session_spec_is_held_too(scene: Scene) -> None:
    scene.start_run(plan=f"{PROJECT}/sessions/session-1.md")
    assert "rule run_file" in scene.write(scene.repo / PLAN).reason


def test_off_is_off_everywhere(scene: Scene) -> None:
    scene.start_run()
    assert scene.bash(REMOVE, guard="off").silent
    assert scene.write(scene.repo / ".env", guard=" Off ").silent
    assert scene.bash("ultra put brief", guard="off", agent_type=AGENT).silent


@pytest.mark.parametrize("guard", ["", "run", "nonsense"])
def test_outside_a_run_nobody_is_in_anybodys_way(scene: Scene, guard: str) -> None:
    for told in (
        scene.bash(REMOVE, guard=guard),
        scene.bash("echo 'unclosed", guard=guard),
        scene.write(scene.repo / ".env", guard=guard),
        scene.write("/etc/profile", guard=guard),
    ):
        assert told.silent


def test_always_denies_outside_a_run_but_knows_no_boundary_there(scene: Scene) -> None:
    assert scene.bash(REMOVE, guard="always").decision == "deny"
    assert scene.bash("echo x >> ~/.bashrc", guard="always").decision == "deny"
    assert scene.write(scene.home / ".ssh/config", guard="always").decision == "deny"
    assert scene.write(scene.folder / "elsewhere.txt", guard="always").silent
    assert scene.bash("echo x > ../elsewhere.txt", guard="always").silent
    assert scene.bash("echo 'unclosed", guard="always").silent
    assert scene.bash("git status", guard="always").silent


def test_ask_asks_where_somebody_can_answer(scene: Scene) -> None:
    assert scene.bash(REMOVE, guard="ask").decision == "ask"
    assert scene.write(scene.repo / ".env", guard="ask").decision == "ask"
    headless = {"CLAUDE_CODE_SESSION_ATTENDED": "0"}
    assert scene.bash(REMOVE, guard="ask", env=headless).silent
    scene.start_run()
    assert scene.bash(REMOVE, guard="ask", env=headless).decision == "deny"


def test_a_denial_names_the_rule_and_what_to_do_instead(scene: Scene) -> None:
    scene.start_run()
    reason = scene.bash("cd src && bash -c 'rm -rf .'").reason
    assert reason.startswith("ultra guard, rule recursive_force_delete: rm with both recursive and force")
    assert "Instead: delete named files with `rm`" in reason
    assert "rule env_file" in scene.write(".env").reason
    assert "`.env.example`" in scene.write(".env").reason


@pytest.mark.parametrize(
    "command",
    [
        "git status",
        "pytest -q 2>&1 | tail -20",
        'git commit -m "no more rm -rf here"',
        "git commit -m \"$(cat <<'EOF'\nIt's gone: rm -rf x > ~/.ssh/config\nEOF\n)\"",
        "echo x > src/new/file.txt",
        "npm install --save left-pad",
        "sed -i s/a/b/ src/a.py && cp src/a.py src/b.py",
        "make > /dev/null 2>&1",
        "rm -r src",
        "git push --force",
        'd=$(mktemp -d); echo x > "$d/y"',
        "cat .git/ultra/run.json",
    ],
)
def test_in_a_run_the_rest_is_left_alone(scene: Scene, command: str) -> None:
    scene.start_run()
    assert scene.bash(command).silent


@pytest.mark.parametrize("tool", ["Write", "Edit", "MultiEdit", "NotebookEdit"])
def test_every_tool_that_writes_is_seen(scene: Scene, tool: str) -> None:
    scene.start_run()
    assert scene.write(".git/hooks/pre-commit", tool).decision == "deny"
    assert scene.write("src/a.py", tool).silent
    assert scene.write("src/new/folder/b.py", tool).silent


def test_powershell_is_read_like_any_shell(scene: Scene) -> None:
    scene.start_run()
    assert scene.call("PowerShell", {"command": "Remove-Item -Recurse -Force src"}).decision == "deny"


@pytest.mark.parametrize(
    "command",
    [
        "echo x > ../evil.txt",
        "echo x > /tmp/evil.txt",
        "echo x | tee ~/.ssh/authorized_keys",
        "t\\ee .env < src/a.py",
        "cp src/a.py .git/hooks/pre-commit",
        "cd src && mv a.py ../.env",
        "sed -i s/a/b/ ~/.bashrc",
        "dd if=src/a.py of=$HOME/.profile",
        "ln -s src/a.py .claude/settings.json",
        "install -m 644 src/a.py ~/.zshrc",
        "bash -c 'echo x >> .env.local'",
        "sudo tee /etc/profile < src/a.py",
        "cat > .env <<'EOF'\nA=1\nEOF",
        'python3 -c \'open(".env", "w").write("A=1")\'',
        "X=.env; echo A=1 > $X",
    ],
)
def test_in_a_run_the_shell_is_held_to_the_paths_as_well(scene: Scene, command: str) -> None:
    scene.start_run()
    assert scene.bash(command).decision == "deny"


# -- whose run, and where


def test_the_run_of_another_session_is_none_of_ours(scene: Scene) -> None:
    scene.start_run(session="99999999-0000-0000-0000-000000000000")
    assert scene.bash(REMOVE).silent
    assert scene.write(scene.repo / PLAN).silent


def test_a_run_is_found_from_wherever_its_session_stands(scene: Scene) -> None:
    scene.start_run()
    nowhere = {"CLAUDE_PROJECT_DIR": None}
    assert scene.bash(REMOVE, cwd=scene.repo / "src", env=nowhere).decision == "deny"
    assert scene.bash(REMOVE, cwd=scene.folder, told_cwd=scene.repo / "src", env=nowhere).decision == "deny"
    assert scene.bash(REMOVE, cwd=scene.repo, told_cwd=scene.folder, env=nowhere).decision == "deny"
    assert scene.bash(REMOVE, cwd=scene.folder).decision == "deny"
    assert scene.bash(REMOVE, cwd=scene.folder, env=nowhere).silent


def test_paths_are_seen_from_the_folder_of_the_call(scene: Scene) -> None:
    scene.start_run()
    inside = scene.repo / "src"
    assert scene.bash("echo x > ../b.txt", cwd=scene.repo, told_cwd=inside).silent
    assert scene.bash("echo x > ../../b.txt", cwd=scene.repo, told_cwd=inside).decision == "deny"


def test_a_submodule_is_a_part_of_the_run(scene: Scene) -> None:
    other = scene.folder / "other"
    shutil.copytree(scene.repo, other)
    scene.git("submodule", "--quiet", "add", str(other), "lib")
    scene.start_run()
    lib = scene.repo / "lib"
    assert (lib / ".git").is_file()
    assert scene.bash(REMOVE, cwd=lib, env={"CLAUDE_PROJECT_DIR": None}).decision == "deny"
    assert scene.write(scene.repo / ".git/modules/lib/hooks/pre-commit").decision == "deny"
    assert scene.write(lib / "new.py").silent


def test_a_worktree_of_a_run_does_not_reach_the_main_tree(scene: Scene) -> None:
    tree = scene.worktree("session-1")
    scene.start_run(tree)
    here: dict[str, Any] = {"cwd": tree, "env": {"CLAUDE_PROJECT_DIR": str(tree)}}
    assert scene.bash(REMOVE, **here).decision == "deny"
    assert scene.write(tree / "src/b.py", **here).silent
    assert scene.bash("git add -A && git commit -m x", **here).silent
    assert scene.bash("cd src && git status", **here).silent
    assert scene.write(scene.repo / "src/b.py", **here).decision == "deny"
    for command in (
        "echo x > ../../../src/b.py",
        f"cp src/a.py {scene.repo}/src/b.py",
        f"git -C {scene.repo} commit -m x",
        f"cd {scene.repo} && git commit -m x",
        f"git --git-dir={scene.repo}/.git --work-tree={scene.repo} checkout .",
    ):
        told = scene.bash(command, **here)
        assert told.decision == "deny", command
    assert "rule main_tree" in scene.bash(f"git -C {scene.repo} status", **here).reason


def test_the_main_tree_is_free_while_a_worktree_runs(scene: Scene) -> None:
    tree = scene.worktree("session-1")
    scene.start_run(tree, session="child")
    assert scene.bash(REMOVE).silent


def test_a_worktree_of_a_sub_agent_belongs_to_the_run_around_it(scene: Scene) -> None:
    tree = scene.worktree("agent-1")
    scene.start_run()
    for folder in (tree, tree / "src", scene.repo / "src", scene.folder, scene.home):
        told = scene.bash(REMOVE, cwd=folder, agent_id="a", agent_type="general-purpose")
        assert told.decision == "deny", folder


# -- what belongs to the run


OWN = [
    PLAN,
    f"{PROJECT}/progress.json",
    f"{PROJECT}/progress.json.prev",
    f"{PROJECT}/progress-session-2.json",
    f"{PROJECT}/.session-state.local.json",
    ".git/ultra/run.json",
    ".git/ultra/new/file",
]


@pytest.mark.parametrize("path", [*OWN, PLAN.replace("plan.md", "PLAN.md"), f"src/../{PLAN}"])
def test_a_run_keeps_its_own_files(scene: Scene, path: str) -> None:
    scene.start_run()
    for told in (
        scene.write(scene.repo / path),
        scene.bash(f"echo x > {path}"),
        scene.bash(f"cp src/a.py {path}"),
    ):
        assert told.decision == "deny"
        assert "rule run_file" in told.reason
        assert "`ultra run abort`" in told.reason


@pytest.mark.parametrize(
    "command",
    [
        "rm .git/ultra/run.json",
        "rm -r .git/ultra",
        "sudo rm -r .git",
        "cd .git && rm -r ultra",
        "mv .git/ultra src/x",
        "bash -c 'unlink .git/ultra/run.json'",
        f"rm {PLAN}",
        f"git rm {PLAN}",
        "mv .claude src/x",
        f"rm {PROJECT}/progress.json",
    ],
)
def test_a_run_does_not_lose_its_own_files(scene: Scene, command: str) -> None:
    scene.start_run()
    told = scene.bash(command)
    assert told.decision == "deny"
    assert "rule run_file" in told.reason


def test_links_to_own_files_are_followed(scene: Scene) -> None:
    scene.start_run()
    (scene.repo / "notes.md").symlink_to(PLAN)
    assert "rule run_file" in scene.write(scene.repo / "notes.md").reason


def test_neighbours_of_own_files_are_ordinary(scene: Scene) -> None:
    scene.start_run()
    for path in (f"{PROJECT}/brief.md", "progress.json", "src/plan.md", f"{PROJECT}-2/progress.json"):
        assert scene.write(scene.repo / path).silent
    assert scene.bash("rm src/a.py").silent
    assert scene.bash("mv src/a.py src/b.py").silent


def test_outside_a_run_the_plan_is_the_persons(scene: Scene) -> None:
    assert scene.write(scene.repo / PLAN, guard="always").silent


def test_our_own_hooks_are_hook_scripts(scene: Scene) -> None:
    for path in ("hooks/hooks.json", "runtime/ultra_runtime/hooks/guard.py"):
        told = scene.write(scene.bundle / path, guard="always")
        assert "rule hook_script" in told.reason


def test_files_that_settings_name_as_hooks_are_protected(scene: Scene) -> None:
    hooks = {
        "PreToolUse": [{"hooks": [{"type": "command", "command": '"$CLAUDE_PROJECT_DIR"/tools/check.sh'}]}]
    }
    (scene.repo / ".claude/settings.json").write_text(json.dumps({"hooks": hooks}))
    scene.start_run()
    assert "rule hook_script" in scene.write(scene.repo / "tools/check.sh").reason
    assert scene.write(scene.repo / "tools/other.sh").silent


@pytest.mark.parametrize(
    "command", [f"{LAUNCHER} status | cat", f"A=1 {LAUNCHER} status", f"cd src && {LAUNCHER} x"]
)
def test_the_launcher_is_called_by_itself_in_a_run_and_as_one_likes_elsewhere(
    scene: Scene, command: str
) -> None:
    assert scene.bash(command, guard="always").silent
    scene.start_run()
    told = scene.bash(command)
    assert (told.decision, "rule launcher_alone: " in told.reason) == ("deny", True)
    assert f"call `{LAUNCHER}` by itself" in told.reason
    assert scene.bash(f"{LAUNCHER} status --json").silent
    assert scene.bash(f"{LAUNCHER} put plan --project x <<'END'\na; b | c\nEND").silent


@pytest.mark.parametrize("guard", ["run", "ask", "always"])
def test_the_user_is_asked_before_a_start_accepts_something_for_them(scene: Scene, guard: str) -> None:
    """Then there is no run yet, or it has ended: a model could end it to resume it with what it has changed."""
    call = f"{LAUNCHER} run start plan.md --mode resume --accept-settings-change"
    headless = {"CLAUDE_CODE_SESSION_ATTENDED": "0"}
    for command in (call, f"cd . && {call} 2>&1 | tail", f"bash -c '{call}'"):
        told = scene.bash(command, guard=guard)
        assert (told.decision, "rule claimed_for_the_user: " in told.reason) == ("ask", True)
        assert scene.bash(command, guard=guard, env=headless).decision == "deny"
    for command in (call.replace("--accept", "--x"), f"echo '{call}'", f"grep -rn -- '{call}' docs"):
        assert scene.bash(command, guard=guard).silent
    assert scene.bash(call, guard="off").silent


@pytest.mark.parametrize("command", ["step begin 2 --mine src/a.py", "run finish --mine --json"])
def test_the_user_is_asked_before_a_change_is_claimed_for_them(scene: Scene, command: str) -> None:
    call = f"{LAUNCHER} {command}"
    assert scene.bash(call, guard="always").silent
    scene.start_run()
    told = scene.bash(call)
    assert (told.decision, "rule claimed_for_the_user: " in told.reason) == ("ask", True)
    assert scene.bash(call, env={"CLAUDE_CODE_SESSION_ATTENDED": "0"}).decision == "deny"
    assert scene.bash(call, guard="off").silent
    assert scene.bash(call.replace("--mine", "--json")).silent
