"""Who asks: a token says who somebody is, no token that he is nobody, and a bad one is refused everywhere."""

from tests.app.served import Served


async def test_a_bad_token_is_refused_where_none_is_needed(served: Served) -> None:
    """A client whose session has run out must hear so, and not be shown the public's view for his own."""
    answer = await served.http.get("/api/hands/none", headers={"Authorization": "Bearer wrong"})
    assert (answer.status_code, answer.json()["code"]) == (401, "account/not_logged_in")
    answer = await served.http.get("/api/hands/none")
    assert (answer.status_code, answer.json()["code"]) == (404, "hand/not_found")
