"""The protocol as one JSON Schema, made from the frames' own structs: `python -m app.wire.export` writes it.

The schema says what this server sends (all fields always) and what it takes (nothing else). Clients are generated from
it and from nothing else, so every name that an author of a client should meet is a definition of its own.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NewType, TypeAlias, Union, get_args, get_origin

import msgspec

from app.wire.client import ClientFrame, CommandFrame
from app.wire.codes import socket_codes
from app.wire.server import ServerFrame
from engine.rules.actions import Action, SeatNo, Size
from engine.rules.cards import HIDDEN, RANKS, SUITS, Card
from engine.rules.events import DealtFace, HandId, PlayerId
from engine.rules.ranking import Category
from engine.rules.variants import Face, Game
from engine.table.events import AnyEvent, LeaveReason, SitOutReason, TableId
from engine.table.standstill import PauseReason

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Schema: TypeAlias = dict[str, Any]

SCHEMA_PATH = Path(__file__).resolve().parents[2] / "docs" / "protocol" / "schema.json"

UNIONS: dict[str, Any] = {
    "ServerFrame": ServerFrame,
    "ClientFrame": ClientFrame,
    "Command": CommandFrame,
    "Event": AnyEvent,
    "Action": Action,
}
"""Unions that are named in the schema; an alias keeps no name of its own at run time. So it is with the words below."""

WORDS: dict[str, Any] = {
    "Game": Game,
    "Face": Face,
    "DealtFace": DealtFace,
    "Size": Size,
    "Category": Category,
    "LeaveReason": LeaveReason,
    "SitOutReason": SitOutReason,
    "PauseReason": PauseReason,
}

NEW_TYPES: dict[Any, tuple[str, Schema]] = {
    Card: (
        f"A rank and a suit such as `Td`, or `{HIDDEN}` for a card that the viewer may not see.",
        {"pattern": rf"^([{RANKS}][{SUITS}]|\?\?)$"},
    ),
    SeatNo: ("The number of a place at the table, from 1.", {"minimum": 1}),
    PlayerId: ("A player, the same at every table.", {}),
    HandId: ("A hand, different from every other hand of the server.", {}),
    TableId: ("A table.", {}),
}

CODE_FIELD = ("Error", "code")
"""The one field whose words are not a type of Python: a later server may have more of them."""

DESCRIPTIONS = {
    "ServerFrame": "Every frame from a table to a client. A client ignores a type that it does not know.",
    "ClientFrame": "Every frame from a client to a table. The server refuses what is not described here.",
    "Command": "A client's frame that gets an answer of its own.",
    "Event": "What happened at a table, in order. A client that does not know a type must ask for a new snapshot.",
    "Action": "What a player may wish on his turn.",
    "ErrorCode": "A stable code; the examples are all that this server has. A client must live with others.",
}


def export() -> Schema:
    """Give the JSON Schema (2020-12) of all frames: equal for equal structs, definitions in alphabetical order."""
    definitions = _Definitions()
    for name in UNIONS:
        definitions.require_union(name)
    _check_directions(definitions)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Avenue table protocol",
        "description": (
            "JSON text frames of a table's WebSocket. Server frames are described as this server sends them; later ones"
            " of the same version may add fields, words and types, which a client ignores."
        ),
        "anyOf": [_reference("ServerFrame"), _reference("ClientFrame")],
        "$defs": dict(sorted(definitions.schemas.items())),
    }


def render() -> str:
    """Give the schema as the text that is committed."""
    return json.dumps(export(), indent=2, ensure_ascii=False) + "\n"


def main(arguments: Sequence[str]) -> int:
    """Write the schema, or with `--check` tell by the exit code 1 that the committed one is another."""
    text = render()
    if "--check" not in arguments:
        SCHEMA_PATH.parent.mkdir(parents=True, exist_ok=True)
        SCHEMA_PATH.write_text(text, encoding="utf-8")
        return 0
    if SCHEMA_PATH.is_file() and SCHEMA_PATH.read_text(encoding="utf-8") == text:
        return 0
    sys.stderr.write(f"{SCHEMA_PATH.name} is not what the frames say: run `python -m app.wire.export` and commit it\n")
    return 1


class _Definitions:
    """Collects named definitions while it walks through the types."""

    def __init__(self) -> None:
        self.schemas: dict[str, Schema] = {}
        self.structs: dict[str, type[msgspec.Struct]] = {}
        self._names = {union: name for name, union in UNIONS.items()} | {words: name for name, words in WORDS.items()}

    def require_union(self, name: str) -> Schema:
        """Describe a named union and all its members."""
        if name not in self.schemas:
            self.schemas[name] = {}
            self.schemas[name] = {"description": DESCRIPTIONS[name], **self._union(get_args(UNIONS[name]))}
        return _reference(name)

    def schema_of(self, kind: Any) -> Schema:
        """Describe a type as a field has it; whatever has a name becomes a reference."""
        if isinstance(kind, NewType):
            return self._new_type(kind)
        if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
            return self._struct(kind)
        if kind in self._names:
            name = self._names[kind]
            return self.require_union(name) if name in UNIONS else self._words(name)
        plain = _PLAIN.get(kind)
        if plain is not None:
            return dict(plain)
        origin, arguments = get_origin(kind), get_args(kind)
        if origin is Annotated:
            return self._constrained(arguments[0], arguments[1:])
        if origin is tuple and arguments[1:] == (...,):
            return {"type": "array", "items": self.schema_of(arguments[0])}
        if origin is dict:
            return {"type": "object"}
        if origin is Union or origin is type(int | None):
            return self._union(arguments)
        raise TypeError(f"the wire has no schema for {kind!r}: name it in {Path(__file__).name}")

    def _union(self, members: Sequence[Any]) -> Schema:
        some = [member for member in members if member is not type(None)]
        if len(some) < len(members):
            inner = self.schema_of(some[0] if len(some) == 1 else Union[tuple(some)])  # noqa: UP007 - built at run time
            return {"anyOf": [inner, {"type": "null"}]}
        references = [self.schema_of(member) for member in some]
        fields = {member.__struct_config__.tag_field for member in some}
        if len(fields) != 1:
            raise TypeError(f"members of a union are told apart by one field, not by {fields}")
        mapping = {_tag_of(member): reference["$ref"] for member, reference in zip(some, references, strict=True)}
        return {"oneOf": references, "discriminator": {"propertyName": fields.pop(), "mapping": mapping}}

    def _struct(self, struct: type[msgspec.Struct]) -> Schema:
        name = struct.__name__
        if self.structs.setdefault(name, struct) is not struct:
            raise TypeError(f"two structs of the wire are called {name}")
        if name not in self.schemas:
            self.schemas[name] = {}
            self.schemas[name] = self._describe(struct)
        return _reference(name)

    def _describe(self, struct: type[msgspec.Struct]) -> Schema:
        config = struct.__struct_config__
        properties: Schema = {}
        required: list[str] = []
        if config.tag is not None and config.tag_field is not None:
            properties[config.tag_field] = {"const": config.tag}
            required.append(config.tag_field)
        taken = config.forbid_unknown_fields
        for field in msgspec.structs.fields(struct):
            is_code = (struct.__name__, field.name) == CODE_FIELD
            properties[field.encode_name] = self._codes() if is_code else self.schema_of(field.type)
            # The server always sends a default; a client may leave it out.
            if field.required or not taken:
                required.append(field.encode_name)
            else:
                properties[field.encode_name] = {**properties[field.encode_name], "default": field.default}
        return {
            **_description(struct),
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": False,
        }

    def _new_type(self, kind: NewType) -> Schema:
        description, constraints = NEW_TYPES[kind]
        name = kind.__name__
        self.schemas[name] = {"description": description, **_PLAIN[kind.__supertype__], **constraints}
        return _reference(name)

    def _codes(self) -> Schema:
        self.schemas["ErrorCode"] = {
            "description": DESCRIPTIONS["ErrorCode"],
            "type": "string",
            "pattern": "^[a-z_]+/[a-z_]+$",
            "examples": list(socket_codes()),
        }
        return _reference("ErrorCode")

    def _words(self, name: str) -> Schema:
        self.schemas[name] = {"enum": list(get_args(WORDS[name]))}
        return _reference(name)

    def _constrained(self, kind: Any, metas: Sequence[msgspec.Meta]) -> Schema:
        schema = self.schema_of(kind)
        for meta in metas:
            given = {keyword: getattr(meta, attribute) for attribute, keyword in _CONSTRAINTS.items()}
            schema |= {keyword: value for keyword, value in given.items() if value is not None}
        return schema


_PLAIN: dict[Any, Schema] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
}

_CONSTRAINTS = {
    "ge": "minimum",
    "le": "maximum",
    "min_length": "minLength",
    "max_length": "maxLength",
    "pattern": "pattern",
}


def _check_directions(definitions: _Definitions) -> None:
    """What goes both ways has no defaults: it could not be said whether they must stand there."""
    for name in _reachable(definitions.schemas, "ClientFrame") & _reachable(definitions.schemas, "ServerFrame"):
        struct = definitions.structs.get(name)
        if struct is not None and any(not field.required for field in msgspec.structs.fields(struct)):
            raise TypeError(f"{name} goes both ways and has a default")


def _reachable(schemas: dict[str, Schema], root: str) -> set[str]:
    found, waiting = {root}, [root]
    while waiting:
        for name in _references_in(schemas[waiting.pop()]):
            if name not in found:
                found.add(name)
                waiting.append(name)
    return found


def _references_in(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"].rpartition("/")[2]
        for key, value in node.items():
            if key != "mapping":
                yield from _references_in(value)
    elif isinstance(node, list):
        for value in node:
            yield from _references_in(value)


def _reference(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def _tag_of(struct: Any) -> str:
    return str(struct.__struct_config__.tag)


def _description(struct: type[msgspec.Struct]) -> Schema:
    """The struct's own docstring, made one line a paragraph; what a base class says is not its own."""
    text = struct.__dict__.get("__doc__")
    if not text:
        return {}
    return {"description": "\n".join(" ".join(part.split()) for part in text.strip().split("\n\n"))}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
