"""Read and write the progress file: as a whole, forwards only, and with fields that others added."""

from __future__ import annotations

from ultra_runtime.contract.model import current_version, load_contract
from ultra_runtime.contract.validation import validate_file
from ultra_runtime.run.state.statuses import COMPLETED, PENDING
from ultra_runtime.run.tree.workspace import replace
from ultra_runtime.struct import Struct
from ultra_runtime.tables.fields import progress_fields as fields
from ultra_runtime.text.jsontext import write
from ultra_runtime.text.timestamp import now

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from ultra_runtime.contract.result import Result

KIND: str = fields.KIND


class BackwardsError(AssertionError):
    """An attempt to reopen a completed step."""


class Progress(Struct):
    """The progress of a run; nothing is written before `save`."""

    path: str
    values: dict[str, Any]

    @property
    def status(self) -> str:
        return str(self.values.get(fields.STATUS))

    @property
    def steps(self) -> dict[str, dict[str, Any]]:
        steps: dict[str, dict[str, Any]] = self.values[fields.STEPS]
        return steps

    def step(self, number: int) -> dict[str, Any]:
        """Return the record of a step."""
        return self.steps.setdefault(str(number), {fields.STEPS_STATUS: PENDING, fields.STEPS_ATTEMPTS: 0})

    def state(self, number: int) -> str:
        """Return the status of a step."""
        return str(self.step(number).get(fields.STEPS_STATUS, PENDING))

    def attempts(self, number: int) -> int:
        """Return how many times a step was verified."""
        attempts = self.step(number).get(fields.STEPS_ATTEMPTS)
        return attempts if isinstance(attempts, int) else 0

    def change_step(self, number: int, values: Mapping[str, object]) -> None:
        """Change the record of a step; None removes a field, and a completed step stays completed."""
        step = self.step(number)
        if (
            step.get(fields.STEPS_STATUS) == COMPLETED
            and values.get(fields.STEPS_STATUS, COMPLETED) != COMPLETED
        ):
            raise BackwardsError(f"step {number} is completed")
        for name, value in values.items():
            if value is None:
                step.pop(name, None)
            else:
                step[name] = value

    def change(self, values: Mapping[str, object]) -> None:
        """Change fields of the run."""
        self.values.update(values)

    def save(self) -> None:
        """Replace the file."""
        self.values.update({fields.SCHEMA_VERSION: current_version(KIND), fields.UPDATED_AT: now()})
        replace(self.path, self.text().encode("utf-8", "surrogateescape"))

    def text(self) -> str:
        """Return the file in a readable form: one line per field, one line per step."""
        rows = []
        for name, value in self.values.items():
            if name == fields.STEPS:
                steps = ",\n".join(f"    {write(number)}: {write(step)}" for number, step in value.items())
                rows.append(f"  {write(name)}: {{\n{steps}\n  }}" if steps else f"  {write(name)}: {{}}")
            else:
                rows.append(f"  {write(name)}: {write(value)}")
        return "{\n" + ",\n".join(rows) + "\n}\n"

    def counted(self, status: str, numbers: Iterable[int]) -> int:
        """Count the steps with this status."""
        return sum(self.state(number) == status for number in numbers)


def read_progress(path: str) -> tuple[Progress | None, Result]:
    """Return the progress at a path, if it is there and valid, and the result of its validation."""
    result = validate_file(load_contract(KIND), path)
    if result.errors or result.parsed is None:
        return None, result
    return Progress(path, dict(result.parsed)), result


def is_missing(result: Result) -> bool:
    """Return whether there is no progress file at all."""
    return any(issue.code == "PROGRESS_NOT_FOUND" for issue in result.errors)
