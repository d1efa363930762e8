from avenue_sdk.errors import ConnectionLost, Refused, SdkError, ServerFault, refusal_of


def test_a_code_becomes_a_refusal_and_a_fault_of_the_server_one_that_may_be_tried_again() -> None:
    refusal = refusal_of("table/seat_taken", {"seat": 3})
    assert (type(refusal), refusal.code, refusal.fields) == (Refused, "table/seat_taken", {"seat": 3})
    fault = refusal_of("fault/busy", {})
    assert isinstance(fault, ServerFault)
    assert isinstance(fault, Refused)


def test_whoever_catches_the_root_catches_all() -> None:
    assert issubclass(Refused, SdkError)
    assert issubclass(ConnectionLost, SdkError)


def test_a_lost_connection_says_what_is_known() -> None:
    assert str(ConnectionLost(1012, "connection/server_stops")) == "connection lost (1012, connection/server_stops)"
    assert str(ConnectionLost()) == "connection lost (no close code)"
