"""A checker for the part of JSON Schema that the protocol's schema uses, so that tests read it as a stranger would."""

from __future__ import annotations

import re
from typing import Any

KNOWN = frozenset(
    {
        *("$ref", "anyOf", "oneOf", "const", "enum", "type", "properties", "required", "additionalProperties", "items"),
        *("pattern", "minLength", "maxLength", "minimum", "maximum"),
        *("$schema", "$defs", "title", "description", "default", "discriminator", "examples"),
    }
)

TYPES: dict[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "null": type(None),
}


def fits(value: Any, schema: dict[str, Any], definitions: dict[str, Any]) -> bool:
    """Tell whether the value is what the schema describes. A keyword that is not known here is an error."""
    unknown = schema.keys() - KNOWN
    assert not unknown, f"the checker does not know {unknown}"
    if "$ref" in schema:
        return fits(value, definitions[schema["$ref"].removeprefix("#/$defs/")], definitions)
    if "const" in schema:
        return _same(value, schema["const"])
    if "enum" in schema:
        return any(_same(value, word) for word in schema["enum"])
    if "anyOf" in schema:
        return any(fits(value, one, definitions) for one in schema["anyOf"])
    if "oneOf" in schema:
        return sum(fits(value, one, definitions) for one in schema["oneOf"]) == 1
    return _is_of_type(value, schema["type"]) and _fits_details(value, schema, definitions)


def _fits_details(value: Any, schema: dict[str, Any], definitions: dict[str, Any]) -> bool:
    match value:
        case dict():
            properties = schema.get("properties", {})
            known = schema.get("additionalProperties", True) or value.keys() <= properties.keys()
            there = all(name in value for name in schema.get("required", ()))
            return (
                known
                and there
                and all(fits(value[name], one, definitions) for name, one in properties.items() if name in value)
            )
        case list():
            return all(fits(one, schema["items"], definitions) for one in value)
        case str():
            long_enough = len(value) >= schema.get("minLength", 0)
            short_enough = len(value) <= schema.get("maxLength", len(value))
            return long_enough and short_enough and re.search(schema.get("pattern", ""), value) is not None
        case int():
            return bool(schema.get("minimum", value) <= value <= schema.get("maximum", value))
        case _:
            return True


def _is_of_type(value: Any, kind: str) -> bool:
    if kind == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, TYPES[kind])


def _same(value: Any, word: Any) -> bool:
    return type(value) is type(word) and bool(value == word)
