"""The parts that the scripted model acts on the whole way: each goes on with what the verbs and the client answered.

What it writes and what its agents say stands in whole_way/, in files that read like what they become.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Mapping, Sequence
from pathlib import Path
from string import Template
from textwrap import dedent
from typing import Any

from tests.client.conversation import Call, Say, Together, ToolResult, Turn
from tests.client.script import Acting, SubAgent
from tests.flagship.stories import NAME, answered, bash, given, spawn

MATERIAL = Path(__file__).parent / "whole_way"
QUESTION = "What in the standard library splits a text into words without punctuation, and orders those of the same number?"
INTERVIEW = {
    "Why is this wanted, and what happens without it?": {
        "An editor looks for words that she uses too often": "She pastes her texts into a web page today",
        "Out of curiosity": "Nobody misses it",
    },
    "What is there when it is done?": {
        "The option --top N shows the N most frequent words": "The program stays what it is without it",
        "A second program shows them": "tally.py stays untouched",
    },
    "What will you run, see or measure to know it is done?": {
        "The output is correct and easy to read": "I look at it",
        "I don't know": "Then an assumption is written down",
    },
    f"New here is what counts as a word. The topic: {QUESTION} Both sides, medium confidence, quick.": {
        "Research it so": "Two agents look here, one outside",
        "I know this": "No research on it",
        "Change it": "Another question",
    },
}
SHARPEN = {
    "python3 tally.py rose.txt --top 2, without --top, and with --top many": "Three commands with their output",
    "Enough, stop": "The brief is marked as partial",
}
GO_ON = {"Manual": "Show the commands", "Auto": "Research and plan now, in this session"}
ATTEMPTS = ('print(f"{word}: {number}")', "print(word, number)", "print((word, number))")
RIGHT = "print(number, word)"

Answering = Generator[Turn, list[ToolResult], dict[str, Any]]
Reading = Generator[Turn, list[ToolResult], str]


# The material.


def text(name: str, **values: object) -> str:
    """Return a file of the material with its blanks filled in."""
    return Template((MATERIAL / name).read_text()).substitute(values)


def scenes(name: str) -> dict[str, str]:
    """Return the texts of a file that holds several, by their headings."""
    found = re.findall(
        r"^## ([^\n]*)\n\n~~~~\n(.*?)^~~~~$", (MATERIAL / name).read_text(), re.MULTILINE | re.DOTALL
    )
    return dict(found)


# What Claude does with an answer.


def match(pattern: str, said: str) -> str:
    """Read something out of a text; it has to be there."""
    found = re.search(pattern, said)
    assert found, f"{pattern} is not in: {said}"
    return found[1]


def offered(answer: Mapping[str, Any], about: str) -> str:
    """Return the command that an answer's `next` offers in backticks."""
    return match(rf"`([^`]*{re.escape(about)}[^`]*)`", answer["next"])


def run(command: str, text: str = "") -> Answering:
    """Call a verb as it is spelled, with a text for its standard input if there is one, and read its answer."""
    line = f"{command} --json"
    (result,) = yield given(line, text) if text else bash(line)
    answer = answered(result)
    assert answer.get("ok", answer.get("valid")) is not False, answer
    return answer


def guide(command: str) -> Reading:
    (result,) = yield bash(command)
    return result.text


def choose(question: str, options: Mapping[str, str]) -> Reading:
    """Ask the user, each option with what it means, and return what was chosen."""
    offers = [{"label": label, "description": means} for label, means in options.items()]
    words = {"question": question, "header": "Brief", "multiSelect": False, "options": offers}
    (result,) = yield Call("AskUserQuestion", {"questions": [words]})
    return match(r'"="([^"]+)"', result.text)


def consult(*agents: str, **told: str) -> Generator[Turn, list[ToolResult], dict[str, str]]:
    """Spawn agents side by side, each told the same, and return what each reported."""
    prompt = "\n".join(f"{key}: {value}" for key, value in told.items())
    names = [agent.removeprefix(f"{NAME}:") for agent in agents]
    results = yield Together(*(spawn(name, prompt) for name in names))
    assert not [result for result in results if result.is_error], results
    if not any("working in the background" in result.text for result in results):
        return {name: handed_back(result.text) for name, result in zip(names, results, strict=True)}
    reports: dict[str, str] = {}
    while len(reports) < len(names):
        waiting = [name for name in names if name not in reports]
        (heard,) = yield Say(f"I wait for {' and '.join(waiting)} ({told['Round']}).")
        reports |= {name: noticed(name, heard.text) for name in waiting if f'"{name}" finished' in heard.text}
    return reports


def handed_back(said: str) -> str:
    """Return an agent's own words out of what the client hands back, which has them indented."""
    return dedent(match(r"(?s)\[Subagent hand-back\][^\n]*\n(.*)\nagentId: ", said)).strip()


def noticed(name: str, said: str) -> str:
    """Return an agent's own words out of the notification that it has finished."""
    return match(rf'(?s)Agent "{name}" finished</summary>.*?<result>(.*?)</result>', said)


def block(reported: str) -> str:
    """Return the json block of a report, in its fence."""
    return match(r"(?ms)(^```json\n.*?^```$)", reported)


def data_folder(told: str) -> str:
    """Return the folder for statistics that the client filled in."""
    return match(r'--data "([^"]+)"', told)


def arguments(told: str) -> str:
    """Return what was typed behind the command."""
    return match(r"Arguments: `([^`]*)`", told)


def option(name: str, told: str) -> str:
    """Return the value of an option that was typed."""
    return match(rf"{name} (\S+)", arguments(told))


def day_of(project: str) -> str:
    return match(r"/(\d{4}-\d\d-\d\d)-", project)


def slug_of(project: str) -> str:
    return match(r"/\d{4}-\d\d-\d\d-([^/]+)$", project)


# The parts, stage by stage.


def brief(told: str) -> Acting:
    """Interview, draft, a review that fails once, one more question, and the brief."""
    assert arguments(told) == "Show the most frequent words of a text"
    made = yield from run("ultra project new top-words")
    project = made["path"]
    history = [*INTERVIEW]
    answers = []
    for question, options in INTERVIEW.items():
        answers.append((yield from choose(question, options)))
    intent, goal = answers[:2]
    drafting = yield from guide("ultra guide brief draft")
    draft = text(
        "brief.md", day=day_of(project), slug=slug_of(project), project=project, turns=len(history), intent=intent,
        goal=goal, question=QUESTION, research_command=match(r"`(/\S+) --project DIR QUESTION`", drafting),
        plan_command=match(r"then `(/\S+) --project DIR`", drafting),
    )  # fmt: skip
    put = yield from run(offered(made, "ultra put brief"), draft)
    gate = offered(put, "ultra gate brief")
    first = yield from consult("brief-reviewer", Draft=put["path"], Round="1")
    ruled = yield from run(gate, first["brief-reviewer"])
    history.append(f"The reviewer says: {ruled['detail'][0]} What will you run?")
    yield from choose(history[-1], SHARPEN)
    again = f"{offered(ruled, 'ultra put brief')} --section 'Success Criteria'"
    yield from run(again, text("criteria.md"))
    settled = f"{' / '.join(history)} Do not raise again what their answers settled."
    second = yield from consult("brief-reviewer", Draft=put["path"], Round="2", Asked=settled)
    ruled = yield from run(gate, second["brief-reviewer"])
    assert ruled["passed"], ruled
    path = match(r"^(\S+) is in place", ruled["next"])
    yield from run(f"ultra validate brief {path}")
    yield from choose("How shall it go on?", GO_ON)
    counted = f"slug={slug_of(project)} mode=default interview_turns={len(history)} review_iterations={ruled['round']}"
    rest = "brief_quality=complete research_topics=1 auto_research=false auto_result=manual"
    yield from run(f'ultra stats brief {counted} {rest} --data "{data_folder(told)}"')
    continued = draft.partition("## How to continue\n")[2]
    yield Say(f"{path} is written: 2 rounds, complete, 1 topic.\n{continued.rstrip()}")


def research(told: str) -> Acting:
    """Answer the one topic: three agents, a computed confidence, the file."""
    project = option("--project", told)
    yield from run(f"ultra validate brief {project}/brief.md --soft")
    yield from run(f"ultra brief status {project} in_progress")
    yield from guide("ultra guide research agents")
    yield bash("gemini --version")
    asked = {"Question": QUESTION, "Dimensions": "1. What splits? 2. What orders?", "Start": "tally.py"}
    reports = yield from consult("local-structure", "local-dependencies", "web-docs", **asked)
    rows = [
        f"| {one['dimension']} | {agent} | {one['kind']} | yes | {one['source']} |"
        for agent, said in reports.items()
        for one in json.loads(block(said).strip("`").removeprefix("json"))["findings"]
    ]
    evidence = "\n".join(["| dimension | agent | kind | agrees | source |", "|---|---|---|---|---|", *rows])
    sure = yield from run("ultra confidence --dimensions 2 --needed medium", evidence)
    yield from guide("ultra guide research write")
    found = text(
        "research.md",
        day=day_of(project),
        question=QUESTION,
        confidence=sure["confidence"],
        evidence=evidence,
    )
    put = yield from run(f"ultra put research --project {project} --topic 1 --slug what-a-word-is", found)
    yield from run(f"ultra validate research {project}/research")
    yield from run(f"ultra brief status {project} complete")
    counted = f"slug={slug_of(project)} scope=both agents={len(reports)} confidence={sure['confidence']}"
    yield from run(f'ultra stats research {counted} --data "{data_folder(told)}"')
    following = match(r"Then the next command: `(/\S+) --project DIR`", told)
    answer = "A regular expression finds the words, Counter puts the most frequent first and keeps the order of equals."
    yield Say(
        f"{put['path']}: {answer} Confidence {sure['confidence']}, which is enough. Second model: skipped, not"
        f" installed.\nNext: {following} --project {project}"
    )


def plan(told: str) -> Acting:
    """Make the plan from the brief, step by step, through self-check and critics."""
    begun = yield from run(f"ultra plan begin --project {option('--project', told)}")
    yield from guide(offered(begun, "ultra guide plan"))
    yield from consult(*begun["explorers"], Task="Show the most frequent words.", Brief=begun["path"])
    yield from guide("ultra guide plan synthesis")
    put = f"ultra put plan --project {begun['project']} --draft"
    whole = f"{text('plan.md')}\n## Verification\n\n{text('verification.md')}"
    draft = yield from run(put, whole)
    for number in (2, 3):
        yield from run(f"{put} --step {number}", text(f"plan-{number}.md"))
    ruled = yield from judged(begun, draft["path"])
    yield from counted_plan(told, ruled, begun, steps=3, source="brief")
    yield Say(
        f"{ruled['path']} is written: 3 steps, 1 session.\n1. Find the most frequent words\n2. Show them on the command"
        f" line\n3. Say so in the README\nAssumed: among equals the first in the text is first.\nNext: {ruled['run']}"
    )


def mending(told: str) -> Acting:
    """Make the plan from the review: every grave finding is a goal."""
    begun = yield from run(f"ultra plan begin --brief {option('--brief', told)}")
    yield from guide(offered(begun, "ultra guide plan"))
    ids = [goal["id"] for goal in begun["goals"]]
    yield from consult("dependency-tracer", "test-strategist", Review=begun["path"], Goals=", ".join(ids))
    yield from guide("ultra guide plan synthesis")
    listed, short = "\n".join(f"  - {one}" for one in ids), " and ".join(one[:8] for one in ids)
    whole = text("mend.md", source_findings=listed, short_findings=short)
    draft = yield from run(f"ultra put plan --project {begun['project']} --draft", whole)
    ruled = yield from judged(begun, draft["path"])
    yield from counted_plan(told, ruled, begun, steps=1, source="review")
    yield Say(
        f"{ruled['path']} is written: 1 step, which mends {short}.\n1. Tell a wrong N in one line\nNext: {ruled['run']}"
    )


def judged(begun: Mapping[str, Any], draft: str) -> Answering:
    """Take the draft through the self-check and the critics."""
    gate = f"ultra gate plan --project {begun['project']}"
    checked = yield from run(f"{gate} --self-check")
    assert checked["next"] == "spawn the critics", checked
    said = yield from consult("plan-critic", "scope-guardian", Draft=draft, Brief=begun["path"])
    ruled = yield from run(gate, "\n".join(block(one) for one in said.values()))
    assert ruled["passed"], ruled
    yield from run(f"ultra validate plan {ruled['path']} --strict")
    return ruled


def counted_plan(
    told: str, ruled: Mapping[str, Any], begun: Mapping[str, Any], steps: int, source: str
) -> Answering:
    counted = f"slug={slug_of(begun['project'])} steps={steps} sessions=1 source={source}"
    line = f"ultra stats plan {counted} self_check_rounds={ruled['self_check_rounds']}"
    return (yield from run(f'{line} --data "{data_folder(told)}"'))


class Executing:
    """Carry a plan out: the verbs say what comes next, and the work of each step is written beforehand."""

    def __init__(
        self, root: Path, work: Mapping[int, Sequence[Mapping[str, str]]], resume: bool = False
    ) -> None:
        self.root = root
        self.work = work
        self.resume = resume

    def __call__(self, told: str) -> Acting:
        if self.resume:
            assert "--resume" in arguments(told)
            yield from guide("ultra guide execute resume")
        mode = " --mode resume" if self.resume else ""
        answer = yield from self.run(f"ultra run start {option('--project', told)}/plan.md{mode}")
        while answer["next"].startswith("ultra step begin"):
            answer = yield from self.step(answer["next"])
        done = yield from self.run(f'ultra run finish --data "{data_folder(told)}"')
        summary = done["ultraexecute_summary"]
        counts = f"{summary['steps_passed']} of {summary['steps_total']} steps"
        following = done["next"].partition("; ")[2]
        yield Say(f"Result: {done['result']}, {counts}.\nReport: {done['report']}\n{following}".rstrip())

    def step(self, command: str) -> Answering:
        """Do one step, attempt by attempt, until it is committed or the run is over."""
        begun = yield from self.run(command)
        number = begun["step"]
        for path in begun["files"]:
            yield Call("Read", {"file_path": str(self.root / path)})
        for attempt in self.work[number]:
            for path, content in attempt.items():
                assert path in begun["files"], begun
                yield Call("Write", {"file_path": str(self.root / path), "content": content})
            verdict = yield from self.run(match(r"(ultra step verify \d+)", begun["next"]))
            if verdict["next"] != "retry":
                break
        if verdict["next"] != "commit":
            return verdict
        return (yield from self.run(f"ultra step commit {number}"))

    def run(self, command: str) -> Answering:
        (result,) = yield Call(
            "Bash", {"command": f"{command} --json", "description": "Next", "timeout": 600_000}
        )
        answer = answered(result)
        assert answer["ok"], answer
        return answer


def work_of(kind: str, *numbers: int) -> dict[int, list[dict[str, str]]]:
    """Return what is written in these steps, at the first attempt."""
    written: dict[int, dict[str, str]] = {number: {} for number in numbers}
    for title, content in scenes("work.md").items():
        step, _, path = title.partition(": ")
        name, _, number = step.partition(" ")
        if name == kind and int(number) in written:
            written[int(number)][path] = content
    return {number: [files] for number, files in written.items()}


def day_one() -> dict[int, list[dict[str, str]]]:
    """Return the work of the first day: in step 2 three attempts are wrong."""
    work = work_of("step", 1, 2)
    (right,) = work[2]
    wrong = [{path: whole.replace(RIGHT, attempt) for path, whole in right.items()} for attempt in ATTEMPTS]
    return {1: work[1], 2: wrong}


def going_on(told: str) -> Acting:
    """Say where the last session stopped; nobody can be asked here, so the command is shown."""
    assert arguments(told) == ""
    state = yield from run("ultra continue")
    yield Say(
        f"{state['project']}: {state['status']}. {state['means']}\nNext: {state['label']}\nGo on: {state['command']}"
    )


def review(told: str) -> Acting:
    """Review what changed: triage, five reviewers, a coordinator, the verdict."""
    scope = yield from run(f"ultra triage --project {option('--project', told)}")
    project = scope["project"]
    paths = {"Brief": scope["brief"], "Diff": scope["diff"], "Scope": scope["scope_file"]}
    said = yield from consult(*re.findall(r"^- `(\S+-reviewer)`$", told, re.MULTILINE), **paths)
    added: dict[str, Any] = {}
    for agent, words in said.items():
        name = agent.removeprefix(f"{NAME}:")
        added = yield from run(f"ultra review add {name} --project {project}", block(words))
    assert added["missing"] == [], added
    paths = {"Findings": added["findings_file"], "Brief": scope["brief"], "Diff": scope["diff"]}
    decided = yield from consult("review-coordinator", **paths)
    ruled = yield from run(f"ultra review verdict --project {project}", block(decided["review-coordinator"]))
    yield from run(f"ultra validate review {ruled['path']} --strict")
    numbers = " ".join(f"findings.{name}={count}" for name, count in ruled["counts"].items())
    counted = f"slug={slug_of(project)} files={len(scope['files'])} {numbers} verdict={ruled['verdict']}"
    yield from run(f'ultra stats review {counted} --data "{data_folder(told)}"')
    grave = "\n".join(
        f"{one['severity']} {one['at']} {one['message']} ({one['id'][:8]})" for one in ruled["findings"]
    )
    yield Say(
        f"Verdict: {ruled['verdict']}\n{grave}\nReview: {ruled['path']}\nNext: {offered(ruled, '--brief')}"
    )


# The agents.


class Agent:
    """Read the file that the prompt names first, as an agent does, and answer by role."""

    def __init__(self, root: Path, name: str) -> None:
        self.root = root
        self.name = name

    def __call__(self, told: str) -> Acting:
        named = re.search(r"(?m)^(?:Draft|Brief|Review|Findings|Start): (\S+)$", told)
        seen = ""
        if named and not self.name.startswith("web-"):
            (result,) = yield Call("Read", {"file_path": str(self.root / named[1])})
            assert not result.is_error, result.text
            seen = result.text
        yield Say(self.answer(told, seen))

    def answer(self, told: str, seen: str) -> str:
        """Return the answer of the role; the coordinator names findings by the ids that it read."""
        known = scenes("agents.md")
        if self.name == "brief-reviewer":
            return known[f"brief-reviewer, round {2 if 'Asked: ' in told else 1}"]
        if self.name != "review-coordinator":
            return known[self.name]
        ids = {
            match(r'"rule": ?"([^"]+)"', line).replace("-", "_"): match(r'"id": ?"([^"]+)"', line)
            for line in seen.splitlines()
            if '"rule"' in line
        }
        return Template(known[self.name]).substitute(ids)


def cast(root: Path, bundle: Path) -> list[SubAgent]:
    """Return every agent of the bundle that has something to say, known by the heading of its prompt."""
    names = {title.partition(",")[0] for title in scenes("agents.md")}
    return [SubAgent(heading(bundle, name), Agent(root, name)) for name in sorted(names)]


def heading(bundle: Path, agent: str) -> str:
    """Return the heading of an agent's prompt, which no other has."""
    return match(r"(?m)^(# .*)$", (bundle / "agents" / f"{agent}.md").read_text())
