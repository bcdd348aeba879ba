"""Names of topics: `<namespace>.<kind>`, for jobs `<namespace>.jobs.<type>` with the type escaped.

Kafka's alphabet for names is `[A-Za-z0-9._-]`. Of a job type, every byte of UTF-8 outside it
becomes `--` and two hexadecimal digits; a hyphen is kept unless what follows would make it look
like that. So `charge-card` stays as it is, and `io.camunda:email:1` is `io.camunda--3aemail--3a1`.
The escaped type names one type only, but brokers take a dot and an underscore for the same when
they create topics: of two types that differ in nothing else, the second gets no topic.
"""

import re

from engine.records import Topic

JOB_TYPE_MAX = 200
"""Characters of an escaped job type: with the longest namespace within Kafka's 249 of a name."""

SCHEMAS = "schemas"
"""The kind of the topic of schemas, which is written by `init` and `upgrade` only."""

_NAMESPACE = re.compile(r"[a-z0-9-]{1,40}")
_PLAIN = re.compile(r"[A-Za-z0-9._-]+")
_HYPHEN = ord("-")


def is_namespace(text: str) -> bool:
    """Whether a text may be a namespace: it is the start of every topic's name and has no dot."""
    return _NAMESPACE.fullmatch(text) is not None


def topic_name(namespace: str, kind: Topic | str, job_type: str | None = None) -> str:
    """The full name of a topic. Raises ValueError for a job type that fits no name."""
    if job_type is None:
        return f"{namespace}.{kind}"
    return f"{namespace}.{kind}.{escape_job_type(job_type)}"


def is_reply_topic(namespace: str, topic: str) -> bool:
    """Whether the engine answers there: `<namespace>.replies` or `<namespace>.replies.*`."""
    replies = f"{namespace}.{Topic.REPLIES}"
    return topic == replies or (
        topic.startswith(f"{replies}.") and len(topic) <= 249 and bool(_PLAIN.fullmatch(topic))
    )


def escape_job_type(job_type: str) -> str:
    """The job type in Kafka's alphabet.

    Raises ValueError when it is empty or escaped longer than JOB_TYPE_MAX, UnicodeEncodeError
    (a ValueError too) when it holds half of a surrogate pair.
    """
    if _PLAIN.fullmatch(job_type) and "--" not in job_type:
        escaped = job_type
    else:
        escaped = _escape(job_type.encode())
    if not 0 < len(escaped) <= JOB_TYPE_MAX:
        found = f"{len(escaped)} characters" if escaped else "nothing"
        raise ValueError(
            f"The job type {job_type[:40]!r} must have 1 to {JOB_TYPE_MAX} characters"
            f" as part of a topic's name; it has {found}."
        )
    return escaped


def _escape(job_type: bytes) -> str:
    parts = []
    for index, byte in enumerate(job_type):
        keep = _is_plain(byte)
        if byte == _HYPHEN and index + 1 < len(job_type):
            following = job_type[index + 1]
            keep = following != _HYPHEN and _is_plain(following)
        parts.append(chr(byte) if keep else f"--{byte:02x}")
    return "".join(parts)


def _is_plain(byte: int) -> bool:
    return _PLAIN.fullmatch(chr(byte)) is not None
