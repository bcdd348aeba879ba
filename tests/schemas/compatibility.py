"""The rule of the wire, checked on whole schemas: fields are added, with defaults, and that is all.

Stricter than Avro's own resolution, which lets a reader drop fields and widen types: what has
shipped is held on to by others, in languages and versions of their own.
"""

from typing import Any


def breaks(before: Any, after: Any, path: str = "") -> list[str]:
    """What of `before` a holder of it would miss in `after`; empty if nothing."""
    if isinstance(before, dict) and isinstance(after, dict) and before["type"] == after["type"]:
        return _container_breaks(before, after, path)
    if isinstance(before, list) and isinstance(after, list) and len(before) <= len(after):
        pairs = zip(before, after, strict=False)
        return [problem for pair in pairs for problem in breaks(*pair, path)]
    return [] if before == after else [f"{path} changed from {before} to {after}"]


def _container_breaks(before: dict[str, Any], after: dict[str, Any], path: str) -> list[str]:
    match before["type"]:
        case "record":
            return _record_breaks(before, after, path)
        case "array":
            return breaks(before["items"], after["items"], f"{path}[]")
        case "map":
            return breaks(before["values"], after["values"], f"{path}{{}}")
        case _:
            return [] if before == after else [f"{path} changed from {before} to {after}"]


def _record_breaks(before: dict[str, Any], after: dict[str, Any], path: str) -> list[str]:
    path = path or before["name"]
    if before["name"] != after["name"]:
        return [f"{path} was renamed from {before['name']} to {after['name']}"]
    old = {field["name"]: field for field in before["fields"]}
    new = {field["name"]: field for field in after["fields"]}
    problems = [f"{path}.{name} was removed" for name in old if name not in new]
    for name, field in new.items():
        if name not in old:
            if "default" not in field:
                problems.append(f"{path}.{name} has no default")
            continue
        problems.extend(breaks(old[name]["type"], field["type"], f"{path}.{name}"))
        if _default(old[name]) != _default(field):
            problems.append(f"the default of {path}.{name} is another")
    return problems


def _default(field: dict[str, Any]) -> Any:
    return field.get("default", "none at all")
