"""The history's reads, over hands that were truly played."""

from app.history.repository import HistoryRepository
from app.paging import Place
from engine.rules.events import HandId, PlayerId
from tests.app.playing import folding, play_together
from tests.app.served import Served


async def test_finished_hands_of_a_player_the_newest_first(served: Served) -> None:
    room = await served.table(name="Archive")
    ada, bob = await served.guest(), await served.guest()
    async with served.at(room.table, ada) as one, served.at(room.table, bob) as two:
        await one.sit(100)
        await two.sit(100)
        await play_together(one, two, choose=folding, hands=3)
        await one.ask("sit_out")
        repository = HistoryRepository(served.house.store.database)
        hands = await repository.played(PlayerId(ada.id), before=None, limit=2)
        assert [hand.table_name for hand in hands] == ["Archive", "Archive"]
        assert hands[0].started_ms >= hands[1].started_ms
        rest = await repository.played(PlayerId(ada.id), before=Place(hands[1].started_ms, hands[1].hand), limit=100)
        numbers = [int(hand.hand.rpartition("-")[2]) for hand in (*hands, *rest)]
        assert numbers[-3:] == [3, 2, 1]
        assert numbers == sorted(numbers, reverse=True)
        row = await repository.hand(HandId(hands[0].hand))
        assert row == (room.table, "PLAY", True, False)
        assert await repository.hand(HandId("never")) is None
        assert await repository.played(PlayerId("nobody"), before=None, limit=5) == []
