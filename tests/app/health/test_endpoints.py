"""The two addresses for whoever watches over the server."""

from tests.app.served import Served


async def test_alive_and_ready(served: Served) -> None:
    for path in ("/healthz", "/readyz"):
        answer = await served.http.get(path)
        assert (answer.status_code, answer.json()) == (200, {"status": "ok"})
