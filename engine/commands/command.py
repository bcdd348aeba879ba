"""The root of all commands."""

import msgspec


class Command(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """The root of all commands; the tag is the class name."""
