"""Read the steps of a plan or session spec: their headings, their fields and their manifests."""

from __future__ import annotations

from ultra_runtime.plan.covering import is_pattern
from ultra_runtime.plan.inline import (
    InlineCommand,
    is_nothing,
    new_paths,
    paths,
    read_command,
    read_if_command,
    spans,
)
from ultra_runtime.plan.manifest import BlockReader, is_manifest
from ultra_runtime.plan.values import Manifest, Plan, Step
from ultra_runtime.tables.fields import plan_fields
from ultra_runtime.typed import Sequence
from ultra_runtime.words import counted, listed, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.contract import model as contract
    from ultra_runtime.text import markdown

LEVEL = 3
LONGEST_NUMBER = 6
VERIFY, ON_FAILURE = plan_fields.STEPS_VERIFY, plan_fields.STEPS_ON_FAILURE
CHECKPOINT = plan_fields.STEPS_CHECKPOINT
ESCALATE: str = plan_fields.STEPS_ON_FAILURE_ESCALATE
COMMIT = "git commit"
SEPARATORS = " \t\n,;:.-–—`*_"


def numbered(title: str, word: str) -> tuple[int, str] | None:
    """Return number and title of a heading such as `Step 3: title`."""
    head, colon, rest = title.partition(":")
    parts = head.split()
    if not colon or len(parts) != 2 or parts[0].casefold() != word.casefold():
        return None
    digits = parts[1]
    if not (digits.isascii() and digits.isdigit() and len(digits) <= LONGEST_NUMBER):
        return None
    return int(digits), rest.strip()


def begins_numbered(title: str, words: Sequence[str]) -> str:
    """Return the word of the list that begins a title and is followed by a number; else empty."""
    first, _, rest = title.strip("*_ ").partition(" ")
    if not rest.strip()[:1].isdigit():
        return ""
    return next((word for word in words if word.casefold() == first.casefold()), "")


class StepReader:
    """Read steps one by one into a plan; patterns are checked together at the end."""

    def __init__(self, plan: Plan, part: contract.Part, manifest: contract.Block) -> None:
        self.plan = plan
        self.part = part
        self.manifest = manifest
        self.word = part.heading.partition(" ")[0]
        self.fields = {" ".join(field.name.split()).casefold(): field.name for field in part.fields}
        self.actions = next(field.values or {} for field in part.fields if field.name == ON_FAILURE)
        self.patterns: list[tuple[str, int, int]] = []
        self.manifest_lines: set[int] = set()

    def read(self, section: markdown.TextSection) -> list[Step]:
        """Return the steps below a section; a heading that only looks like a step is a problem."""
        steps = []
        for heading in self.plan.document.below(section):
            found = numbered(heading.title, self.word) if heading.level == LEVEL else None
            if found:
                steps.append(self._step(found[0], found[1], heading))
            spaced = heading.title.partition(":")[2][:1] in ("", " ")
            if (found and not spaced) or (not found and begins_numbered(heading.title, [self.word])):
                message = f'"{one_line(heading.title)}" must have the form ### {self.part.heading}'
                mild = bool(found) and self.plan.lenient
                self.plan.add("STEP_NUMBERING|BAD_VALUE", message, heading.line, mild=mild)
        return steps

    def _step(self, number: int, title: str, section: markdown.TextSection) -> Step:
        step = Step(number, title, section)
        sections = [section, *self.plan.document.below(section)]
        items = self._fields_of(step, [item for part in sections for item in part.items])
        step.files = paths(items.get(plan_fields.STEPS_FILES))
        step.new_files = new_paths(items.get(plan_fields.STEPS_FILES))
        step.changes = _prose(items.get(plan_fields.STEPS_CHANGES))
        step.reuses = _prose(items.get(plan_fields.STEPS_REUSES))
        if test := items.get(plan_fields.STEPS_TEST_FIRST):
            step.test_first = read_if_command(test.value, test.line, test.blocks)
        self._read_verify(step, items.get(VERIFY))
        self._read_on_failure(step, items.get(ON_FAILURE))
        self._read_checkpoint(step, items.get(CHECKPOINT))
        blocks = [block for part in sections for block in part.blocks]
        self._read_manifest(step, items.get(plan_fields.STEPS_MANIFEST), blocks)
        return step

    def _fields_of(self, step: Step, items: list[markdown.Item]) -> dict[str, markdown.Item]:
        found: dict[str, markdown.Item] = {}
        for item in items:
            name = self.fields.get(" ".join(item.name.split()).casefold(), "") if item.name else ""
            if name and name in found:
                message = f"{name} is listed twice in step {step.number}"
                self.plan.add("BAD_VALUE", message, item.line, step.number, name, mild=self.plan.lenient)
            elif name:
                found[name] = item
        return found

    def _read_verify(self, step: Step, item: markdown.Item | None) -> None:
        if item:
            step.verify = read_command(item.value, item.line, item.blocks)
        if item is None or step.verify is None or step.verify.command is None:
            what = f"no command in backticks in its {VERIFY}" if item else f"no {VERIFY}"
            message = f"step {step.number} has {what}, so only its manifest decides"
            self._warn("PLAN_MISSING_VERIFY", message, step, item, VERIFY)
        elif step.verify.more:
            message = f"{VERIFY} of step {step.number} has more than one command, but only the first is run: join them with &&"
            self._warn("PLAN_MISSING_VERIFY", message, step, item, VERIFY)

    def _read_on_failure(self, step: Step, item: markdown.Item | None) -> None:
        step.on_failure = ESCALATE
        if item is None or not item.value.strip():
            message = f"step {step.number} has no {ON_FAILURE}, which reads as {ESCALATE}"
            self._warn("PLAN_MISSING_ON_FAILURE", message, step, item, ON_FAILURE)
            return
        text = item.value.strip(SEPARATORS)
        end = 0
        while text[end : end + 1].isalpha():
            end += 1
        word = text[:end].casefold()
        step.on_failure_text = text[end:].lstrip(SEPARATORS).rstrip()
        if word in self.actions:
            step.on_failure = word
        else:
            message = f'{ON_FAILURE} of step {step.number} must be {listed(self.actions, "or")}, not "{one_line(text)}"'
            self.plan.add("BAD_VALUE", message, item.line, step.number, ON_FAILURE, self.plan.lenient)

    def _read_checkpoint(self, step: Step, item: markdown.Item | None) -> None:
        if item and step.number == 0 and is_nothing(item.value):
            return
        command = ""
        if item:
            found = spans(item.value)
            command = (found[0].text if found else item.value).strip()
            step.checkpoint = commit_message(command)
            if command and not is_nothing(command) and (found or command.startswith("git")):
                step.commit = InlineCommand(item.value, item.line, command)
        if step.checkpoint is None or not command.startswith(COMMIT):
            what = f'must have the form {COMMIT} -m "message"' if item else "is missing"
            message = f"the {CHECKPOINT} of step {step.number} {what}"
            self._warn("PLAN_CHECKPOINT_FORM", message, step, item, CHECKPOINT)

    def _read_manifest(
        self, step: Step, item: markdown.Item | None, blocks: list[markdown.TextBlock]
    ) -> None:
        found = [block for block in blocks if is_manifest(block, self.manifest.name)]
        found = found or (item.blocks[:1] if item else [])
        self.manifest_lines.update(block.line for block in found)
        for extra in found[1:]:
            message = f"step {step.number} has a second manifest; the first is on line {found[0].line}"
            mild = self.plan.lenient
            self.plan.add("PLAN_MANIFEST_COUNT_MISMATCH", message, extra.line, step.number, mild=mild)
        if not found:
            message = f"step {step.number} has no manifest"
            if not self.plan.lenient:
                self.plan.add("MANIFEST_MISSING", message, step.line, step.number, plan_fields.STEPS_MANIFEST)
            return
        reader = BlockReader(self.plan, self.manifest, step.number)
        sound = reader.read(found[0])
        self.patterns += [(pattern, line, step.number) for pattern, line in reader.patterns]
        if not sound:
            return
        step.manifest = manifest = Manifest(found[0].line, reader.values)
        most = len(manifest.expected_paths)
        if manifest.min_file_count > most:
            counts = f"{plan_fields.MANIFEST_EXPECTED_PATHS} has {counted(most, 'file')}"
            must = f"must be at most {most}, as {counts}, not {manifest.min_file_count}"
            self._bad_value(step, plan_fields.MANIFEST_MIN_FILE_COUNT, must)
        scripts, contents = plan_fields.MANIFEST_BASH_SYNTAX_CHECK, plan_fields.MANIFEST_MUST_CONTAIN
        named = [(scripts, path) for path in manifest.bash_syntax_check]
        for name, path in [*named, *((contents, path) for path, _ in manifest.must_contain)]:
            if is_pattern(path):
                self._bad_value(step, name, f"must name a file, not the pattern {one_line(path)}")
        name = plan_fields.MANIFEST_SANDBOX_PREFLIGHT
        if step.number and name in reader.values:
            message = f"{name} belongs to Step 0 of a session spec"
            self.plan.add("MANIFEST_BAD_TYPE", message, found[0].line, step.number, name)

    def _bad_value(self, step: Step, name: str, must: str) -> None:
        """Note a value of the manifest that no work on the step can satisfy."""
        line = step.manifest.line if step.manifest else step.line
        message, mild = f"{name} of step {step.number} {must}", self.plan.lenient
        self.plan.add("PLAN_BAD_VALUE", message, line, step.number, name, mild=mild)

    def _warn(self, code: str, message: str, step: Step, item: markdown.Item | None, field: str) -> None:
        self.plan.add(code, message, item.line if item else step.line, step.number, field)


def _prose(item: markdown.Item | None) -> str:
    """Return the text of a field with its nested items, one per line."""
    if item is None:
        return ""
    return "\n".join([*item.parts, *(f"- {child.text}" for child in item.children)])


def commit_message(command: str) -> str | None:
    """Return the subject of the first message of a `git commit` command."""
    rest = command.partition(COMMIT)[2]
    for option in (" -m", " --message", " -am"):
        _, found, said = rest.partition(option)
        if found:
            message = _shell_word(said.lstrip(" ="))
            return message.split("\n")[0].strip() or None if message is not None else None
    return None


def _shell_word(text: str) -> str | None:
    """Return the first word of a text as a shell reads it; None when it is not closed or is computed."""
    quote = text[:1]
    if quote == "'":
        word, closed, _ = text[1:].partition("'")
        return word if closed else None
    if quote != '"':
        word = text.split(None, 1)[0] if text.split() else ""
        return word if word and not any(sign in word for sign in "$`\"'\\;&|") else None
    letters: list[str] = []
    at = 1
    while at < len(text):
        letter = text[at]
        if letter == '"':
            return "".join(letters)
        if letter == "\\" and text[at + 1 : at + 2] in ('"', "\\", "$", "`"):
            at += 1
            letter = text[at]
        elif letter == "$" and text[at + 1 : at + 2] in ("(", "{"):
            return None
        letters.append(letter)
        at += 1
    return None
