"""The format of scenarios: what may stand in a file for `torpor test`.

The Structs are the one definition of it. `reading.py` reads YAML by their types, `json_schema.py`
makes of them the JSON Schema for editors, and docs/testing.md is compared with them.

    text            any scalar, as it is written
    Json            any JSON value
    tuple[X, ...]   a list of X, or one X
    dict[str, X]    names to X
    a Struct        a mapping; of a `Pattern`, the text of its first field alone will do

A step is known by its verb, one of its keys. What a pattern does not mention is not compared.
"""
