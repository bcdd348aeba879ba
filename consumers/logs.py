"""Structured logs: one JSON object a line on standard error, with instance and command id.

    {"time": "...Z", "level": "INFO", "logger": "consumers.member", "message": "assigned: [0, 1]",
     "partition": 3, "instance": "order-1", "command": "3-7"}

Whatever a call passes as `extra` becomes a member.
"""

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any, TextIO

LIBRARIES = ("aiohttp", "aiokafka", "asyncio", "redis")
THROTTLE_S = 10.0

_OWN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
"""Attributes of every record: what is not among them was passed as `extra`."""


class JsonFormatter(logging.Formatter):
    """A record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        time = datetime.fromtimestamp(record.created, UTC)
        line: dict[str, Any] = {
            "time": time.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        extra = {name: value for name, value in vars(record).items() if name not in _OWN}
        line.update({name: value for name, value in extra.items() if value is not None})
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str, ensure_ascii=False)


class Throttle(logging.Filter):
    """Lets a library say the same thing once in a while: aiokafka repeats itself many times a
    second while a broker is away. The next line says how many were held back (`repeated`)."""

    def __init__(self) -> None:
        super().__init__()
        self._last: dict[tuple[str, str], tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        if record.name.partition(".")[0] not in LIBRARIES:
            return True
        key = (record.name, str(record.msg))
        said_at, held_back = self._last.get(key, (-THROTTLE_S, 0))
        if record.created - said_at < THROTTLE_S:
            self._last[key] = (said_at, held_back + 1)
            return False
        self._last[key] = (record.created, 0)
        if held_back:
            record.repeated = held_back
        return True


def set_up_logs(level: str, stream: TextIO | None = None) -> None:
    """Log as JSON from `level` (`INFO`) on; libraries from WARNING on, or `level` if higher."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonFormatter())
    handler.addFilter(Throttle())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    for library in LIBRARIES:
        logging.getLogger(library).setLevel(max(logging.WARNING, root.level))
