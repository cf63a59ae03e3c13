"""The keys of plugin.json and marketplace.json that the pinned client knows, each with its meaning.

From the client's own schema (2.1.325). The shapes of their values are in check/manifest_shape.py and
check/marketplace_shape.py; a test compares the keys.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

LISTING: Mapping[str, str] = MappingProxyType({
    "icon": "A path inside the plugin to its icon; `.claude-plugin/icon.png` is found without this key.",
    "screenshots": "Paths of pictures that a directory shows.",
    "privacyPolicyUrl": "The address of the privacy policy; a plugin that sends data somewhere needs one.",
    "supportUrl": "Where users get help.",
    "termsOfServiceUrl": "The address of the terms of service.",
    "documentationUrl": "The address of the documentation.",
    "privacy_policy": "Another spelling of `privacyPolicyUrl`.",
    "privacyPolicy": "Another spelling of `privacyPolicyUrl`.",
    "support": "Another spelling of `supportUrl`.",
    "bugs": "Another spelling of `supportUrl`, as in package.json.",
    "terms_of_service": "Another spelling of `termsOfServiceUrl`.",
    "docs": "Another spelling of `documentationUrl`.",
    "classification": "Where a directory lists the plugin; the client does not read it.",
})  # fmt: skip
"""Keys that a directory of plugins reads."""
PRIVACY = ("privacyPolicyUrl", "privacy_policy", "privacyPolicy")
"""The spellings of the address of a privacy policy."""

MANIFEST: Mapping[str, str] = MappingProxyType({
    "$schema": "The address of a JSON Schema, for editors.",
    "name": "The name of the plugin; typed before the colon of each command.",
    "displayName": "The name that people read.",
    "version": "MAJOR.MINOR.PATCH; the client updates when it changes.",
    "description": "What the plugin does, in one sentence.",
    "author": "Who made it: `name`, and optionally `email` and `url`.",
    "homepage": "The address of its home page.",
    "repository": "The address of its repository.",
    "license": "The SPDX identifier of its licence.",
    "keywords": "Search words.",
    "defaultEnabled": "Whether it is enabled after installation.",
    "dependencies": "Plugins that it needs; the client does not load it without them.",
    "metadata": "Anything; the client ignores it.",
    "engines": "The clients that it works with, such as `claude-code: \">=2.1.0\"`.",
    "hooks": "Hooks, or paths of hooks files, beyond `hooks/hooks.json`.",
    "commands": "Paths of commands, or commands by name; replaces the folder `commands/`.",
    "agents": "Paths of agents; replaces the folder `agents/`.",
    "skills": "Paths of folders with skills, beyond `skills/`.",
    "outputStyles": "Paths of output styles; replaces the folder `output-styles/`.",
    "themes": "Paths of themes; the client expects them under `experimental`.",
    "workflows": "Paths of workflows; replaces the folder `workflows/`.",
    "channels": "MCP servers that push messages into a session.",
    "mcpServers": "MCP servers by name, or paths of files with them, beyond `.mcp.json`.",
    "lspServers": "Language servers by name, or paths of files with them, beyond `.lsp.json`.",
    "monitors": "Commands that run beside a session; the client expects them under `experimental`.",
    "settings": "Settings that apply while the plugin is enabled.",
    "types": "The path of a `.d.ts` file with the types of hook modules.",
    "userConfig": "Options that the client asks the user for.",
    "binaries": "Programs that the client fetches for the platform.",
    "experimental": "`themes`, `monitors`, `outputStyles`, `evals` and `syntaxHighlighting`.",
    **LISTING,
})  # fmt: skip

MARKETPLACE: Mapping[str, str] = MappingProxyType({
    "$schema": "The address of a JSON Schema, for editors.",
    "name": "The name of the marketplace; typed after the @ of an installation.",
    "version": "The version of the list.",
    "description": "What the marketplace offers.",
    "owner": "Who runs it: `name`, and optionally `email` and `url`.",
    "plugins": "The plugins that it offers.",
    "forceRemoveDeletedPlugins": "Whether the client uninstalls plugins that are no longer offered.",
    "metadata": "`pluginRoot`, `version` and `description`.",
    "allowCrossMarketplaceDependenciesOn": "Marketplaces whose plugins may be dependencies.",
    "renames": "Old name -> new name of a plugin.",
})  # fmt: skip

ENTRY: Mapping[str, str] = MappingProxyType({
    **{key: means for key, means in MANIFEST.items() if key not in LISTING},
    "source": "Where the plugin is: a path, a repository or an address.",
    "headers": "Headers for the request that downloads it.",
    "headersHelper": "A program that prints such headers.",
    "category": "The heading under which a directory lists it.",
    "tags": "Search words.",
    "strict": "Whether the plugin needs a manifest of its own; with `false` this entry is the manifest.",
    "relevance": "When the client suggests it.",
})  # fmt: skip

README_NAMES = (
    "README.md",
    "readme.md",
    "Readme.md",
    "README.markdown",
    "README",
    "README.txt",
    "docs/README.md",
)
"""In the order in which the client looks for them; those without a folder count in the repository as well."""
LICENCE_NAMES = frozenset({
    "license", "license.md", "license.txt", "licence", "licence.md", "copying", "copying.md", "license-mit",
    "license-apache",
})  # fmt: skip
"""In lower case; the client compares without regard to case."""

CACHES = frozenset({"node_modules", ".venv", "venv", "site-packages"})
"""Folders with the work of others, whose files a check lists but does not read."""
