"""The command that makes the plan of a project: from its brief, or from the sentence of a small task."""

from __future__ import annotations

import os

from ultra_runtime.contract.stages import command_for, file_if_any
from ultra_runtime.files.json_file import read_json
from ultra_runtime.files.run_files import LOGS, SENTENCE, TASK_FILE
from ultra_runtime.tables.fields import brief_fields, plan_fields
from ultra_runtime.words import shell_word, text_of


def sentence_of(folder: str) -> str:
    """Return the sentence of a small task; empty when the project did not begin as one, or has a brief."""
    brief = file_if_any(brief_fields.KIND)
    if brief and os.path.lexists(os.path.join(folder, brief)):
        return ""
    return text_of(read_json(os.path.join(folder, LOGS, TASK_FILE)).get(SENTENCE))


def plan_again(folder: str, shown: str) -> str:
    """Return the command that plans again in a project; `shown` is its folder as a person sees it."""
    task = sentence_of(folder)
    return command_for(plan_fields.KIND, *(("", f"--task {shell_word(task)}") if task else (shown,)))
