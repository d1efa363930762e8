"""Bodies of the lobby hold codes and numbers: a client makes the sentences, in its own language."""

from app.lobby.schemas import TableDetailBody, TablesBody


def test_the_lobby_knows_no_sentence() -> None:
    for schema in (TableDetailBody.model_json_schema(), TablesBody.model_json_schema()):
        for body in schema["$defs"].values():
            for name, field in body["properties"].items():
                if field.get("type") == "string" and "enum" not in field:
                    assert name in {"id", "name", "currency"}
