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


def set_up_logs(level: str, stream: TextIO | None = None) -> None:
    """Log as JSON from `level` (`INFO`) on; libraries from WARNING on, or `level` if higher."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonFormatter())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    for library in ("aiohttp", "aiokafka", "asyncio", "redis"):
        logging.getLogger(library).setLevel(max(logging.WARNING, root.level))
