"""The vocabulary of the pinned client, 2.1.325, as literal sets.

[init] is listed by a session's first message; [schema] is in the client's own validation schemas;
[docs] is documentation (code.claude.com); [measured] was tried with `claude plugin validate`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ultra_plugin.keys import ENTRY, MANIFEST, MARKETPLACE

VERSION = "2.1.325"

FILE_LIMIT = 1024 * 1024
"""Bytes; a larger command, skill, agent or hooks file is not validated, and a larger command is not loaded [measured]."""

TOOLS = frozenset({
    # [init] of a headless session
    "Task", "Bash", "CronCreate", "CronDelete", "CronList", "Edit", "EnterWorktree", "ExitWorktree", "ListAgents",
    "Monitor", "NotebookEdit", "Read", "ReportFindings", "ScheduleWakeup", "SendMessage", "Skill", "TaskStop",
    "ToolSearch", "WebFetch", "WebSearch", "Workflow", "Write",
    # [schema] interactive, on some platforms or behind a setting
    "Agent", "AskUserQuestion", "EnterPlanMode", "ExitPlanMode", "Glob", "Grep", "LSP", "ListMcpResourcesTool",
    "PowerShell", "PushNotification", "REPL", "ReadMcpResourceTool", "RemoteTrigger", "SendUserFile",
    "SendUserMessage", "StructuredOutput", "TaskCreate", "TaskGet", "TaskList", "TaskUpdate", "TodoWrite",
})  # fmt: skip

FORMER_TOOLS = frozenset({
    # Names that rules of older plugins use and 2.1.325 still understands or drops without harm [schema]
    "BashOutput", "KillBash", "KillShell", "LS", "MultiEdit", "NotebookRead", "SlashCommand", "TaskOutput",
    "TeamCreate", "TeamDelete",
})  # fmt: skip

MODELS = frozenset({
    "inherit", "sonnet", "opus", "haiku", "fable", "best", "default", "opusplan",
    "sonnet[1m]", "opus[1m]", "fable[1m]", "opusplan[1m]",
})  # [schema]; full model ids are recognised by their form  # fmt: skip

EFFORTS = frozenset({"low", "medium", "high", "xhigh", "max"})  # [schema]; an integer as well
COLORS = frozenset({"red", "blue", "green", "yellow", "purple", "orange", "pink", "cyan"})  # [docs]
SHELLS = frozenset({"bash", "powershell"})  # [measured]
CONTEXTS = frozenset({"inline", "fork"})  # [schema]
MEMORIES = frozenset({"user", "project", "local"})  # [docs]
ISOLATIONS = frozenset({"worktree"})  # [docs]

SKILL_KEYS = frozenset({
    # [docs] and [schema], commands and skills alike
    "name", "description", "when_to_use", "argument-hint", "arguments", "disable-model-invocation", "user-invocable",
    "allowed-tools", "disallowed-tools", "disallowedTools", "model", "effort", "context", "agent", "background",
    "hooks", "paths", "shell", "metadata", "license", "version", "compatibility", "author", "fallback", "created_by",
    "improved_by", "experimental",
})  # fmt: skip
COMMAND_KEYS = SKILL_KEYS | {"hide-from-slash-command-tool"}
AGENT_KEYS = frozenset({
    # [docs] and [schema]
    "name", "description", "tools", "disallowedTools", "model", "permissionMode", "maxTurns", "skills", "mcpServers",
    "hooks", "memory", "background", "effort", "isolation", "color", "initialPrompt", "omitClaudeMd", "metadata",
    "autoCompactWindow", "version", "license", "author", "when_to_use", "when-to-use", "cacheTtl", "observer",
    "observerMessage", "observeSubagents", "experimental",
})  # fmt: skip
IGNORED_AGENT_KEYS = frozenset({
    "permissionMode", "hooks", "mcpServers", "initialPrompt", "observer", "observerMessage", "observeSubagents",
})  # fmt: skip
"""Read in a user's own agents, ignored in a plugin's (specification, 2.1.325 section 6)."""
BOOLEAN_KEYS = frozenset({"disable-model-invocation", "user-invocable", "background"})

MANIFEST_KEYS = frozenset(MANIFEST)  # [schema]; those for a directory's listing: accepted silently [measured]
EXPERIMENTAL_KEYS = frozenset(
    {"themes", "monitors", "outputStyles", "evals", "syntaxHighlighting"}
)  # [schema]
MOVED_TO_EXPERIMENTAL = frozenset({"themes", "monitors"})  # [measured]: a warning at the top level
OPTION_KEYS = frozenset({
    # of one userConfig option, a strict object [schema]; `options` is unknown to 2.1.197 and refused there
    "type", "title", "description", "required", "default", "multiple", "sensitive", "min", "max", "options",
})  # fmt: skip
OPTION_TYPES = frozenset({"string", "number", "boolean", "directory", "file"})

MARKETPLACE_KEYS = frozenset(MARKETPLACE)  # [schema]
MARKETPLACE_METADATA_KEYS = frozenset({"pluginRoot", "version", "description"})
ENTRY_KEYS = frozenset(ENTRY)  # [schema]

TOOL_EVENTS = frozenset({
    "PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest", "PermissionDenied",
})  # fmt: skip
GUARD_EVENTS = frozenset({"PreToolUse", "PermissionRequest"})
"""A faulty hook of these makes the client refuse the plugin; of any other event it is dropped [measured]."""
MATCHER_VALUES: Mapping[str, frozenset[str]] = MappingProxyType({
    # [schema]: events whose matcher is compared with one of a few words
    "SessionStart": frozenset({"startup", "resume", "clear", "compact", "fork"}),
    "PreCompact": frozenset({"manual", "auto"}),
    "PostCompact": frozenset({"manual", "auto"}),
    "Setup": frozenset({"init", "maintenance"}),
    "ConfigChange": frozenset({
        "user_settings", "project_settings", "local_settings", "policy_settings", "skills",
    }),
})  # fmt: skip
EVENTS_WITHOUT_MATCHER = frozenset({
    # [schema]; FileChanged has none there either, but its matcher names the files to watch [docs]
    "PostToolBatch", "UserPromptSubmit", "Stop", "TeammateIdle", "TaskCreated", "TaskCompleted", "WorktreeCreate",
    "WorktreeRemove", "CwdChanged", "MessageDisplay",
})  # fmt: skip
HOOK_EVENTS = TOOL_EVENTS | EVENTS_WITHOUT_MATCHER | frozenset(MATCHER_VALUES) | {
    # [schema], the rest of the 33
    "Notification", "UserPromptExpansion", "SessionEnd", "StopFailure", "SubagentStart", "SubagentStop",
    "PreModelSwitch", "PostModelSwitch", "Elicitation", "ElicitationResult", "InstructionsLoaded", "FileChanged",
    "DirectoryAdded",
}  # fmt: skip
HOOK_KEYS: Mapping[str, frozenset[str]] = MappingProxyType({
    # type -> keys [schema]
    "command": frozenset({
        "type", "command", "args", "if", "shell", "timeout", "onFailure", "statusMessage", "once", "async",
        "asyncRewake", "rewakeMessage", "rewakeSummary", "cloud",
    }),
    "prompt": frozenset({"type", "prompt", "if", "timeout", "model", "continueOnBlock", "statusMessage", "once"}),
    "agent": frozenset({"type", "prompt", "if", "timeout", "model", "statusMessage", "once"}),
    "mcp_tool": frozenset({"type", "server", "tool", "input", "if", "timeout", "statusMessage", "once"}),
    "http": frozenset({
        "type", "url", "if", "timeout", "onFailure", "headers", "allowedEnvVars", "statusMessage", "once", "cloud",
    }),
})  # fmt: skip
HOOKS_FILE_KEYS = frozenset({"$schema", "description", "hooks", "modules"})
LONGEST_TIMEOUT = 3600
"""Seconds; more is a number of milliseconds (the default is 600)."""

REMOTE_SERVERS = frozenset({"http", "streamable-http", "sse", "ws"})  # [measured]
HOST_SERVERS = frozenset({"sdk", "sse-ide", "ws-ide", "claudeai-proxy"})
"""Only the host may register these: refused in .mcp.json, accepted inline [measured]."""

OWN_MARKS = frozenset({"claude", "anthropic", "anthropics"})
"""Words of Anthropic's own names: reserved at the start of a plugin's name [measured]."""
OFFICIAL_MARKETPLACES = frozenset({
    # [schema]: accepted by validate, refused when added from outside Anthropic's repositories
    "claude-code-marketplace", "claude-code-plugins", "claude-plugins-official", "anthropic-marketplace",
    "anthropic-plugins", "agent-skills", "anthropic-agent-skills", "life-sciences", "knowledge-work-plugins",
    "claude-for-legal", "claude-for-financial-services", "financial-services-plugins", "first-party-plugins",
    "claude-tag-plugins", "claude-community", "claude-plugins-community", "healthcare",
    "anthropic-plugin-directory", "claude-plugin-directory",
})  # fmt: skip
RESERVED_MARKETPLACES = frozenset(
    {"inline", "builtin", "skills-dir", "synced", "claude-plugin-test"}
)  # [measured]

BUILT_IN_AGENTS = frozenset({
    # [schema] and [docs]
    "general-purpose", "Explore", "Plan", "statusline-setup", "claude-code-guide", "output-style-setup", "claude",
})  # fmt: skip
HARMLESS_COMMANDS = frozenset({
    # [measured] and [schema]: run in a prompt without a rule, because they only read
    "ls", "cat", "head", "tail", "wc", "pwd", "echo", "date", "whoami", "grep", "find", "stat", "file", "which", "sort",
    "uniq", "cut", "tr", "diff", "true", "false", "printf", "basename", "dirname", "realpath", "readlink", "rg", "cd",
    "tree", "du", "df", "id", "uname", "hostname", "sleep", "test", "[", "jq", "nl", "tac", "rev", "column", "paste",
    "git status", "git log", "git diff", "git show", "git branch", "git rev-parse", "git ls-files", "git remote",
    "git blame", "git config", "git describe", "git tag", "git stash", "git reflog", "git shortlog", "git cat-file",
    "node -v", "node --version", "python --version", "python3 --version",
    "ps", "pgrep", "lsof", "netstat", "ss", "free", "uptime", "seq", "expr", "type", "groups", "nproc", "locale", "arch", "man",
    "md5sum", "sha256sum", "base64", "strings", "hexdump", "od", "fold", "comm", "cmp", "egrep", "docker ps",
    "ip addr", "git grep", "git merge-base", "git for-each-ref", "git rev-list", "git ls-remote", "git worktree", "git symbolic-ref",
})  # fmt: skip

BUILT_IN_COMMANDS = frozenset({
    # [init] slash_commands and what the interactive client adds [docs]: a bare mention may mean these
    "add-dir", "agents", "autocompact", "batch", "bug", "clear", "code-review", "color", "compact", "config", "context",
    "cost", "debug", "doctor", "effort", "exit", "export", "fast", "feedback", "focus", "goal", "help", "hooks", "ide",
    "init", "insights", "login", "logout", "loop", "mcp", "memory", "model", "output-style", "permissions", "plan",
    "plugin", "plugins", "pr-comments", "recap", "release-notes", "reload-plugins", "reload-skills", "rename", "resume",
    "review", "rewind", "run", "sandbox", "security-review", "simplify", "skills", "status", "statusline", "stats",
    "tasks", "team-onboarding", "terminal-setup", "theme", "todos", "update-config", "usage", "verify", "vim",
})  # fmt: skip
