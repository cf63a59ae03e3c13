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
from typing import Any, NamedTuple

from tests.client.conversation import Call, Say, Together, ToolResult, Turn
from tests.client.script import Acting, SubAgent
from tests.flagship.stories import NAME, answered, bash, given, spawn

MATERIAL = Path(__file__).parent / "whole_way"
TASK = "Show the most frequent words of a text"
QUESTION = "What in the standard library splits a text into words without punctuation, and orders those of the same number?"
DIMENSIONS = "1. What splits a text into words without punctuation? 2. What orders words of the same number?"
AGREES = {"official": "yes", "code": "partly"}
"""The documentation says the answer; the code is about something close."""


class Question(NamedTuple):
    """A question of the interview: the section it fills, its words, and each option with what it means."""

    section: str
    words: str
    options: Mapping[str, str]


INTERVIEW = (
    Question(
        "Intent",
        "Why is this wanted, and what happens without it?",
        {
            "An editor looks for words that she uses too often": "Today a web page counts; the texts are not hers to give away",
            "Out of curiosity": "Nobody misses it",
        },
    ),
    Question(
        "Goal",
        "What is there when it is done?",
        {
            "The option --top N shows the N most frequent words": "The program stays what it is without it",
            "A second program shows them": "tally.py stays untouched",
        },
    ),
    Question(
        "Success Criteria",
        "What will you run, see or measure to know it is done?",
        {
            "The output is correct and easy to read": "I look at it",
            "I don't know": "Then an assumption is written down",
        },
    ),
    Question(
        "Success Criteria",
        "What is 'easy to read' for --top 2 of rose.txt? And without --top it prints 8, as today?",
        {
            "A line 3 a and a line 3 rose; 8 as today": "The number, a space, the word",
            "A line a: 3 and a line rose: 3; 8 as today": "The word, a colon, the number",
        },
    ),
    Question(
        "Research Plan",
        f"New here is what counts as a word. The topic: {QUESTION} Needed for the function that counts; both sides,"
        " medium confidence, quick.",
        {
            "Research it so": "Two agents look here, one outside",
            "I know this": "No research on it",
            "Change it": "Another question",
        },
    ),
    Question(
        "Constraints",
        "What may not change or be used? Hard, or a wish?",
        {
            "Standard library only, no change without --top; both hard": "Nothing to install",
            "Packages are fine": "Then the plan looks for one",
        },
    ),
)
WRONG_N = {
    "One line that says what N has to be, exit status 2": "As other programs do",
    "Whatever Python says": "A traceback, exit status 1",
}
GO_ON = {
    "Manual": "Show the commands",
    "Auto": "Research and plan now; this session is busy until the plan is there, and agents are billed",
}
DONE = "That is all."
"""What is left to say when the last call was made after the summary."""
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


def run(command: str, text: str = "", saying: str = "") -> Answering:
    """Call a verb as it is spelled, with a text for its standard input if there is one, and read its answer."""
    line = f"{command} --json"
    call = given(line, text) if text else bash(line)
    (result,) = yield Together(Say(saying), call) if saying else call
    return held(result)


def held(result: ToolResult) -> dict[str, Any]:
    """Return the answer of a verb that did not refuse."""
    answer = answered(result)
    assert answer.get("ok", answer.get("valid")) is not False, answer
    return answer


def guide(command: str, saying: str = "") -> Reading:
    (result,) = yield Together(Say(saying), bash(command)) if saying else bash(command)
    return result.text


def look(root: Path, *paths: str) -> Reading:
    """Read files of the repository."""
    results = yield Together(*(Call("Read", {"file_path": str(root / path)}) for path in paths))
    assert not [result for result in results if result.is_error], results
    return "\n".join(result.text for result in results)


def choose(question: str, options: Mapping[str, str], first: Call | Say | None = None) -> Reading:
    """Ask the user, each option with what it means, and return what was chosen; `first` goes in the same message."""
    offers = [{"label": label, "description": means} for label, means in options.items()]
    words = {"question": question, "header": "Brief", "multiSelect": False, "options": offers}
    call = Call("AskUserQuestion", {"questions": [words]})
    *noted, result = yield Together(first, call) if first else call
    for one in noted:
        held(one)
    return match(r'"="([^"]+)"', result.text)


def note(project: str, section: str, question: str, answer: str) -> Call:
    """Keep an answer of the interview."""
    return given(
        f"ultra brief note --project {project} --section '{section}' --json", f"{question}\n{answer}"
    )


def consult(
    told: Mapping[str, str], saying: str = "", again: str = ""
) -> Generator[Turn, list[ToolResult], dict[str, str]]:
    """Spawn agents side by side, each with its prompt, and return what each reported."""
    prompts = {agent.removeprefix(f"{NAME}:"): prompt for agent, prompt in told.items()}
    names = [*prompts]
    first = [Say(saying)] if saying else []
    results = yield Together(*first, *(spawn(name, prompt) for name, prompt in prompts.items()))
    assert not [result for result in results if result.is_error], results
    if not any("working in the background" in result.text for result in results):
        return {name: handed_back(result.text) for name, result in zip(names, results, strict=True)}
    reports: dict[str, str] = {}
    while len(reports) < len(names):
        waiting = [name for name in names if name not in reports]
        (heard,) = yield Say(f"I wait for {' and '.join(waiting)}{again}.")
        reports |= {name: noticed(name, heard.text) for name in waiting if f'"{name}" finished' in heard.text}
    return reports


def prompt(**told: str) -> str:
    """Return what an agent is told."""
    return "\n".join(f"{key}: {value}" for key, value in told.items())


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


def brief(root: Path, told: str) -> Acting:
    """Interview, draft, a review that fails once, one more question, and the brief."""
    assert arguments(told) == TASK
    made = yield from run("ultra project new top-words")
    project = made["path"]
    first: Call | Say = Say(f"The draft is reviewed by an agent: {made['billing']}.")
    answers: list[str] = []
    for one in INTERVIEW:
        answers.append((yield from choose(one.words, one.options, first)))
        first = note(project, one.section, one.words, answers[-1])
    (noted,) = yield first
    assert (held(noted)["open"], held(noted)["questions"]) == ([], len(INTERVIEW))
    drafting = yield from guide("ultra guide brief draft")
    put = match(r"(ultra put brief --project DIR --draft)", drafting).replace("DIR", project)
    intent, goal = answers[:2]
    drafted = yield from run(put, text("brief.md", task=TASK, intent=intent, goal=goal, question=QUESTION))
    gate = offered(drafted, "ultra gate brief")
    heard = yield from consult({"brief-reviewer": prompt(Draft=drafted["path"])})
    ruled = yield from run(gate, heard["brief-reviewer"])
    asking = f"The reviewer asks: {ruled['failing'][0]['detail'][0]}"
    answer = yield from choose(asking, WRONG_N)
    held((yield note(project, "Success Criteria", asking, answer))[0])
    yield from run(f"{put} --section 'Success Criteria'", text("criteria.md"))
    asked = f"{ruled['interview_file']}\nDo not raise again what its answers settle."
    heard = yield from consult(
        {"brief-reviewer": prompt(Draft=drafted["path"], Interview=asked)}, again=" once more"
    )
    ruled = yield from run(gate, heard["brief-reviewer"])
    assert ruled["passed"], ruled
    path = match(r"^(\S+) is in place", ruled["next"])
    topics, quality, rounds = ruled["research_topics"], ruled["brief_quality"], ruled["round"]
    written = Say(f"{path} is written: {rounds} rounds, {quality}, {topics} topic.")
    yield from choose("How shall it go on?", GO_ON, written)
    whole = yield from look(root, path)
    commands = re.findall(rf"(/{NAME}:\S+ --project \S+)", whole.partition("## How to continue")[2])
    counted = f"slug={slug_of(project)} mode=default interview_turns={ruled['interview_turns']}"
    rest = f"review_iterations={rounds} brief_quality={quality} research_topics={topics}"
    last = f'auto_research=false auto_result=manual --data "{data_folder(told)}"'
    yield from run(f"ultra stats brief {counted} {rest} {last}", saying="\n".join(commands))
    yield Say(DONE)


def research(told: str) -> Acting:
    """Answer the one topic: three agents, a computed confidence, the file."""
    project = option("--project", told)
    begun = yield from run(f"ultra research begin --project {project}")
    (topic,) = [one for one in begun["topics"] if not one["answered"]]
    where = f"{topic['question']} Here and outside, by {begun['agents_in_all']} agents; {begun['billing']}."
    yield from guide("ultra guide research agents", where)
    assert begun["second_model"] is False, "on this machine there is one: it would have to be asked for"
    asked = {"Question": topic["question"], "Dimensions": DIMENSIONS, "Needed for": topic["plan_steps"]}
    local, public = prompt(**asked, Start="tally.py"), prompt(**asked, Start="Python 3, re and collections")
    reports = yield from consult(
        {agent: local if agent.startswith("local-") else public for agent in topic["agents"]}
    )
    rows = [
        f"| {one['dimension']} | {agent} | {one['kind']} | {AGREES[one['kind']]} | {one['source']} |"
        for agent, said in reports.items()
        for one in json.loads(block(said).strip("`").removeprefix("json"))["findings"]
    ]
    evidence = "\n".join(["| dimension | agent | kind | agrees | source |", "|---|---|---|---|---|", *rows])
    number = topic["topic"]
    sure = yield from run(f"ultra confidence --dimensions 2 --project {project} --topic {number}", evidence)
    assert (sure["enough"], sure["weak"]) == (True, []), sure
    yield from guide("ultra guide research write")
    each = dict(zip(("first", "second"), sure["dimensions"], strict=True))
    whole = {"confidence": sure["confidence"], "evidence": evidence, "question": topic["question"]}
    put = yield from run(
        f"ultra put research --project {project} --topic {number} --slug {topic['slug']}",
        text("research.md", day=day_of(project), **whole, **each),
    )
    yield from run(offered(put, "ultra brief status"))
    following = match(r"Then the next command:\s+`(/\S+) --project DIR`", told)
    answer = "A regular expression finds the words. Counter puts the most frequent first and keeps the order of equals."
    saying = (
        f"{put['path']}: {answer}\nConfidence {sure['confidence']}, which is enough. Second model: skipped, not"
        f" installed.\nNext: {following} --project {project}"
    )
    counted = f"slug={slug_of(project)} scope={topic['scope']} agents={len(reports)} confidence={sure['confidence']}"
    yield from run(f'ultra stats research {counted} --data "{data_folder(told)}"')
    yield Say(saying)


def plan(root: Path, told: str) -> Acting:
    """Make the plan from the brief, step by step, through self-check and critics."""
    begun = yield from run(f"ultra plan begin --project {option('--project', told)}")
    assert (begun["reviewed"], begun["assumptions"], begun["exists"]) == (True, [], []), begun
    yield from guide(offered(begun, "ultra guide plan"), planning(begun))
    yield from look(root, begun["path"], *begun["research"])
    task = prompt(Task=f"{TASK}. It is an option of tally.py.", Brief=begun["path"], Begin="tally.py")
    yield from consult(dict.fromkeys(begun["explorers"], task))
    yield from look(root, "tally.py", "test_tally.py", "README.md")
    yield from guide("ultra guide plan synthesis")
    put = f"ultra put plan --project {begun['project']} --draft"
    whole = f"{text('plan.md')}\n## Verification\n\n{text('verification.md')}"
    draft = yield from run(put, whole)
    for number in (2, 3):
        draft = yield from run(f"{put} --step {number}", text(f"plan-{number}.md"))
    assert draft["errors"] == [], draft
    ruled = yield from judged(begun, draft["path"])
    saying = (
        f"{ruled['path']} is written: {ruled['steps']} steps, 1 session.\n1. Find the most frequent words\n2. Show them"
        f" on the command line\n3. Say so in the README\nAssumed: among equals the first in the text is first.\nNext:"
        f" {ruled['run']}"
    )
    yield from counted_plan(told, ruled, begun)
    yield Say(saying)


def mending(root: Path, told: str) -> Acting:
    """Make the plan from the review: every grave finding is a goal."""
    begun = yield from run(f"ultra plan begin --brief {option('--brief', told)}")
    yield from guide(offered(begun, "ultra guide plan"), planning(begun))
    yield from look(root, begun["path"], "tally.py", "test_tally.py", f"{begun['project']}/brief.md")
    ids = [goal["id"] for goal in begun["goals"]]
    goals = prompt(Review=begun["path"], Goals=", ".join(ids))
    yield from consult(dict.fromkeys(begun["explorers"], goals))
    yield from guide("ultra guide plan synthesis")
    listed, short = "\n".join(f"  - {one}" for one in ids), " and ".join(one[:8] for one in ids)
    whole = text("mend.md", source_findings=listed, short_findings=short)
    draft = yield from run(f"ultra put plan --project {begun['project']} --draft", whole)
    assert draft["errors"] == [], draft
    ruled = yield from judged(begun, draft["path"])
    saying = (
        f"{ruled['path']} is written: 1 step, 1 session; it mends {short}.\n1. Tell a wrong N in one line\nNext:"
        f" {ruled['run']}"
    )
    yield from counted_plan(told, ruled, begun)
    yield Say(saying)


def planning(begun: Mapping[str, Any]) -> str:
    """Say what the plan is made from, by how many agents, and what is there already."""
    there = "".join(f" {name} stays until the gate lets the new one through." for name in begun["exists"])
    warned = "".join(f" {one}" for one in begun["warnings"])
    return f"A plan from {begun['path']}, by {begun['agents']} agents at most; {begun['billing']}.{there}{warned}"


def judged(begun: Mapping[str, Any], draft: str) -> Answering:
    """Take the draft through the self-check and the critics."""
    gate = f"ultra gate plan --project {begun['project']}"
    checked = yield from run(f"{gate} --self-check")
    assert checked["next"] == "spawn the critics", checked
    paths = prompt(Draft=draft, Brief=begun["path"])
    said = yield from consult({"plan-critic": paths, "scope-guardian": paths})
    ruled = yield from run(gate, "\n".join(block(one) for one in said.values()))
    assert (ruled["passed"], ruled["sessions"]) == (True, False), ruled
    yield from run(f"ultra validate plan {ruled['path']} --strict")
    return ruled


def counted_plan(told: str, ruled: Mapping[str, Any], begun: Mapping[str, Any]) -> Answering:
    counted = f"slug={slug_of(begun['project'])} steps={ruled['steps']} sessions=1 source={begun['source']}"
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
        saying = " ".join([f"{answer['steps']} steps.", *answer.get("notes", ())])
        while answer["next"].startswith("ultra step begin"):
            answer = yield from self.step(answer["next"], saying)
            saying = ""
        done = yield from self.run(f'ultra run finish --data "{data_folder(told)}"')
        rows = [
            *done["steps"],
            *done.get("why", ()),
            *done.get("findings", ()),
            *done.get("drift_details", ()),
        ]
        following = done["next"].partition("to go on: ")[2]
        yield Say(
            "\n".join([f"Result: {done['result']}", *rows, f"Report: {done['report']}", f"Next: {following}"])
        )

    def step(self, command: str, saying: str) -> Answering:
        """Do one step, attempt by attempt, until it is committed or the run is over."""
        begun = yield from self.run(command, saying)
        number = begun["step"]
        yield from look(self.root, *begun["files"])
        for attempt in self.work[number]:
            # The test is written before the rest.
            for path in sorted(
                attempt, key=lambda one: "test_first" in begun and not one.startswith("test_")
            ):
                assert path in begun["files"], begun
                yield Call("Write", {"file_path": str(self.root / path), "content": attempt[path]})
            verdict = yield from self.run(match(r"(ultra step verify \d+)", begun["next"]))
            if verdict["next"] != "retry":
                break
        if verdict["next"] != "commit":
            return verdict
        return (yield from self.run(f"ultra step commit {number}"))

    def run(self, command: str, saying: str = "") -> Answering:
        call = Call("Bash", {"command": f"{command} --json", "description": "Next", "timeout": 600_000})
        (result,) = yield Together(Say(saying), call) if saying else call
        return held(result)


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
    assert (state["found"], state["carried"], state["ignored"], state["others"]) == (True, True, [], [])
    yield Say(
        f"{state['project']}: {state['status']}. {state['means']}\nWhen: {state['updated_at']}\nNext: {state['label']}"
        f"\nGo on: {state['command']}"
    )


def review(told: str) -> Acting:
    """Review what changed: triage, five reviewers, a coordinator, the verdict."""
    scope = yield from run(f"ultra triage --project {option('--project', told)}")
    project = scope["project"]
    assert (scope["kept"], scope["removed"]) == ([], []), scope
    paths = prompt(Brief=scope["brief"], Diff=scope["diff"], Scope=scope["scope_file"])
    reviewers = re.findall(r"^- `(\S+-reviewer)`$", told, re.MULTILINE)
    said = yield from consult(dict.fromkeys(reviewers, paths), reviewing(scope))
    dropped, added = 0, {}
    for agent, words in said.items():
        name = agent.removeprefix(f"{NAME}:")
        added = yield from run(f"ultra review add {name} --project {project}", block(words))
        dropped += len(added["dropped"])
    assert added["missing"] == [], added
    paths = prompt(Findings=added["findings_file"], Brief=scope["brief"], Diff=scope["diff"])
    decided = yield from consult({"review-coordinator": paths})
    ruled = yield from run(f"ultra review verdict --project {project}", block(decided["review-coordinator"]))
    yield from run(f"ultra validate review {ruled['path']} --strict")
    numbers = " ".join(f"findings.{name}={count}" for name, count in ruled["counts"].items())
    read = len([one for one in scope["files"] if one["depth"] != "skipped"])
    counted = f"slug={slug_of(project)} files={read} {numbers} verdict={ruled['verdict']}"
    saying = reviewed(scope, said["conformance-reviewer"], ruled, dropped)
    yield from run(f'ultra stats review {counted} --data "{data_folder(told)}"')
    yield Say(saying)


def reviewing(scope: Mapping[str, Any]) -> str:
    """Say what is reviewed, how closely, and by how many agents."""
    depths = ", ".join(f"{count} {depth}" for depth, count in scope["counts"].items())
    return (
        f"{scope['project']}, {scope['scope_sha_start'][:10]} to {scope['scope_sha_end'][:10]}: {depths},"
        f" {scope['uncommitted']} uncommitted; {scope['earlier']['carried']} findings carried on."
        f" {scope['agents']} agents; {scope['billing']}."
    )


def reviewed(scope: Mapping[str, Any], conformance: str, ruled: Mapping[str, Any], dropped: int) -> str:
    """Say what the review came to, without softening it."""
    counts = ", ".join(f"{count} {name}" for name, count in ruled["counts"].items())
    grave = [
        f"{one['severity']} {one['at']} {one['message']} ({one['id'][:8]})"
        for one in ruled["findings"]
        if one["severity"] in ("BLOCKER", "MAJOR")
    ]
    criteria = json.loads(block(conformance).strip("`").removeprefix("json"))["criteria"]
    open_ones = [f"Not shown: {one['criterion']}" for one in criteria if one["state"] != "shown"]
    less = sum(count for depth, count in scope["counts"].items() if depth != "deep-reviewed")
    rest = f"Files skipped or skimmed: {less}. Findings dropped: {dropped}."
    following = offered(ruled, "--brief")
    lines = [f"Verdict: {ruled['verdict']} ({counts})", *grave, *open_ones, rest]
    return "\n".join([*lines, f"Review: {ruled['path']}", f"Next: {following}"])


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
            return known[f"brief-reviewer, round {2 if 'Interview: ' in told else 1}"]
        if self.name != "review-coordinator":
            return known[self.name]
        ids = {
            match(r'"rule": ?"([^"]+)"', line).replace("-", "_"): match(r'"id": ?"([^"]+)"', line)
            for line in seen.splitlines()
            if '"rule"' in line
        }
        short = {f"short_{rule}": name[:8] for rule, name in ids.items()}
        return Template(known[self.name]).substitute(ids, **short)


def cast(root: Path, bundle: Path) -> list[SubAgent]:
    """Return every agent of the bundle that has something to say, known by the heading of its prompt."""
    names = {title.partition(",")[0] for title in scenes("agents.md")}
    return [SubAgent(heading(bundle, name), Agent(root, name)) for name in sorted(names)]


def heading(bundle: Path, agent: str) -> str:
    """Return the heading of an agent's prompt, which no other has."""
    return match(r"(?m)^(# .*)$", (bundle / "agents" / f"{agent}.md").read_text())
