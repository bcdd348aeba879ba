"""Which engine a DMN file was drawn for, and what it does otherwise than the standard.

Camunda 7 and 8 share the file format; the modeler writes down which of them a file is for.
"""

import re
from typing import Final, Literal

import msgspec

from engine.decisions.source import NAMESPACES, Source

Language = Literal["feel", "juel"]

_CAMUNDA_NAMESPACE: Final = "http://camunda.org/schema/1.0/dmn"
_VERSION: Final = re.compile(r"(\d{1,4})\.(\d{1,4})")
_FEEL_BY_DEFAULT_SINCE: Final = (7, 13)
_TEMPLATE: Final = re.compile(r"[$#]\{")


class Platform(msgspec.Struct, frozen=True, kw_only=True):
    """How a file is to be read.

    `converts`: values of inputs and outputs become what their typeRef says, as in Camunda 7, whose
    integer, long and double are numbers. `spreads_outputs`: what a required decision gives is known
    by the names of its outputs. `null_without_hit`: a table gives null if no rule matches, whatever
    its hit policy. `checks_inputs`: an input must be of its type and among its inputValues; for
    Camunda both are hints to the editor. `language` is that of all expressions but input entries,
    which are FEEL, if they do not say.
    """

    converts: bool = False
    spreads_outputs: bool = False
    null_without_hit: bool = False
    checks_inputs: bool = True
    language: Language = "feel"


_CAMUNDA_8: Final = Platform(null_without_hit=True, checks_inputs=False)
_CAMUNDA_7: Final = Platform(converts=True, spreads_outputs=True, checks_inputs=False)


def platform_of(definitions: Source) -> Platform:
    """The platform that a file was drawn for; the standard's own rules if it does not say."""
    platform = definitions.get("executionPlatform")
    if platform == "Camunda Cloud":
        return _CAMUNDA_8
    if platform == "Camunda Platform" or definitions.get("namespace") == _CAMUNDA_NAMESPACE:
        version = _VERSION.match(definitions.get("executionPlatformVersion") or "")
        if version and (int(version[1]), int(version[2])) < _FEEL_BY_DEFAULT_SINCE:
            # Until 7.12 only the input entries were FEEL by default.
            return msgspec.structs.replace(_CAMUNDA_7, language="juel")
        return _CAMUNDA_7
    return Platform()


def language_of(declared: str | None, text: str, default: Language) -> Language | None:
    """The language of an expression; None if it is one that is not evaluated here.

    What is in `${...}` can only be JUEL, whatever the default is.
    """
    if declared is None:
        return "juel" if _TEMPLATE.match(text) else default
    name = declared.lower()
    if "feel" in name or declared in NAMESPACES:
        return "feel"
    return "juel" if "juel" in name else None
