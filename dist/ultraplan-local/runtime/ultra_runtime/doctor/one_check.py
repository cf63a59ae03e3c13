"""What one check of `doctor` found."""

from __future__ import annotations

from ultra_runtime.struct import Struct
from ultra_runtime.typed import Any
from ultra_runtime.words import one_line

OK = "ok"
WARN = "warn"
FAIL = "fail"


class Check(Struct):
    """What one check found."""

    name: str
    status: str
    message: str
    remedy: str = ""

    def as_data(self) -> dict[str, Any]:
        data = {"name": self.name, "status": self.status, "message": self.message}
        return {**data, "remedy": self.remedy} if self.remedy else data

    def __str__(self) -> str:
        remedy = f" ({self.remedy})" if self.remedy else ""
        return f"{self.status:4} {self.name}: {one_line(self.message + remedy, 1000)}"
