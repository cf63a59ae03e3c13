"""A crew for works: the files that a specifier writes, and what each agent does and answers, in plain words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.kit.names import SOURCES

NAME = "sdd-pipeline"
LAUNCHER = "sdd"
REFERENCES = SOURCES / f"plugins/{NAME}/references"
HEADINGS = {"en": "Summary", "ko": "요약", "ja": "概要"}
WORDS = {
    "ko": {
        "Request": "요청", "Requirements": "요구사항", "Acceptance Criteria": "인수 기준", "Goal": "목표",
        "Task Dependency Graph": "작업 의존성 그래프", "Tasks": "작업", "Scope": "범위", "Files": "파일", "Verify": "검증",
        "Files changed": "변경 파일",
    },
    "ja": {
        "Request": "依頼", "Requirements": "要件", "Acceptance Criteria": "受け入れ基準", "Goal": "目標",
        "Task Dependency Graph": "タスク依存グラフ", "Tasks": "タスク", "Scope": "範囲", "Files": "ファイル", "Verify": "検証",
        "Files changed": "変更ファイル",
    },
}  # fmt: skip
"""Language -> section of a file that an agent writes -> its name."""


@dataclass(frozen=True)
class Job:
    """One task as a test gives it: its file, what it depends on, and its command."""

    path: str
    after: str = "none"
    verify: str = ""
    action: str = "CREATE"

    @property
    def command(self) -> str:
        return self.verify or f"test -f {self.path}"


@dataclass(frozen=True)
class Order:
    """A work: its mode, its language and its tasks."""

    jobs: Mapping[str, Job]
    mode: str = "full"
    language: str = "en"
    work: str = "WORK-01"
    title: str = "Greet by name"
    extra: Mapping[str, str] = field(default_factory=dict)
    """File of the work -> its text, instead of a good one."""

    def documents(self) -> dict[str, str]:
        """Return the files that the specifier writes."""
        texts = {"Requirement.md": self.requirement(), "PLAN.md": self.plan()}
        texts |= {f"{name}.md": self.task(name, job) for name, job in self.jobs.items()}
        return {f"works/{self.work}/{name}": text for name, text in {**texts, **self.extra}.items()}

    def requirement(self) -> str:
        """Return a requirement."""
        sections = {
            "Request": "Greet.",
            "Requirements": "- It greets.",
            "Acceptance Criteria": "- It greets.",
        }
        return self._text(
            f"{self.work}: {self.title}", {"Created": "2026-01-31", "Language": self.language}, sections
        )

    def plan(self) -> str:
        """Return a plan with every task."""
        fields = {
            "Created": "2026-01-31", "Requirement": "Requirement.md", "Execution-Mode": self.mode, "Project": "hello",
            "Tech Stack": "sh", "Language": self.language, "Status": "PLANNED",
        }  # fmt: skip
        tasks = "\n\n".join(
            f"### {name}: Make {job.path}\n\n- Depends on: {job.after}\n- Scope: Make it.\n- Files: `{job.path}`"
            for name, job in self.jobs.items()
        )
        sections = {"Goal": "It greets.", "Task Dependency Graph": "As below.", "Tasks": tasks}
        return self._text(f"{self.work}: {self.title}", fields, sections)

    def task(self, name: str, job: Job) -> str:
        """Return one task."""
        rows = f"| Path | Action | Description |\n|---|---|---|\n| {job.path} | {job.action} | it |"
        sections = {
            "Scope": "Make it.", "Files": rows, "Acceptance Criteria": "- It is there.", "Verify": f"- `{job.command}`",
        }  # fmt: skip
        return self._text(
            f"{name}: Make {job.path}", {"WORK": self.work, "Dependencies": job.after}, sections
        )

    def progress(self, name: str, *paths: str, status: str = "COMPLETED") -> str:
        """Return what the builder of a task reports."""
        listed = "\n".join(f"- `{path}`" for path in paths or [self.jobs[name].path])
        fields = {"Status": status, "Started": "2026-01-31T12:00:00Z", "Updated": "2026-01-31T12:00:00Z"}
        return self._text(f"{name}: progress", fields, {"Files changed": listed})

    def progress_file(self, name: str) -> str:
        """Return the file in which the builder of a task reports."""
        return f"works/{self.work}/{name}_progress.md"

    def answer(self, agent: str, task: str = "", status: str = "PASS", notes: str = "") -> str:
        """Return what an agent answers."""
        about = f' task="{task}"' if task else ""
        who = f"{agent} {task}".strip()
        return (
            f'<task-result work="{self.work}"{about} agent="{agent}" status="{status}">\n<summary>{who} is done</summary>\n'
            f'<files-changed/>\n<verification><check name="It is there" status="PASS"/></verification>\n<notes>{notes}</notes>\n'
            f"<context-handoff><what>what of {who}</what><why>why</why><caution>care</caution><incomplete>None</incomplete>"
            "</context-handoff>\n</task-result>"
        )

    def _text(self, title: str, fields: Mapping[str, str], sections: Mapping[str, str]) -> str:
        names = WORDS.get(self.language, {})
        quoted = "\n".join(f"> {name}: {value}" for name, value in fields.items())
        return (
            f"# {title}\n\n{quoted}\n\n"
            + "\n\n".join(f"## {names.get(name, name)}\n\n{text}" for name, text in sections.items())
            + "\n"
        )


SIX = Order(
    {
        "TASK-01": Job("one.txt"),
        "TASK-02": Job("two.txt"),
        "TASK-03": Job("three.txt", "TASK-01"),
        "TASK-04": Job("four.txt", "TASK-03"),
        "TASK-05": Job("five.txt", "TASK-04, TASK-02"),
        "TASK-06": Job("six.txt", "TASK-05"),
    }
)
DIRECT = Order({"TASK-00": Job("hello.txt")}, "direct")
PIPELINE = Order({"TASK-01": Job("hello.txt")}, "pipeline")


def number_of(prompt: str) -> str:
    """Return the number of the dispatch that a prompt names."""
    found = re.search(r"work dispatch (\d+) ", prompt)
    assert found, prompt
    return found.group(1)


def task_of(dispatch: str) -> str:
    """Return the task of a dispatch; nothing if it is about the whole work."""
    found = re.search(r'^<dispatch [^>]*task="(TASK-\d\d)"', dispatch)
    return found.group(1) if found else ""


def write_documents(folder: Path, order: Order) -> None:
    """Write the files of a work."""
    for name, text in order.documents().items():
        (folder / name).write_text(text)
