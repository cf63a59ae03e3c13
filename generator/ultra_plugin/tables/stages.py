"""Render the stages of the pipeline, and the place of each artifact in a project."""

from __future__ import annotations

from ultra_plugin.model import Plugin, Suite
from ultra_plugin.tables.literal import literal, table_of


def stages_module(suite: Suite, plugin: Plugin) -> str:
    """Return the module with the stages and the files of a project."""
    stages = {
        name: (f"/{plugin.settings.name}:{stage.command}", stage.makes or "", stage.next or "")
        for name, stage in plugin.settings.pipeline.items()
    }
    contracts = suite.contracts.values()
    files = {one.artifact: one.project_files for one in contracts if one.project_files}
    texts = tuple(one.artifact for one in contracts if one.is_text)
    return (
        '"""Rendered from plugin.yaml and contracts/*.yaml: edit those files, not this one."""\n\n'
        f"# Stage -> command, the artifact that it makes, the stage that follows.\nSTAGES = {table_of(stages)}\n"
        f"# Artifact -> its places in a project directory, the usual one first.\nFILES = {table_of(files)}\n"
        f"# Artifacts that a model writes, by `put`.\nTEXTS = {literal(texts)}\n"
    )
