"""The same command again gets the same answer, whatever has happened since."""

import pytest

from engine.rules.actions import Call, SeatNo
from engine.rules.errors import Refusal, WrongAmount
from engine.rules.events import HandId
from engine.table.answers import Answers, again, digest_of
from engine.table.commands import Act, PlayerCommand, Sit, SitIn, SitOut, StandUp, TopUp
from engine.table.errors import CommandIdReused, CommitRefused, SeatTaken
from engine.table.ports import Answer
from tests.engine.table.desk import ANN, BOB

OUT = SitOut(player=ANN, command_id="a")


def accepted(command: PlayerCommand, seq: int = 5) -> Answer:
    return Answer(player=command.player, command_id=command.command_id, digest=digest_of(command), seq=seq)


def test_an_accepted_command_is_answered_by_its_number_again() -> None:
    answers = Answers()
    assert answers.known(OUT, digest_of(OUT)) is None
    answers.accepted(accepted(OUT))
    assert answers.known(OUT, digest_of(OUT)) == 5


def test_a_refused_command_is_refused_the_same_way_again() -> None:
    answers = Answers()
    sit = Sit(player=ANN, command_id="a", name="ann", seat=SeatNo(1), buy_in_chips=500)
    answers.refused(sit, digest_of(sit), SeatTaken(seat=1))
    first, second = answers.known(sit, digest_of(sit)), answers.known(sit, digest_of(sit))
    assert isinstance(first, SeatTaken)
    assert isinstance(second, SeatTaken)
    assert first is not second
    assert first.fields == {"seat": 1}


def test_answers_from_before_a_restart_are_known() -> None:
    answers = Answers([accepted(OUT, 9)])
    assert answers.known(OUT, digest_of(OUT)) == 9


def test_the_same_id_of_another_player_is_another_command() -> None:
    answers = Answers([accepted(OUT)])
    other = SitOut(player=BOB, command_id="a")
    assert answers.known(other, digest_of(other)) is None


@pytest.mark.parametrize(
    "other",
    [
        SitIn(player=ANN, command_id="a"),
        StandUp(player=ANN, command_id="a"),
        TopUp(player=ANN, command_id="a", added_chips=5),
        Act(player=ANN, command_id="a", hand=HandId("t1-1"), turn=1, action=Call(to_chips=4)),
    ],
)
def test_the_same_id_with_another_content_is_refused(other: PlayerCommand) -> None:
    answers = Answers([accepted(OUT)])
    assert isinstance(answers.known(other, digest_of(other)), CommandIdReused)


def test_every_field_counts_for_the_content() -> None:
    base = Act(player=ANN, command_id="a", hand=HandId("t1-1"), turn=1, action=Call(to_chips=4))
    others = [
        Act(player=ANN, command_id="a", hand=HandId("t1-2"), turn=1, action=Call(to_chips=4)),
        Act(player=ANN, command_id="a", hand=HandId("t1-1"), turn=2, action=Call(to_chips=4)),
        Act(player=ANN, command_id="a", hand=HandId("t1-1"), turn=1, action=Call(to_chips=5)),
    ]
    assert len({digest_of(command) for command in [base, *others]}) == 4
    assert digest_of(base) == digest_of(
        Act(player=ANN, command_id="a", hand=HandId("t1-1"), turn=1, action=Call(to_chips=4))
    )


def test_the_oldest_are_forgotten_first() -> None:
    answers = Answers(most=3)
    commands = [SitOut(player=ANN, command_id=str(number)) for number in range(5)]
    for command in commands:
        answers.accepted(accepted(command))
    assert len(answers) == 3
    assert [answers.known(command, digest_of(command)) for command in commands] == [None, None, 5, 5, 5]


def test_an_error_made_again_forgets_where_it_was_raised() -> None:
    try:
        raise WrongAmount(options=[1])
    except Refusal as refusal:
        caught = refusal
    assert caught.__traceback__ is not None
    twin = again(caught)
    assert (type(twin), twin.code, twin.fields, twin.args) == (WrongAmount, caught.code, caught.fields, caught.args)
    assert twin.__traceback__ is None


def test_a_stores_own_code_survives() -> None:
    twin = again(CommitRefused("wallet/insufficient", balance_chips=3))
    assert (twin.code, twin.fields) == ("wallet/insufficient", {"balance_chips": 3})
    assert str(twin) == "wallet/insufficient"
